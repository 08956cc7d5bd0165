export * from './billing-error.ts';
export * from './error-code.ts';
export { checkOptionTypes, requireOption } from './option-types.ts';
