export type { CheckOperations } from './check-operations.ts';
export type { Breach } from './model.ts';
export { CheckService } from './service.ts';
