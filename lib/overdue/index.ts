export {
  ConfigChangeHandler,
  clearsOfExemptAccounts,
  OverdueHandler,
  OwnTransactions,
} from './checks/overdue-handlers.ts';
export {
  CancellationPolicy,
  CLEAR_STATE_NAME,
  controlTagNames,
  defaultOverdueConfig,
  enterableStates,
  type OverdueConditionDefinition,
  type OverdueConfig,
  type OverdueDefinition,
  type OverdueState,
  type OverdueStateDefinition,
} from './config/overdue-config.ts';
export { checkOverdueConfig, OverdueFormat } from './config/read-config.ts';
export { billingSnapshot, evaluateOverdue, nextCheckDate } from './evaluation/evaluate.ts';
export {
  loadOverdueFacts,
  type OverdueConfigOf,
  OverdueConfigs,
  type OverdueFacts,
} from './loading/overdue-facts.ts';
export type {
  NewOverdueCondition,
  NewOverdueDefinition,
  NewOverdueState,
  OverdueAccountOperations,
  OverdueAccountsRequest,
  OverdueAccountView,
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
export {
  definitionText,
  OverdueAccountService,
  OverdueConfigService,
} from './operations/overdue-services.ts';
export { checkKey, jobsOfEvents, overdueNotification } from './triggers/overdue-jobs.ts';
