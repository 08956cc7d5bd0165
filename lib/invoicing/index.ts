export {
  checkDocumentText,
  type DocumentOptions,
  type DocumentText,
  DocumentTextKind,
  type DocumentTextPreview,
  type DocumentTextUpload,
} from './documents/document-texts.ts';
export type { RenderedInvoice } from './documents/rendered-invoice.ts';
export type { RenderedLine } from './documents/rendered-lines.ts';
export {
  checkDryRun,
  type DryRunRequest,
  DryRunType,
  missingIdError,
  type UpcomingInvoiceRequest,
} from './dry-run/dry-run-request.ts';
export {
  type PreviewedBundle,
  PreviewedChange,
  type PreviewedSubscription,
  type PreviewRequest,
} from './dry-run/preview-request.ts';
export type {
  EInvoiceChoice,
  EInvoiceFile,
  EInvoiceKind,
  EInvoiceRequest,
  NoteEInvoiceRequest,
} from './e-invoices/e-invoice-file.ts';
export {
  type ChangeReportPart,
  type ChangeReportTotals,
  type PriceChange,
  type PriceDifference,
  PriceType,
  type UsagePriceTerms,
} from './evaluation/price-differences.ts';
export { dueEntry } from './evaluation/run-entries.ts';
export type { CalculationStep } from './explanation/basis-calculation.ts';
export {
  type EventFacts,
  type ExplainedRule,
  ExplainedRuleName,
  type ItemEvents,
} from './explanation/event-facts.ts';
export type {
  ExplainedInvoice,
  ExplainedInvoiceItem,
  ForeseenInvoice,
} from './explanation/explained-invoice.ts';
export type { ExplainedFields, ItemExplanation } from './explanation/explanation.ts';
export { followingTaxes } from './invoices/following-taxes.ts';
export {
  type AccountedInvoice,
  accountBalancesAfter,
  amountsAfterPayment,
  balanceOf,
  type CountedItem,
  type CountedPayment,
  initialState,
  invoiceAmounts,
} from './invoices/invoice-amounts.ts';
export {
  type CreditNoteView,
  type InvoiceItemView,
  type InvoiceView,
  viewInvoices,
} from './invoices/invoice-view.ts';
export {
  checkTexts,
  MAX_DESCRIPTION_LENGTH,
  type ManualItem,
  type MigrationItem,
} from './invoices/manual-items.ts';
export { adjustedAmount, isAdjustable, isTaxOfRepair, type NewInvoiceItem } from './invoices/new-item.ts';
export type {
  AccountInvoicesRequest,
  AccountParking,
  CoverageDifference,
  DeleteCreditRequest,
  GenerateRequest,
  InvoiceGroupRequest,
  InvoiceNoteRequest,
  ItemAdjustmentRequest,
  ManualItemsRequest,
  MigrationInvoiceRequest,
  ParkedRun,
} from './invoices/requests.ts';
export type { TaxFacts } from './invoices/tax-facts.ts';
export type { UsedTier, UsedUnit } from './invoices/used-units.ts';
export { loadAccountBilling } from './loading/load-account-billing.ts';
export { loadBalances, loadUnpaidInvoices } from './loading/load-credit-inputs.ts';
export { DocumentSourceLoader, loadViewSources } from './loading/load-invoice-views.ts';
export { billAfterMovedDay, CatalogChangeHandler } from './operations/catalog-change-handler.ts';
export { accountCreditOperations, creditDeletion } from './operations/credit-operations.ts';
export { DryRunService, ratedUsage } from './operations/dry-run-service.ts';
export { eInvoiceDeliveryOperations } from './operations/e-invoice-deliveries.ts';
export { eInvoiceRequestHandler, eInvoiceSendHandler } from './operations/e-invoice-handlers.ts';
export type {
  AccountCreditOperations,
  CatalogReportOperations,
  ChangePreview,
  ChangePreviewOperations,
  CreditNoteOperations,
  InvoiceOperations,
  InvoiceTextOperations,
  RatedUsageRequest,
  UnbilledUsageRequest,
  UsageReviewOperations,
} from './operations/invoice-operations.ts';
export { invoiceStatusOperations } from './operations/invoice-status-operations.ts';
export { manualItemOperations, migrationOperations } from './operations/manual-item-operations.ts';
export { noteOperations } from './operations/note-operations.ts';
export {
  invoiceNoticeHandler,
  purgeInvoiceAnnouncements,
  purgeThresholdAnnouncements,
  thresholdHandler,
} from './operations/notice-handlers.ts';
export { parentCommitHandler, parentSummaryHandler } from './operations/parent-handlers.ts';
export { parkingOperations } from './operations/parking-operations.ts';
export { InvoiceRunHandler } from './operations/run-handler.ts';
export { InvoiceRunService } from './operations/run-service.ts';
export { consultedOperations } from './plugins/consult-about-operations.ts';
export { RegisteredInvoicePlugins } from './plugins/plugin-calls.ts';
export { type InvoicingConfigOf, invoicingConfigOf } from './proposals/invoicing-config.ts';
export { effectiveTargetDate } from './proposals/target-date.ts';
export { rowsOfItem } from './reconciliation/coverage.ts';
export { changeReports } from './review/change-report.ts';
export { coverageOperations, verifyAccounts } from './review/coverage-service.ts';
export {
  creditNoteOperations,
  documentFiles,
  documentTextPreviews,
  invoiceDocuments,
  invoiceTextOperations,
} from './review/document-services.ts';
export { eInvoiceFiles } from './review/e-invoice-service.ts';
export { explanationOperations } from './review/explanation-service.ts';
export { InvoiceReadService } from './review/invoice-read-service.ts';
export { unbilledUsageOperations } from './review/unbilled-usage-service.ts';
export type { RunCounts } from './runs/run-results.ts';
export {
  addAccountCredit,
  adjustUnpaidItems,
  type RefundedItem,
  setWrittenOff,
  withAdjustments,
  writeOffUnpaid,
} from './saving/adjust-invoices.ts';
export { changeInvoices } from './saving/change-invoices.ts';
export { taxRemainders } from './saving/repair-taxes.ts';
