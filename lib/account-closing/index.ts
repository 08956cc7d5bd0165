export {
  AccountCloseService,
  type AccountClosingOperations,
  type CloseOptions,
  type WorkOff,
} from './close-service.ts';
