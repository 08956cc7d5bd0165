export { asCall } from './activity/as-call.ts';
export { handleEntries } from './activity/handled-entries.ts';
export { scopedLogger } from './activity/scoped-logger.ts';
export {
  type ActivityPorts,
  detached,
  ofAccount,
  onBehalfOf,
  showDone,
  spanned,
  traceParentOf,
} from './activity/spanned.ts';
export { wantedSignal, whileWanted } from './activity/unwanted-work.ts';
export { authorshipOf, systemAuthorshipOf } from './authorship.ts';
export { DatabaseTime } from './database-time.ts';
export { callHost, hostAnswer, tellHost } from './host-code/call-host.ts';
export { guarded, guardedFunction, guardedList } from './host-code/guarded.ts';
export { guardedClock, guardedLogger, guardedTracer } from './host-code/guarded-ports.ts';
export { isInstance, plainError } from './host-code/plain-error.ts';
export type { IdempotencyOperations } from './idempotency/idempotency-operations.ts';
export { type Begun, IdempotencyService, type KeptAnswer } from './idempotency/service.ts';
export { batchAuthorship } from './queue/batch-authorship.ts';
export type { BusyPauses } from './queue/busy-entries.ts';
export { Dispatcher } from './queue/dispatcher.ts';
export { EntryCounts } from './queue/entry-counts.ts';
export { isPassing } from './queue/error-policy.ts';
export { type HandlerBatch, type QueueHandler, topicsOf } from './queue/handler.ts';
export {
  DEFAULT_QUEUE_SETTINGS,
  type KindSettings,
  pollMsOf,
  type QueueSettings,
} from './queue/queue-settings.ts';
export { Signal } from './queue/signal.ts';
export {
  decodedOnceMore,
  isOperatorSearch,
  parseOperatorSearch,
} from './search/operator-search.ts';
export { allEnded } from './wait/all-ended.ts';
export { atMost, TIME_OVER } from './wait/at-most.ts';
export { type CalledPlugin, callPlugin, pluginFailure } from './wait/call-plugin.ts';
export { FairTurns } from './wait/fair-turns.ts';
export { inParallel } from './wait/in-parallel.ts';
export { pause } from './wait/pause.ts';
export { SharedCalls } from './wait/shared-calls.ts';
export { SharedPlaces } from './wait/shared-places.ts';
export {
  atOnce,
  eachStep,
  inOneTurn,
  type NextTurn,
  oneStep,
  type Steps,
  type TimeSlices,
  timeSlices,
  turnsOf,
} from './wait/time-slices.ts';
