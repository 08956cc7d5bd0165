export { OverdueHandler } from './checks/overdue-handler.ts';
export { OwnTransactions } from './checks/own-transactions.ts';
export { checkOverdueConfig, OverdueFormat } from './config/document-format.ts';
export {
  CancellationPolicy,
  CLEAR_STATE_NAME,
  controlTagNames,
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
export { isWorse } from './evaluation/severity.ts';
export {
  blockOf,
  InvoicingOffStep,
  type OverdueBlock,
  type OverdueChange,
  type OverdueTransition,
  planTransition,
  type TransitionInput,
} from './evaluation/transition.ts';
export { type OverdueConfigOf, OverdueConfigs } from './loading/overdue-configs.ts';
export { loadOverdueFacts, type OverdueFacts } from './loading/overdue-facts.ts';
export { definitionText } from './operations/definition-text.ts';
export type {
  OverdueAccountOperations,
  OverdueCriterionReason,
  OverdueExplanation,
  OverdueInvoice,
  OverduePreview,
  OverdueReason,
  OverdueStateView,
  OverdueStep,
} from './operations/overdue-account-operations.ts';
export { OverdueAccountService } from './operations/overdue-account-service.ts';
export type {
  NewOverdueCondition,
  NewOverdueDefinition,
  NewOverdueState,
  OverdueConfigOperations,
  OverdueUploadOptions,
} from './operations/overdue-config-operations.ts';
export { OverdueConfigService } from './operations/overdue-config-service.ts';
export type { OverdueOperations } from './operations/overdue-operations.ts';
export { askedByEvents } from './triggers/asked-by-events.ts';
export { checkKey, overdueNotification, readOverdueJob } from './triggers/overdue-jobs.ts';
