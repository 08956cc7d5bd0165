/** Exports all functions for amounts and rounding. */
export * from './allocate.ts';
export * from './currency.ts';
export * from './decimal.ts';
export * from './exact-json.ts';
export * from './money.ts';
export * from './stated-amount.ts';
