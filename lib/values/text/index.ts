export * from './mask-secrets.ts';
export * from './texts.ts';
