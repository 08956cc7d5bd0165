import type { PushReads, PushWrites } from '../../../lib/ports/storage/index.ts';
import type { New, PushDelivery } from '../../../lib/records/index.ts';
import { isIn, nothing, sql } from '../sql/sql.ts';
import {
  pushDeliveriesTable as deliveries,
  pushLeasesTable,
  sinkDeliveriesTable,
  sinkLeasesTable,
} from '../tables/queue.ts';
import {
  insertInto,
  ofAccount,
  page,
  select,
  type TenantScope,
  updateRows,
} from '../tables/record-access.ts';

/** Where deliveries of one kind lie, and the leases of those who send them. */
export interface DeliveryTables {
  readonly deliveries: typeof deliveries;
  readonly leases: string;
  /** The sink that they go to; null = the callback of their tenant. */
  readonly sink: string | null;
}

export const callbackTables: DeliveryTables = { deliveries, leases: pushLeasesTable.name, sink: null };

export function sinkTables(name: string): DeliveryTables {
  return { deliveries: sinkDeliveriesTable, leases: sinkLeasesTable.name, sink: name };
}

/** What an attempt, or asking for one, changes. */
export const changing = [
  'state',
  'dueOrder',
  'attempts',
  'failures',
  'attemptedDate',
  'lastStatus',
  'lastError',
  'endedDate',
] as const;

export function pushReads(scope: TenantScope): PushReads {
  return {
    list: async ({ state, eventType, accountId }, request) =>
      page(scope, deliveries, {
        request,
        within: sql`${state === undefined ? nothing : sql`and state = ${state}`}
          ${eventType === undefined ? nothing : sql`and event_type = ${eventType}`}
          ${accountId === undefined ? nothing : sql`and ${ofAccount(scope, accountId)}`}`,
        among: nothing,
      }),
    find: async (id) => (await select(scope, deliveries, isIn('id', 'uuid', [id])))[0] ?? null,
  };
}

/** @param onAsked called when something was made due. */
export function pushWrites(scope: TenantScope, onAsked: () => void): PushWrites {
  return {
    sendAgain: async (delivery, to) => {
      const record = { ...delivery, ...to, state: 'AVAILABLE' as const, failures: 0, endedDate: null };
      await updateRows(scope, deliveries, { properties: [...changing, 'url'], records: [record] });
      onAsked();
    },
  };
}

/** Leaves deliveries to the commit. */
export function leaveDeliveries(scope: TenantScope, written: readonly New<PushDelivery>[]): void {
  if (written.length === 0) return;
  scope.runner.leaveToCommit(scope.runner.run(insertInto(scope, deliveries, written)));
}

/** Leaves deliveries to the event sinks of the host to the commit. */
export function leaveSinkDeliveries(scope: TenantScope, written: readonly New<PushDelivery>[]): void {
  if (written.length === 0) return;
  scope.runner.leaveToCommit(scope.runner.run(insertInto(scope, sinkDeliveriesTable, written)));
}
