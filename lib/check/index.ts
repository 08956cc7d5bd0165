export type { Breach } from './model.ts';
export { type CheckOperations, dataChecks } from './service.ts';
