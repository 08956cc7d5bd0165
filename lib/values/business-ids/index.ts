export * from './vat-id.ts';
