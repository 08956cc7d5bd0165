export * from './bank-account.ts';
export * from './vat-id.ts';
