export { ConfigChangeHandler, clearsOfLeftOvers } from './checks/config-change-handler.ts';
export { OverdueHandler, OwnTransactions } from './checks/overdue-handler.ts';
export {
  CancellationPolicy,
  CLEAR_STATE_NAME,
  controlTagNames,
  defaultOverdueConfig,
  enterableStates,
  type OverdueConfig,
  type OverdueState,
} from './config/overdue-config.ts';
export { checkOverdueConfig, OverdueFormat } from './config/read-config.ts';
export type {
  OverdueConditionDefinition,
  OverdueDefinition,
  OverdueStateDefinition,
} from './config/write-config.ts';
export { billingSnapshot, evaluateOverdue, nextCheckDate } from './evaluation/evaluate.ts';
export { type OverdueConfigOf, OverdueConfigs } from './loading/overdue-configs.ts';
export { loadOverdueFacts, type OverdueFacts } from './loading/overdue-facts.ts';
export { OverdueAccountService } from './operations/overdue-account-service.ts';
export { definitionText, OverdueConfigService } from './operations/overdue-config-service.ts';
export type {
  NewOverdueCondition,
  NewOverdueDefinition,
  NewOverdueState,
  OverdueAccountOperations,
  OverdueConfigOperations,
  OverdueCriterionReason,
  OverdueExplanation,
  OverdueInvoice,
  OverdueOperations,
  OverduePreview,
  OverdueReason,
  OverdueStateView,
  OverdueStep,
  OverdueUploadOptions,
} from './operations/overdue-operations.ts';
export { askedByEvents, checkKey, overdueNotification } from './triggers/overdue-jobs.ts';
