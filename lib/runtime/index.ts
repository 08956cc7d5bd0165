export {
  type ActivityPorts,
  asCall,
  authorshipOf,
  ofAccount,
  onBehalfOf,
  runDetached,
  runInChildSpan,
  scopedLogger,
  showDone,
  systemAuthorshipOf,
  traceParentOf,
  wantedSignal,
  whileWanted,
} from './activity.ts';
export { DatabaseTime } from './database-time.ts';
export {
  callHost,
  guardedClock,
  guardedFunction,
  guardedList,
  guardedLogger,
  guardedObject,
  guardedTracer,
  hostAnswer,
  runHostCode,
} from './host-code/guarded-ports.ts';
export { isInstance, plainError } from './host-code/plain-error.ts';
export {
  type Begun,
  type IdempotencyOperations,
  IdempotencyService,
  type StoredAnswer,
} from './idempotency.ts';
export { decodedOnceMore, isOperatorSearch, parseOperatorSearch } from './operator-search.ts';
export { Dispatcher } from './queue/dispatcher.ts';
export { type BusyPauses, EntryCounts } from './queue/entry-runner.ts';
export {
  batchAuthorship,
  type HandlerBatch,
  hasWork,
  isPassing,
  type QueueHandler,
  topicsOf,
} from './queue/handler.ts';
export { Signal } from './queue/housekeeping.ts';
export {
  DEFAULT_QUEUE_SETTINGS,
  type KindSettings,
  pollMsOf,
  type QueueSettings,
} from './queue/queue-settings.ts';
export {
  allEnded,
  atMost,
  type CalledPlugin,
  callPlugin,
  createRepeatedWork,
  inParallel,
  pause,
  pluginFailure,
  type Repeated,
  TIME_OVER,
} from './wait/bounded-waits.ts';
export { CallsMustRunAlone, SharedCalls, SharedPlaces } from './wait/shared-calls.ts';
export { SharedRead } from './wait/shared-read.ts';
export {
  atOnce,
  eachStep,
  FairTurns,
  inOneTurn,
  type NextTurn,
  oneStep,
  type Steps,
  type TimeSlices,
  timeSlices,
  turnsOf,
} from './wait/turns.ts';
