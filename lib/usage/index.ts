export { UsageBook, type UsageBookInput } from './collecting/usage-book.ts';
export {
  type ConsumingInterval,
  type DayUsage,
  type FreedPoints,
  type PartOfDay,
  type PiecesInput,
  type PiecesNeeded,
  type PointRange,
  piecesNeeded,
  type SplitRequest,
  type UsagePiece,
} from './collecting/usage-pieces.ts';
export { type UsageWindowInput, usageWindow } from './collecting/usage-window.ts';
export {
  type BilledTime,
  billedTimes,
  countsAt,
  isWithin,
  type PointInTime,
} from './intervals/billed-time.ts';
export { nextUsageDates, type OpenEndsInput, openEnds } from './intervals/open-ends.ts';
export { knownUnits, latestEnd, type UsageInterval } from './intervals/usage-intervals.ts';
export type { UsageRun } from './intervals/usage-runs.ts';
export { ArchiveService } from './operations/archive-service.ts';
export { BulkService } from './operations/bulk-service.ts';
export { RecordingService } from './operations/recording-service.ts';
export { RollUpService } from './operations/roll-up-service.ts';
export { readThresholdLook } from './operations/store-submissions.ts';
export type {
  ArchivedUsage,
  ArchiveRequest,
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
  UsageArchiveOperations,
  UsageOperations,
} from './operations/usage-operations.ts';
export { type SuppliedBySubscription, UsageSources } from './operations/usage-sources.ts';
export { NO_USAGE, type Quantities, quantitiesOf, type UsageSum, unitsOf } from './rating/quantities.ts';
export { type RatingInput, rateUsage, TermLine } from './rating/rate-usage.ts';
export {
  type BlockLine,
  type Overflow,
  OverflowPolicy,
  type PeakLine,
  type RatedUsage,
} from './rating/rated-usage.ts';
export { readUsageTerms } from './rating/read-usage-terms.ts';
export {
  mayHaveMinimum,
  mayPassThresholds,
  NO_TERMS,
  passedThresholds,
  type ThresholdPassed,
  termsOf,
  type UsageTerms,
} from './rating/usage-terms.ts';
export { LineStatus, type ReportedLine, type UsageReport } from './recording/line-report.ts';
export { type SubmittedLine, UnreadableLine } from './recording/read-submission.ts';
export { OnDuplicate, RecordingFaultCode } from './recording/recording-faults.ts';
export { type Bounds, boundsIn, type RequestedBounds, UsageGranularity } from './roll-up/usage-buckets.ts';
export type {
  BilledEntry,
  BilledInterval,
  BilledOfSection,
  PlannedInterval,
} from './settlement/billed-interval.ts';
export type { CollectedUsage } from './settlement/late-usage.ts';
export type { ChargeFacts, UsageCharge, UsageCredit, UsageItem } from './settlement/settle-interval.ts';
export { creditedDates, type SettledSuperseded } from './settlement/settle-superseded.ts';
export {
  type Consumption,
  type SettledInterval,
  type SettledUsage,
  settleUsage,
} from './settlement/settle-usage.ts';
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
export {
  isComparable,
  type MeteredSubscription,
  type SourceQuestion,
  sourceQuestion,
} from './supplied/source-question.ts';
export { SuppliedBook } from './supplied/supplied-book.ts';
export type { SuppliedUsage } from './supplied/supplied-usage.ts';
export { type UnbilledUsage, unbilledUsage } from './unbilled/unbilled-usage.ts';
export { UnbilledReason } from './unbilled/why-unbilled.ts';
