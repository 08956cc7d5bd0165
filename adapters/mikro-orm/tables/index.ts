import * as accounts from './accounts.ts';
import * as catalogEntries from './catalog-entries.ts';
import * as catalogs from './catalogs.ts';
import { creditNotesTable } from './credit-notes.ts';
import { customFieldsTable } from './custom-fields.ts';
import { idempotencyKeysTable } from './idempotency.ts';
import * as invoices from './invoices.ts';
import { keyValuesTable } from './key-values.ts';
import * as monitoring from './monitoring.ts';
import * as nodes from './nodes.ts';
import { overdueAccountsTable } from './overdue.ts';
import * as payments from './payments.ts';
import * as queue from './queue.ts';
import type { TableSpec } from './record-table.ts';
import * as security from './security.ts';
import { signingSecretsTable } from './signing-secrets.ts';
import * as subscriptions from './subscriptions.ts';
import * as system from './system.ts';
import * as tags from './tags.ts';
import * as usage from './usage/usage.ts';
import * as usageArchive from './usage/usage-archive.ts';
import { usageIntervalsTable } from './usage/usage-intervals.ts';
import * as usageThresholds from './usage/usage-thresholds.ts';

export const tables: readonly TableSpec[] = [
  system.tenantsTable,
  security.usersTable,
  security.rolesTable,
  security.apiClientsTable,
  security.loginSessionsTable,
  security.loginFailuresTable,
  security.signingKeysTable,
  idempotencyKeysTable,
  system.testClockTable,
  system.countersTable,
  keyValuesTable,
  signingSecretsTable,
  accounts.accountsTable,
  accounts.accountEmailsTable,
  catalogs.catalogVersionsTable,
  catalogs.catalogPartsTable,
  catalogs.overridePlansTable,
  catalogEntries.catalogEntriesTable,
  catalogEntries.planRowsTable,
  subscriptions.bundlesTable,
  subscriptions.formerBundleKeysTable,
  subscriptions.subscriptionsTable,
  subscriptions.lifecycleEventsTable,
  subscriptions.blockingStatesTable,
  invoices.invoicesTable,
  invoices.invoiceItemsTable,
  invoices.coverageTable,
  invoices.cursorsTable,
  invoices.invoicingStatesTable,
  invoices.toldInvoicesTable,
  creditNotesTable,
  payments.paymentMethodsTable,
  payments.paymentsTable,
  payments.paymentTransactionsTable,
  payments.paymentAttemptsTable,
  payments.invoicePaymentsTable,
  payments.autoPayHoldsTable,
  overdueAccountsTable,
  usage.usageUnitsTable,
  usage.usageKeysTable,
  usage.usagePointsTable,
  usage.usageDaysTable,
  usageIntervalsTable,
  usageArchive.archivedPiecesTable,
  usageArchive.archivedIdsTable,
  usageThresholds.usageMarksTable,
  usageThresholds.usageThresholdsTable,
  tags.tagDefinitionsTable,
  tags.tagsTable,
  customFieldsTable,
  queue.queueEntriesTable,
  queue.queueHistoryTable,
  queue.pushDeliveriesTable,
  queue.pushCursorsTable,
  queue.pushLeasesTable,
  queue.sinksTable,
  queue.sinkCursorsTable,
  queue.sinkDeliveriesTable,
  queue.sinkLeasesTable,
  nodes.nodesTable,
  monitoring.accessLogTable,
  monitoring.samplesTable,
  nodes.broadcastsTable,
  nodes.pluginSwitchesTable,
  system.auditLogTable,
];
