export {
  type BilledHistory,
  type BillingEventStream,
  type BillingEventsInput,
  billingEvents,
} from './billing-stream/billing-event-stream.ts';
export type { StateToSet } from './blocking/state-to-set.ts';
export { statesInTimeOrder } from './blocking/states-in-force.ts';
export type { EndOfAll } from './edits/cancellation-of-all.ts';
export { dirtiedFrom, type TouchedDate } from './edits/dirty-days.ts';
export type { EffectiveFrom } from './edits/effective-from.ts';
export type { BillCycleDayChange, QuantityChange } from './edits/terms-change.ts';
export type { BlockingOperations, BlockingStateFilter } from './operations/blocking-operations.ts';
export { BlockingService } from './operations/blocking-service.ts';
export type { BundleOperations } from './operations/bundle-operations.ts';
export { BundleService } from './operations/bundle-service.ts';
export { type AccountToEnd, type CancelAllInput, cancelAll } from './operations/cancel-all.ts';
export { ControlledCreations } from './operations/controlled-creations.ts';
export { ControlledOperations } from './operations/controlled-operations.ts';
export { type CreatedBundle, CreationService } from './operations/creation-service.ts';
export { EntitlementControl } from './operations/entitlement-control.ts';
export { LifecycleService } from './operations/lifecycle-service.ts';
export { loadHypothesis } from './operations/load-hypothesis.ts';
export type { OutlineOperations } from './operations/outline-operations.ts';
export { OutlineService } from './operations/outline-service.ts';
export { SubscriptionEventHandler } from './operations/subscription-event-handler.ts';
export type { PlanAtRequest, SubscriptionOperations } from './operations/subscription-operations.ts';
export { SubscriptionService } from './operations/subscription-service.ts';
export { TransferService } from './operations/transfer-service.ts';
export { checkBundleOwner, notInBundle, notOfAccount } from './requests/belonging.ts';
export { checkChangeRequest } from './requests/change-request.ts';
export type { CreateBundleRequest } from './requests/create-groups.ts';
export {
  type CreateSubscriptionOptions,
  type CreateSubscriptionRequest,
  checkTerms,
} from './requests/create-request.ts';
export { noSuchBundle } from './requests/no-such-bundle.ts';
export { noSubscriptionOfKey, noSuchSubscription } from './requests/no-such-subscription.ts';
export type { TransferBundleRequest } from './requests/transfer-request.ts';
export { type BundleFilter, findBundlesOfAccount } from './storing/bundles-of-account.ts';
export { loadBundle, loadSubscription } from './storing/load-known.ts';
export { loadOutlines } from './storing/load-outlines.ts';
export { loadServiceEnds } from './storing/load-service-ends.ts';
export { markDirty } from './storing/mark-dirty.ts';
export { setBlockingStates } from './storing/set-blocking-states.ts';
export { blockingStateNotification, eventNotification } from './telling/notifications.ts';
export { atReferenceTime, datedInstant } from './timeline/dated-instants.ts';
export { DatedBy, datedBy, type EventReason, readReason } from './timeline/event-reason.ts';
export { isPlanChoice, planNamesOf } from './timeline/lifecycle-order.ts';
export type { PlanInForce } from './timeline/transitions.ts';
export { answerTooLarge, countRows, type RowBound } from './views/answer-rows.ts';
export type { BundleOutline, SubscriptionOutline } from './views/bundle-outline.ts';
export type { BundleView, SubscriptionEventView, SubscriptionView } from './views/bundle-view.ts';
export type { BundleWindow, OutlinePage } from './views/outline-page.ts';
export type { BlockPrice, PhasePrices, TierPrices, UsagePrices } from './views/phase-prices.ts';
export { bundleViews } from './views/views-in-turns.ts';
export {
  catalogUnder,
  cursorsUnder,
  eventsUnder,
  type Hypothesis,
  subscriptionsUnder,
  withForeseenPlan,
} from './what-if/hypothesis.ts';
export {
  type HypotheticalAction,
  HypotheticalActionType,
  type SubscriptionInBundle,
} from './what-if/hypothetical-action.ts';
