export {
  type BilledHistory,
  type BillingEventStream,
  type BillingEventsInput,
  billingEvents,
} from './billing-stream/billing-event-stream.ts';
export type { StateToSet } from './blocking/state-to-set.ts';
export { statesInTimeOrder } from './blocking/states-in-force.ts';
export { blockingStateNotification, eventNotification } from './edits/bus-events.ts';
export type { EndOfAll } from './edits/cancellation.ts';
export { dirtiedFrom, type TouchedDate } from './edits/subscription-edit.ts';
export type { BillCycleDayChange, EffectiveFrom, QuantityChange } from './edits/terms-change.ts';
export { BlockingService } from './operations/blocking-service.ts';
export { BundleService } from './operations/bundle-service.ts';
export { type CreatedBundle, CreationService } from './operations/creation-service.ts';
export { EntitlementControl } from './operations/entitlement-control.ts';
export {
  type AccountToEnd,
  type CancelAllInput,
  cancelAll,
  LifecycleService,
} from './operations/lifecycle-service.ts';
export { loadHypothesis } from './operations/load-hypothesis.ts';
export { OutlineService } from './operations/outline-service.ts';
export { SubscriptionEventHandler } from './operations/subscription-event-handler.ts';
export type {
  BlockingOperations,
  BlockingStateFilter,
  BundleOperations,
  OutlineOperations,
  PlanAtRequest,
  SubscriptionOperations,
} from './operations/subscription-operations.ts';
export { SubscriptionService } from './operations/subscription-service.ts';
export type { TransferBundleRequest } from './requests/bundle-requests.ts';
export { checkChangeRequest } from './requests/change-request.ts';
export {
  type CreateBundleRequest,
  type CreateSubscriptionOptions,
  type CreateSubscriptionRequest,
  checkTerms,
} from './requests/create-request.ts';
export {
  checkBundleOwner,
  noSubscriptionOfKey,
  noSuchBundle,
  noSuchSubscription,
  notInBundle,
  notOfAccount,
} from './requests/unknown-objects.ts';
export {
  type BundleFilter,
  findBundlesOfAccount,
  loadOutlines,
  loadServiceEnds,
} from './storing/load-outlines.ts';
export { loadBundle, loadSubscription } from './storing/load-running.ts';
export { markDirty, setBlockingStates } from './storing/save-changes.ts';
export { atReferenceTime, datedInstant } from './timeline/dated-instants.ts';
export {
  DatedBy,
  datedBy,
  type EventReason,
  isPlanChoice,
  planNamesOf,
  readReason,
} from './timeline/lifecycle-events.ts';
export type { PlanInForce } from './timeline/transitions.ts';
export type {
  BundleOutline,
  BundleView,
  SubscriptionEventView,
  SubscriptionOutline,
  SubscriptionView,
} from './views/bundle-outline.ts';
export {
  answerTooLarge,
  type BundleWindow,
  bundleViews,
  countRows,
  type OutlinePage,
  type RowBound,
} from './views/outline-page.ts';
export type { BlockPrice, PhasePrices, TierPrices, UsagePrices } from './views/phase-prices.ts';
export {
  catalogUnder,
  cursorsUnder,
  eventsUnder,
  type Hypothesis,
  type HypotheticalAction,
  HypotheticalActionType,
  type SubscriptionInBundle,
  subscriptionsUnder,
  withForeseenPlan,
} from './what-if/hypothesis.ts';
