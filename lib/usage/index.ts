export {
  type PiecesInput,
  type PiecesNeeded,
  piecesNeeded,
  type SplitRequest,
} from './collecting/pieces-needed.ts';
export { UsageBook, type UsageBookInput } from './collecting/usage-book.ts';
export type {
  ConsumingInterval,
  DayUsage,
  FreedPoints,
  PartOfDay,
  PointRange,
  UsagePiece,
} from './collecting/usage-piece.ts';
export { type UsageWindowInput, usageWindow } from './collecting/usage-window.ts';
export {
  type BilledTime,
  billedTimes,
  countsAt,
  isWithin,
  type PointInTime,
} from './intervals/billed-time.ts';
export { knownUnits } from './intervals/known-units.ts';
export { nextUsageDates } from './intervals/next-usage-dates.ts';
export { type OpenEndsInput, openEnds } from './intervals/open-ends.ts';
export { latestEnd, type UsageInterval } from './intervals/usage-intervals.ts';
export type { UsageRun } from './intervals/usage-runs.ts';
export type {
  ArchivedUsage,
  ArchiveRequest,
  UsageArchiveOperations,
} from './operations/archive-operations.ts';
export { ArchiveService } from './operations/archive-service.ts';
export { BulkService } from './operations/bulk-service.ts';
export { RecordingService } from './operations/recording-service.ts';
export { RollUpService } from './operations/roll-up-service.ts';
export type {
  NewUnitUsage,
  NewUsage,
  NewUsageLine,
  NewUsageRecord,
  RecordAllOptions,
  RecordedUsage,
  RecordUsageOptions,
  RolledUpUnit,
  RolledUpUsage,
  RollUpRequest,
  TimelineRequest,
  UsageOperations,
} from './operations/usage-operations.ts';
export { UsageTimelineService } from './operations/usage-timeline-service.ts';
export { TermLine } from './rating/apply-terms.ts';
export { NO_USAGE, type Quantities, quantitiesOf, type UsageSum, unitsOf } from './rating/quantities.ts';
export { type RatingInput, rateUsage } from './rating/rate-usage.ts';
export type { BlockLine, Overflow, PeakLine, RatedUsage } from './rating/rated-usage.ts';
export { OverflowPolicy } from './rating/rated-usage.ts';
export { LineStatus, type ReportedLine, type UsageReport } from './recording/line-report.ts';
export { OnDuplicate } from './recording/recording-config.ts';
export { RecordingFaultCode } from './recording/recording-fault.ts';
export { readThresholdLook } from './recording/threshold-look.ts';
export { type SubmittedLine, UnreadableLine } from './recording/usage-submission.ts';
export { type Bounds, boundsIn, type RequestedBounds } from './roll-up/roll-up-bounds.ts';
export { UsageGranularity } from './roll-up/usage-buckets.ts';
export type { BilledEntry, BilledInterval, BilledOfSection } from './settlement/billed-interval.ts';
export type { CollectedUsage } from './settlement/late-usage.ts';
export type { PlannedInterval } from './settlement/planned-interval.ts';
export { creditedDates, type SettledSuperseded } from './settlement/settle-superseded.ts';
export {
  type Consumption,
  type SettledInterval,
  type SettledUsage,
  settleUsage,
} from './settlement/settle-usage.ts';
export type { ChargeFacts, UsageCharge, UsageCredit, UsageItem } from './settlement/usage-charge.ts';
export {
  BeyondLookBack,
  DEFAULT_USAGE_CONFIG,
  ItemMode,
  inDryRun,
  LateMode,
  NegativeDelta,
  negativeDeltaOf,
  type UsageConfig,
  usageSettings,
} from './settlement/usage-config.ts';
export { planUsage, type UsagePlan } from './settlement/usage-plan.ts';
export { type SuppliedBySubscription, UsageSources } from './sources/usage-sources.ts';
export { isComparable } from './supplied/planned-spans.ts';
export {
  type MeteredSubscription,
  type SourceQuestion,
  sourceQuestion,
} from './supplied/source-question.ts';
export { SuppliedBook } from './supplied/supplied-book.ts';
export type { SuppliedUsage } from './supplied/supplied-usage.ts';
export { passedThresholds, type ThresholdPassed } from './terms/passed-thresholds.ts';
export { readUsageTerms } from './terms/read-usage-terms.ts';
export {
  mayHaveMinimum,
  mayPassThresholds,
  NO_TERMS,
  termsOf,
  type UsageTerms,
} from './terms/section-terms.ts';
export { UnbilledReason } from './unbilled/unbilled-reason.ts';
export { type UnbilledUsage, unbilledUsage } from './unbilled/unbilled-usage.ts';
