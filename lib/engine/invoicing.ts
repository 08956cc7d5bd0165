import { dataChecks } from '../check/index.ts';
import {
  CatalogChangeHandler,
  changeReports,
  consultedOperations,
  coverageOperations,
  creditDeletion,
  creditNoteOperations,
  DocumentSourceLoader,
  DryRunService,
  documentFiles,
  documentTextPreviews,
  eInvoiceDeliveryOperations,
  eInvoiceFiles,
  eInvoiceRequestHandler,
  eInvoiceSendHandler,
  explanationOperations,
  InvoiceReadService,
  InvoiceRunHandler,
  InvoiceRunService,
  invoiceDocuments,
  invoiceNoticeHandler,
  invoiceStatusOperations,
  manualItemOperations,
  migrationOperations,
  noteOperations,
  parentCommitHandler,
  parentSummaryHandler,
  parkingOperations,
  ratedUsage,
  thresholdHandler,
  unbilledUsageOperations,
} from '../invoicing/index.ts';
import { paymentConfigOf } from '../payments/index.ts';
import type { KeyValueService } from '../tenants/index.ts';
import { bindMethods } from './bind-methods.ts';
import type { Foundation } from './foundation.ts';

/** Returns the operations on invoices and the reports on them. */
export function invoicingArea(foundation: Foundation, keyValues: KeyValueService) {
  const { ports, catalogs, settingsOf, invoicingConfig, overdueConfigs } = foundation;
  const tools = {
    configOf: invoicingConfig,
    plugins: foundation.invoicePlugins,
    sources: foundation.usageSources,
  };
  const invoices = new InvoiceReadService(ports, catalogs, {
    settingsOf,
    catalogPlugins: foundation.settings.plugins,
  });
  const operations = consultedOperations({ ports, ...tools });
  const runs = new InvoiceRunService(ports, catalogs, { ...tools, invoices });
  const sources = new DocumentSourceLoader(ports, catalogs, settingsOf);
  const files = documentFiles(ports);
  const creditNotes = creditNoteOperations(ports, settingsOf, { sources, files });
  const sender = ports.eInvoiceSender;
  const eInvoices = eInvoiceFiles(ports, { sources, files, noteOf: creditNotes.get });
  const dryRuns = new DryRunService(ports, catalogs, tools);
  return {
    runCounts: runs.counts,
    checks: dataChecks(ports, catalogs, {
      invoicing: invoicingConfig,
      payments: paymentConfigOf(settingsOf),
      overdue: overdueConfigs.configOf,
    }),
    reports: changeReports(ports, catalogs, invoicingConfig),
    usageReviews: {
      ...ratedUsage(ports, catalogs, { configOf: invoicingConfig, dryRuns }),
      ...unbilledUsageOperations(ports, catalogs, invoicingConfig),
    },
    previews: bindMethods(dryRuns, 'preview'),
    textPreviews: documentTextPreviews(ports, sources, keyValues),
    handlers: [
      new InvoiceRunHandler(ports, { configOf: invoicingConfig, catalogs, runs }),
      new CatalogChangeHandler(ports, catalogs, invoicingConfig),
      parentSummaryHandler(ports, settingsOf),
      parentCommitHandler(ports),
      invoiceNoticeHandler(ports, { configOf: invoicingConfig, dryRuns }),
      thresholdHandler(ports, catalogs, tools),
      ...(sender === undefined
        ? []
        : [
            eInvoiceRequestHandler(ports, settingsOf),
            eInvoiceSendHandler(ports, { settingsOf, eInvoices, sender }),
          ]),
    ],
    operations: {
      creditNotes: { ...creditNotes, eInvoice: eInvoices.ofNote },
      invoices: {
        ...bindMethods(runs, 'generate', 'generateGroup'),
        ...parkingOperations(ports, runs),
        ...bindMethods(invoices),
        ...bindMethods(dryRuns, 'dryRun', 'upcoming'),
        ...explanationOperations(ports),
        ...invoiceDocuments(ports, sources, files),
        eInvoice: eInvoices.ofInvoice,
        ...eInvoiceDeliveryOperations(ports),
        ...manualItemOperations(ports, catalogs, operations),
        ...creditDeletion(operations),
        ...migrationOperations(invoices, operations),
        ...invoiceStatusOperations(operations),
        ...noteOperations(ports),
        ...coverageOperations(ports, catalogs, invoicingConfig),
      },
    },
  };
}
