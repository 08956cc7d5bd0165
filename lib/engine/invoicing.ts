import { CheckService } from '../check/index.ts';
import {
  AccountCreditService,
  CatalogChangeHandler,
  ChangeReports,
  CoverageService,
  CreditDeletionService,
  DryRunService,
  ExplanationService,
  InvoiceReadService,
  InvoiceRunHandler,
  InvoiceRunService,
  InvoiceStatusService,
  ManualItemService,
  MigrationInvoiceService,
  ParentCommitHandler,
  ParentSummaryHandler,
} from '../invoicing/index.ts';
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
