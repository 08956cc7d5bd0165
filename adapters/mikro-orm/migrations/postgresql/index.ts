import type { MigrationObject } from '@mikro-orm/core';
import { Migration20261123000000Initial } from './20261123000000-initial.ts';
import { Migration20261123051120PaymentsWhole } from './20261123051120-payments-whole.ts';
import { Migration20261123090209InvoiceSearch } from './20261123090209-invoice-search.ts';
import { Migration20261123093500CountedInvoices } from './20261123093500-counted-invoices.ts';
import { Migration20261123093605CreditNotes } from './20261123093605-credit-notes.ts';
import { Migration20261123132000CreatedDays } from './20261123132000-created-days.ts';
import { Migration20261123140500OverdueConfig } from './20261123140500-overdue-config.ts';
import { Migration20261123141500OverdueAccounts } from './20261123141500-overdue-accounts.ts';
import { Migration20261123152219Usage } from './20261123152219-usage.ts';
import { Migration20261123163000UsageIntervals } from './20261123163000-usage-intervals.ts';
import { Migration20261123174500SuppliedUsage } from './20261123174500-supplied-usage.ts';
import { Migration20261123181000PushDeliveries } from './20261123181000-push-deliveries.ts';
import { Migration20261123182000UsageArchive } from './20261123182000-usage-archive.ts';
import { Migration20261123190032UsageThresholds } from './20261123190032-usage-thresholds.ts';
import { Migration20261123202258Nodes } from './20261123202258-nodes.ts';
import { Migration20261123204339Monitoring } from './20261123204339-monitoring.ts';
import { Migration20261123204800ToldInvoices } from './20261123204800-told-invoices.ts';
import { Migration20261123205126TraceParents } from './20261123205126-trace-parents.ts';
import { Migration20261123210500Broadcasts } from './20261123210500-broadcasts.ts';
import { Migration20261123213900EventFeed } from './20261123213900-event-feed.ts';
import { Migration20261123221000PushCursors } from './20261123221000-push-cursors.ts';
import { Migration20261123234000SinkCursors } from './20261123234000-sink-cursors.ts';
import { Migration20261123235000PluginSwitches } from './20261123235000-plugin-switches.ts';
import { Migration20261123235500ToldInvoicesAge } from './20261123235500-told-invoices-age.ts';
import { Migration20261124035000ThresholdsAge } from './20261124035000-thresholds-age.ts';

/** The migrations of PostgreSQL, which run in the order of their names. */
export const migrations: readonly MigrationObject[] = [
  { name: '20261123000000-initial', class: Migration20261123000000Initial },
  { name: '20261123051120-payments-whole', class: Migration20261123051120PaymentsWhole },
  { name: '20261123090209-invoice-search', class: Migration20261123090209InvoiceSearch },
  { name: '20261123093500-counted-invoices', class: Migration20261123093500CountedInvoices },
  { name: '20261123093605-credit-notes', class: Migration20261123093605CreditNotes },
  { name: '20261123132000-created-days', class: Migration20261123132000CreatedDays },
  { name: '20261123140500-overdue-config', class: Migration20261123140500OverdueConfig },
  { name: '20261123141500-overdue-accounts', class: Migration20261123141500OverdueAccounts },
  { name: '20261123152219-usage', class: Migration20261123152219Usage },
  { name: '20261123163000-usage-intervals', class: Migration20261123163000UsageIntervals },
  { name: '20261123174500-supplied-usage', class: Migration20261123174500SuppliedUsage },
  { name: '20261123181000-push-deliveries', class: Migration20261123181000PushDeliveries },
  { name: '20261123182000-usage-archive', class: Migration20261123182000UsageArchive },
  { name: '20261123190032-usage-thresholds', class: Migration20261123190032UsageThresholds },
  { name: '20261123202258-nodes', class: Migration20261123202258Nodes },
  { name: '20261123204339-monitoring', class: Migration20261123204339Monitoring },
  { name: '20261123204800-told-invoices', class: Migration20261123204800ToldInvoices },
  { name: '20261123205126-trace-parents', class: Migration20261123205126TraceParents },
  { name: '20261123210500-broadcasts', class: Migration20261123210500Broadcasts },
  { name: '20261123213900-event-feed', class: Migration20261123213900EventFeed },
  { name: '20261123221000-push-cursors', class: Migration20261123221000PushCursors },
  { name: '20261123234000-sink-cursors', class: Migration20261123234000SinkCursors },
  { name: '20261123235000-plugin-switches', class: Migration20261123235000PluginSwitches },
  { name: '20261123235500-told-invoices-age', class: Migration20261123235500ToldInvoicesAge },
  { name: '20261124035000-thresholds-age', class: Migration20261124035000ThresholdsAge },
];
