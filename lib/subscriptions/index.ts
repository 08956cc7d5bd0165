export {
  type BilledHistory,
  type BillingEventStream,
  type BillingEventsInput,
  billingEvents,
} from './billing-stream/billing-event-stream.ts';
export type { StateToSet } from './blocking/blocked-time.ts';
export { statesInTimeOrder } from './blocking/states-in-force.ts';
export { blockingStateNotification, eventNotification } from './edits/bus-events.ts';
export { markCursorDirty, type TouchedDate } from './edits/subscription-edit.ts';
export {
  type BillCycleDayChange,
  type EffectiveFrom,
  type QuantityChange,
  requestedBillCycleDay,
  requestedQuantity,
} from './edits/terms-change.ts';
export { blockingOperations } from './operations/blocking-service.ts';
export { bundleOperations } from './operations/bundle-service.ts';
export {
  type CreatedBundle,
  creationOperations,
  type SubscriptionParts,
} from './operations/creation-service.ts';
export { entitlementControl } from './operations/entitlement-control.ts';
export { type AccountToEnd, cancelAll, lifecycleOperations } from './operations/lifecycle-service.ts';
export { loadHypothesis } from './operations/load-hypothesis.ts';
export { outlineOperations } from './operations/outline-service.ts';
export { subscriptionEventHandler } from './operations/subscription-event-handler.ts';
export type {
  BlockingOperations,
  BlockingStateFilter,
  BundleOperations,
  OutlineOperations,
  PlanAtRequest,
  SubscriptionListRequest,
  SubscriptionOperations,
} from './operations/subscription-operations.ts';
export { subscriptionReadOperations } from './operations/subscription-service.ts';
export {
  type CouponRequest,
  type CreateBundleRequest,
  type CreateSubscriptionOptions,
  type CreateSubscriptionRequest,
  checkCreateRequest,
  checkTerms,
  priceOverrideAmounts,
  type SubscriptionCoupons,
} from './requests/create-request.ts';
export {
  type CancelSubscriptionRequest,
  checkChangeRequest,
  checkPolicyName,
  PAUSED,
  RESUMED,
  type TransferBundleRequest,
} from './requests/edit-requests.ts';
export {
  checkBundleOwner,
  noSubscriptionOfKey,
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
export { loadBundle, loadSubscription } from './storing/load-subscriptions.ts';
export { markDirty, setBlockingStates, trialNotices } from './storing/save-changes.ts';
export {
  DatedBy,
  type EventReason,
  isPlanChoice,
  planNamesOf,
  readReason,
  reasonDatedBy,
} from './timeline/lifecycle-events.ts';
export { atReferenceTime, datedInstant } from './timeline/phase-timeline.ts';
export type { PlanInForce } from './timeline/transitions.ts';
export type {
  BlockPrice,
  BundleOutline,
  BundleView,
  PhasePrices,
  SubscriptionEventView,
  SubscriptionOutline,
  SubscriptionView,
  TierPrices,
  UsagePrices,
} from './views/bundle-outline.ts';
export {
  answerTooLarge,
  type BundleWindow,
  bundleViews,
  countRows,
  type OutlinePage,
  type RowBound,
} from './views/outline-page.ts';
export {
  earliestAfter,
  nextServiceChange,
  type ServiceCycle,
  type ServiceStream,
  type ServiceTerms,
  serviceAt,
  serviceStreams,
} from './views/service-stream.ts';
export {
  blockingStatesUnder,
  catalogUnder,
  cursorsUnder,
  eventsUnder,
  type Hypothesis,
  type HypotheticalAction,
  HypotheticalActionType,
  historyUnder,
  redemptionsUnder,
  type SubscriptionInBundle,
  subscriptionsUnder,
  withForeseenPlan,
} from './what-if/hypothesis.ts';
