export {
  type FreedPoints,
  piecesNeeded,
  UsageLedger,
  type UsageLedgerInput,
  type UsagePiece,
} from './collecting/usage-ledger.ts';
export { usageWindow } from './collecting/usage-window.ts';
export { knownUnits, latestEnd, nextUsageDates, openEnds } from './intervals/usage-intervals.ts';
export { archiveOperations } from './operations/archive-service.ts';
export { bulkOperations } from './operations/bulk-service.ts';
export { recordingOperations } from './operations/recording-service.ts';
export { rollUpOperations } from './operations/roll-up-service.ts';
export { readThresholdLook, recordCausedUsage } from './operations/store-submissions.ts';
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
export { UnknownUnitPolicy } from './operations/usage-operations.ts';
export { type SuppliedBySubscription, UsageSources } from './operations/usage-sources.ts';
export { type Quantities, unitsOf } from './rating/quantities.ts';
export { rateUsage, TermLine } from './rating/rate-usage.ts';
export {
  mayHaveMinimum,
  mayPassThresholds,
  NO_TERMS,
  passedThresholds,
  readUsageTerms,
  type ThresholdPassed,
  termsOf,
  type UsageTerms,
} from './rating/usage-terms.ts';
export { LineStatus, type ReportedLine, type UsageReport } from './recording/line-report.ts';
export { type SubmittedLine, UnreadableLine } from './recording/read-submission.ts';
export { OnDuplicate, RecordingFaultCode } from './recording/recording-faults.ts';
export { type Bounds, boundsIn, type RequestedBounds, UsageGranularity } from './roll-up/usage-buckets.ts';
export type { BilledEntry, BilledInterval, PlannedInterval } from './settlement/billed-interval.ts';
export type { UsageCharge, UsageCredit } from './settlement/settle-interval.ts';
export { type SettledInterval, type SettledUsage, settleUsage } from './settlement/settle-usage.ts';
export { creditedDates, type SettledSuperseded } from './settlement/superseded-usage.ts';
export {
  DEFAULT_USAGE_CONFIG,
  inDryRun,
  LateMode,
  negativeDeltaOf,
  type UsageConfig,
  usageSettings,
} from './settlement/usage-config.ts';
export { planUsage, type UsagePlan } from './settlement/usage-plan.ts';
export { isComparable, type SourceQuestion, sourceQuestion } from './supplied/source-question.ts';
export { SuppliedLedger } from './supplied/supplied-ledger.ts';
export type { SuppliedUsage } from './supplied/supplied-usage.ts';
export { UnbilledReason, type UnbilledUsage, unbilledUsage } from './unbilled/unbilled-usage.ts';
