import * as accounts from './accounts.ts';
import * as catalogs from './catalogs.ts';
import * as cells from './cells.ts';
import * as coupons from './coupons.ts';
import * as features from './features.ts';
import * as invoices from './invoices.ts';
import * as monitoring from './monitoring.ts';
import * as moves from './moves.ts';
import * as payments from './payments.ts';
import * as queue from './queue.ts';
import type { TableSpec } from './record-table.ts';
import { storedFiguresTable } from './reports.ts';
import * as security from './security.ts';
import * as subscriptions from './subscriptions.ts';
import * as system from './system.ts';
import * as tags from './tags.ts';
import * as usage from './usage/usage.ts';
import * as usageArchive from './usage/usage-archive.ts';
import { usageIntervalsTable } from './usage/usage-intervals.ts';

export const tables: readonly TableSpec[] = [
  system.tenantsTable,
  cells.cellsTable,
  cells.tenantPlacesTable,
  moves.tenantMovesTable,
  moves.tenantMoveLogTable,
  security.usersTable,
  security.rolesTable,
  security.apiClientsTable,
  security.loginSessionsTable,
  security.loginFailuresTable,
  security.signingKeysTable,
  system.idempotencyKeysTable,
  system.testClockTable,
  system.countersTable,
  system.keyValuesTable,
  system.signingSecretsTable,
  system.sellersTable,
  accounts.accountsTable,
  accounts.accountEmailsTable,
  catalogs.catalogVersionsTable,
  catalogs.catalogPartsTable,
  catalogs.overridePlansTable,
  catalogs.catalogEntriesTable,
  catalogs.planRowsTable,
  subscriptions.bundlesTable,
  subscriptions.formerBundleKeysTable,
  subscriptions.subscriptionsTable,
  subscriptions.lifecycleEventsTable,
  subscriptions.blockingStatesTable,
  coupons.couponsTable,
  coupons.redemptionsTable,
  features.featureOverridesTable,
  features.quotaCountersTable,
  features.quotaUsesTable,
  features.featureStatesTable,
  invoices.invoicesTable,
  invoices.invoiceItemsTable,
  invoices.coverageTable,
  invoices.cursorsTable,
  invoices.invoicingStatesTable,
  invoices.invoiceAnnouncementsTable,
  invoices.creditNotesTable,
  invoices.eInvoiceDeliveriesTable,
  payments.paymentMethodsTable,
  payments.paymentsTable,
  payments.paymentTransactionsTable,
  payments.paymentAttemptsTable,
  payments.invoicePaymentsTable,
  payments.autoPayHoldsTable,
  accounts.overdueAccountsTable,
  usage.usageUnitsTable,
  usage.usageKeysTable,
  usage.usagePointsTable,
  usage.usageDaysTable,
  usageIntervalsTable,
  usageArchive.archivedPiecesTable,
  usageArchive.archivedIdsTable,
  usage.usageMarksTable,
  usage.usageThresholdsTable,
  tags.tagDefinitionsTable,
  tags.tagsTable,
  tags.customFieldsTable,
  storedFiguresTable,
  queue.queueEntriesTable,
  queue.queueHistoryTable,
  queue.pushDeliveriesTable,
  queue.pushCursorsTable,
  queue.pushLeasesTable,
  queue.sinksTable,
  queue.sinkCursorsTable,
  queue.sinkDeliveriesTable,
  queue.sinkLeasesTable,
  monitoring.nodesTable,
  monitoring.accessLogTable,
  monitoring.samplesTable,
  monitoring.broadcastsTable,
  monitoring.pluginSwitchesTable,
  system.auditLogTable,
];
