export { AccountCreditService } from './changes/account-credit-service.ts';
export { addAccountCredit } from './changes/add-account-credit.ts';
export { adjustUnpaidItems } from './changes/adjust-unpaid-items.ts';
export { changeInvoices } from './changes/change-invoices.ts';
export { CreditDeletionService } from './changes/credit-deletion-service.ts';
export { InvoiceStatusService } from './changes/invoice-status-service.ts';
export { ManualItemService } from './changes/manual-item-service.ts';
export { MigrationInvoiceService } from './changes/migration-invoice-service.ts';
export { ParentCommitHandler } from './changes/parent-commit-handler.ts';
export { ParentSummaryHandler } from './changes/parent-summary-handler.ts';
export { type RefundedItem, withAdjustments } from './changes/with-adjustments.ts';
export { setWrittenOff, writeOffUnpaid } from './changes/write-off.ts';
export { ConsultedOperations } from './consulting/consulted-operations.ts';
export { RegisteredInvoicePlugins } from './consulting/registered-plugins.ts';
export { RunConsultation } from './consulting/run-consultation.ts';
export { UsageConsultation } from './consulting/usage-consultation.ts';
export type { RenderedInvoice, RenderedLine } from './documents/rendered-invoice.ts';
export { checkDocumentText, DocumentTextKind } from './documents/text-keys.ts';
export { type DryRunRequest, DryRunType } from './dry-run/dry-run-request.ts';
export { DryRunService } from './dry-run/dry-run-service.ts';
export { InvoiceNoticeHandler } from './dry-run/invoice-notice-handler.ts';
export { purgeToldInvoices } from './dry-run/purge-told-invoices.ts';
export { purgeToldThresholds } from './dry-run/purge-told-thresholds.ts';
export { RatedUsageService } from './dry-run/rated-usage-service.ts';
export { ThresholdHandler } from './dry-run/threshold-handler.ts';
export type { PriceDifference, UsagePriceTerms } from './evaluation/price-difference.ts';
export { PriceType } from './evaluation/price-difference.ts';
export { dueEntry } from './evaluation/run-trigger.ts';
export type { CalculationStep } from './explanation/basis-calculation.ts';
export type { EventFacts, ItemEvents } from './explanation/event-facts.ts';
export { type ExplainedRule, ExplainedRuleName } from './explanation/explained-rules.ts';
export type { ItemExplanation } from './explanation/explanation.ts';
export type { CreditNoteView } from './invoices/credit-note-view.ts';
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
export { type InvoiceItemView, type InvoiceView, viewInvoices } from './invoices/invoice-view.ts';
export { adjustedAmount, isAdjustable } from './invoices/item-adjustment.ts';
export { checkTexts, MAX_DESCRIPTION_LENGTH, type ManualItem } from './invoices/manual-items.ts';
export type { MigrationItem } from './invoices/migration-items.ts';
export type { NewInvoiceItem } from './invoices/new-item.ts';
export { loadBalances } from './loading/load-balances.ts';
export { DocumentSourceLoader } from './loading/load-document-source.ts';
export { loadViewSources } from './loading/load-invoice-views.ts';
export { loadUnpaidInvoices } from './loading/load-open-invoices.ts';
export { type InvoicingConfigOf, invoicingConfigOf } from './loading/tenant-invoicing-config.ts';
export type { AccountCreditOperations } from './operations/account-credit-operations.ts';
export type {
  CatalogReportOperations,
  ChangeReportPart,
  ChangeReportTotals,
  PriceChange,
} from './operations/catalog-report-operations.ts';
export type { CreditNoteOperations } from './operations/credit-note-operations.ts';
export type {
  AccountInvoicesRequest,
  AccountParking,
  CoverageDifference,
  DeleteCreditRequest,
  GenerateRequest,
  InvoiceGroupRequest,
  InvoiceOperations,
  ItemAdjustmentRequest,
  ManualItemsRequest,
  MigrationInvoiceRequest,
  ParkedRun,
} from './operations/invoice-operations.ts';
export type {
  DocumentText,
  DocumentTextUpload,
  InvoiceTextOperations,
} from './operations/invoice-text-operations.ts';
export type {
  RatedUsageRequest,
  UnbilledUsageRequest,
  UsageReviewOperations,
} from './operations/usage-review-operations.ts';
export { effectiveTargetDate } from './periods/target-date.ts';
export { rowsOfItem } from './reconciliation/apply-to-coverage.ts';
export { ChangeReports } from './review/change-report.ts';
export { CoverageService } from './review/coverage-service.ts';
export { CreditNoteService } from './review/credit-note-service.ts';
export { DocumentFiles } from './review/document-files.ts';
export { ExplanationService } from './review/explanation-service.ts';
export { InvoiceDocumentService } from './review/invoice-document-service.ts';
export { InvoiceReadService } from './review/invoice-read-service.ts';
export { InvoiceTextService } from './review/invoice-text-service.ts';
export { UnbilledUsageService } from './review/unbilled-usage-service.ts';
export { verifyAccounts } from './review/verify-coverage.ts';
export { billAfterMovedDay } from './runs/bill-after-moved-day.ts';
export { CatalogChangeHandler } from './runs/catalog-change-handler.ts';
export { ParkedRunService } from './runs/parked-run-service.ts';
export { ParkingService } from './runs/parking-service.ts';
export type { RunCounts } from './runs/run-counts.ts';
export { InvoiceRunHandler } from './runs/run-handler.ts';
export { InvoiceRunService } from './runs/run-service.ts';
