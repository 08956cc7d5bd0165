export {
  CancellationPolicy,
  CLEAR_STATE_NAME,
  defaultOverdueConfig,
  type EnterableState,
  enterableStates,
  type OverdueConfig,
  type OverdueState,
} from './config/overdue-config.ts';
export { overdueXmlText, readOverdueJson, readOverdueXml } from './config/read-config.ts';
export {
  type OverdueConditionDefinition,
  type OverdueDefinition,
  type OverdueStateDefinition,
  overdueDefinition,
  wholeDays,
  writeOverdueXml,
} from './config/write-config.ts';
export {
  type BillingSnapshot,
  billingSnapshot,
  type SnapshotFacts,
  type UnpaidInvoice,
} from './evaluation/billing-snapshot.ts';
export { type CalendarInput, type CalendarStep, overdueCalendar } from './evaluation/calendar.ts';
export { type EffectiveInput, effectiveOf } from './evaluation/effective-date.ts';
export { evaluateOverdue } from './evaluation/evaluate.ts';
export { type CheckedAccount, needsNoCheck, nextCheckDate } from './evaluation/next-check.ts';
export {
  type CriterionReason,
  type ReasonsInput,
  type StateReasons,
  stateReasons,
} from './evaluation/reasons.ts';
export {
  blockOf,
  InvoicingOffStep,
  type OverdueBlock,
  type OverdueChange,
  type OverdueTransition,
  planTransition,
  type TransitionInput,
} from './evaluation/transition.ts';
