export type { AccountClosingOperations, CloseOptions } from './account-closing-operations.ts';
export { AccountCloseService, type WorkOff } from './close-service.ts';
