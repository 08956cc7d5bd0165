import { accountEmailsTable, accountsTable } from './accounts.ts';
import { catalogEntriesTable, planRowsTable } from './catalog-entries.ts';
import { catalogPartsTable, catalogVersionsTable, overridePlansTable } from './catalogs.ts';
import { creditNotesTable } from './credit-notes.ts';
import { customFieldsTable } from './custom-fields.ts';
import { idempotencyKeysTable } from './idempotency.ts';
import {
  coverageTable,
  cursorsTable,
  invoiceItemsTable,
  invoicesTable,
  invoicingStatesTable,
  toldInvoicesTable,
} from './invoices.ts';
import { keyValuesTable } from './key-values.ts';
import { accessLogTable, samplesTable } from './monitoring.ts';
import { broadcastsTable, nodesTable, pluginSwitchesTable } from './nodes.ts';
import { overdueAccountsTable } from './overdue.ts';
import {
  autoPayHoldsTable,
  invoicePaymentsTable,
  paymentAttemptsTable,
  paymentMethodsTable,
  paymentsTable,
  paymentTransactionsTable,
} from './payments.ts';
import {
  pushCursorsTable,
  pushDeliveriesTable,
  pushLeasesTable,
  queueEntriesTable,
  queueHistoryTable,
  sinkCursorsTable,
  sinkDeliveriesTable,
  sinkLeasesTable,
  sinksTable,
} from './queue.ts';
import type { TableSpec } from './record-table.ts';
import {
  apiClientsTable,
  loginFailuresTable,
  loginSessionsTable,
  rolesTable,
  signingKeysTable,
  usersTable,
} from './security.ts';
import { signingSecretsTable } from './signing-secrets.ts';
import {
  blockingStatesTable,
  bundlesTable,
  formerBundleKeysTable,
  lifecycleEventsTable,
  subscriptionsTable,
} from './subscriptions.ts';
import { auditLogTable, countersTable, tenantsTable, testClockTable } from './system.ts';
import { tagDefinitionsTable, tagsTable } from './tags.ts';
import { usageDaysTable, usageKeysTable, usagePointsTable, usageUnitsTable } from './usage/usage.ts';
import { archivedIdsTable, archivedPiecesTable } from './usage/usage-archive.ts';
import { usageIntervalsTable } from './usage/usage-intervals.ts';
import { usageMarksTable, usageThresholdsTable } from './usage/usage-thresholds.ts';

export const tables: readonly TableSpec[] = [
  tenantsTable,
  usersTable,
  rolesTable,
  apiClientsTable,
  loginSessionsTable,
  loginFailuresTable,
  signingKeysTable,
  idempotencyKeysTable,
  testClockTable,
  countersTable,
  keyValuesTable,
  signingSecretsTable,
  accountsTable,
  accountEmailsTable,
  catalogVersionsTable,
  catalogPartsTable,
  overridePlansTable,
  catalogEntriesTable,
  planRowsTable,
  bundlesTable,
  formerBundleKeysTable,
  subscriptionsTable,
  lifecycleEventsTable,
  blockingStatesTable,
  invoicesTable,
  invoiceItemsTable,
  coverageTable,
  cursorsTable,
  invoicingStatesTable,
  toldInvoicesTable,
  creditNotesTable,
  paymentMethodsTable,
  paymentsTable,
  paymentTransactionsTable,
  paymentAttemptsTable,
  invoicePaymentsTable,
  autoPayHoldsTable,
  overdueAccountsTable,
  usageUnitsTable,
  usageKeysTable,
  usagePointsTable,
  usageDaysTable,
  usageIntervalsTable,
  archivedPiecesTable,
  archivedIdsTable,
  usageMarksTable,
  usageThresholdsTable,
  tagDefinitionsTable,
  tagsTable,
  customFieldsTable,
  queueEntriesTable,
  queueHistoryTable,
  pushDeliveriesTable,
  pushCursorsTable,
  pushLeasesTable,
  sinksTable,
  sinkCursorsTable,
  sinkDeliveriesTable,
  sinkLeasesTable,
  nodesTable,
  accessLogTable,
  samplesTable,
  broadcastsTable,
  pluginSwitchesTable,
  auditLogTable,
];
