import { CheckService } from '../check/service.ts';
import { AccountCreditService } from '../invoicing/account-credit-service.ts';
import { CatalogChangeHandler } from '../invoicing/catalog-change-handler.ts';
import { ChangeReports } from '../invoicing/change-report.ts';
import { CoverageService } from '../invoicing/coverage-service.ts';
import { CreditDeletionService } from '../invoicing/credit-deletion-service.ts';
import { DryRunService } from '../invoicing/dry-run-service.ts';
import { ExplanationService } from '../invoicing/explanation-service.ts';
import { InvoiceReadService } from '../invoicing/invoice-read-service.ts';
import { InvoiceStatusService } from '../invoicing/invoice-status-service.ts';
import { ManualItemService } from '../invoicing/manual-item-service.ts';
import { MigrationInvoiceService } from '../invoicing/migration-invoice-service.ts';
import { ParentCommitHandler } from '../invoicing/parent-commit-handler.ts';
import { ParentSummaryHandler } from '../invoicing/parent-summary-handler.ts';
import { InvoiceRunHandler } from '../invoicing/run-handler.ts';
import { InvoiceRunService } from '../invoicing/run-service.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** Invoices and credit, and the reports on them. */
export function invoicingArea({ ports, catalogs, settingsOf, invoicingConfig }: Foundation) {
  const invoices = new InvoiceReadService(ports, catalogs);
  const runs = new InvoiceRunService(ports, catalogs, { configOf: invoicingConfig, invoices });
  const dryRuns = new DryRunService(ports, catalogs, invoicingConfig);
  const migrationInvoices = new MigrationInvoiceService(ports, invoices);
  const manualItems = methodsOf(
    new ManualItemService(ports, catalogs),
    'addCharges',
    'addTaxes',
    'addCredits',
    'getCredit',
    'adjustItem',
  );
  const creditDeletion = new CreditDeletionService(ports);
  const coverage = new CoverageService(ports, catalogs, invoicingConfig);
  const changeReports = new ChangeReports(ports, catalogs, invoicingConfig);
  return {
    checks: new CheckService(ports, catalogs, invoicingConfig),
    changeReport: changeReports.report.bind(changeReports),
    credit: new AccountCreditService(ports),
    handlers: [
      new InvoiceRunHandler(ports, runs, catalogs),
      new CatalogChangeHandler(ports, catalogs, invoicingConfig),
      new ParentSummaryHandler(ports, settingsOf),
      new ParentCommitHandler(ports),
    ],
    operations: {
      invoices: {
        ...methodsOf(runs, 'generate'),
        ...methodsOf(dryRuns, 'dryRun'),
        ...methodsOf(invoices, 'get', 'ofAccount', 'page', 'pageOfAccount'),
        ...methodsOf(new ExplanationService(ports), 'explain'),
        ...manualItems,
        deleteCredit: creditDeletion.delete.bind(creditDeletion),
        createMigrationInvoice: migrationInvoices.create.bind(migrationInvoices),
        ...methodsOf(new InvoiceStatusService(ports), 'commit', 'void'),
        verifyCoverage: coverage.verify.bind(coverage),
      },
    },
  };
}
