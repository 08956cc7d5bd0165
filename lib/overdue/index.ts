export { ConfigChangeHandler } from './checks/config-change-handler.ts';
export { clearsOfLeftOvers } from './checks/left-over-states.ts';
export { OverdueHandler } from './checks/overdue-handler.ts';
export { OwnTransactions } from './checks/own-transactions.ts';
export { checkOverdueConfig, OverdueFormat } from './config/document-format.ts';
export {
  CancellationPolicy,
  CLEAR_STATE_NAME,
  controlTagNames,
  defaultOverdueConfig,
  enterableStates,
  type OverdueConfig,
  type OverdueState,
} from './config/overdue-config.ts';
export type {
  OverdueConditionDefinition,
  OverdueDefinition,
  OverdueStateDefinition,
} from './config/write-config.ts';
export { billingSnapshot } from './evaluation/billing-snapshot.ts';
export { evaluateOverdue } from './evaluation/evaluate.ts';
export { nextCheckDate } from './evaluation/next-check.ts';
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
export { checkKey, overdueNotification } from './triggers/overdue-jobs.ts';
