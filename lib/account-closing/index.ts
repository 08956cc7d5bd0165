export {
  type AccountClosingOperations,
  accountClosingOperations,
  type CloseOptions,
  type WorkOff,
} from './close-service.ts';
