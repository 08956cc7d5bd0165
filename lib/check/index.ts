export type { Breach } from './model.ts';
export { type CheckOperations, CheckService } from './service.ts';
