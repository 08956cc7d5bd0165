export * from './billing-error.ts';
export * from './error-code.ts';
