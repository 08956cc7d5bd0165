import { Client } from 'pg';
import type { MoveOptions, MoveParts, MoveResult } from '../../../lib/cells/index.ts';
import { moveTenant, undoMove } from '../../../lib/cells/index.ts';
import type { SystemClock, TenantRef } from '../../../lib/index.ts';
import type { Storage } from '../../../lib/ports/storage/index.ts';
import { SYSTEM_TENANT } from '../../../lib/records/index.ts';
import { MOVE_RENEW_MS } from '../../../lib/values/limits.ts';
import {
  type DatabaseTemplate,
  type OpenDatabase,
  reachingEveryTenant,
  type TestDatabase,
} from '../databases.ts';
import { author, newId, tenant } from '../storage/stored-records.ts';
import { migrated, storageOf } from '../storage.ts';
import { pushableSystemClock } from '../system-time.ts';
import { firstCell, secondCell } from './registered-cells.ts';
import { type Watch, watchedParts } from './watched-parts.ts';

export const cellNames = ['west', 'east'] as const;
export type CellName = (typeof cellNames)[number];

interface WatchedMove extends MoveOptions {
  readonly watch?: Watch;
}

/**
 * Two cells. The first one, `west`, also has the directory and a tenant that is older than the cells. Waits of moves are
 * short.
 */
export interface TwoCells {
  readonly databases: Readonly<Record<CellName, TestDatabase>>;
  readonly storages: Readonly<Record<CellName, Storage<never>>>;
  readonly parts: MoveParts;
  readonly tenant: TenantRef;
  newTenant(cell: CellName): Promise<TenantRef>;
  move(to: CellName, options?: WatchedMove): Promise<MoveResult>;
  undo(options?: WatchedMove): Promise<boolean>;
  /** Returns the cell and the state of the tenant's place. */
  place(): Promise<string>;
  /** Runs a statement as an administrator of the cell, who sees all tenants. */
  sql<Row extends object>(
    cell: CellName,
    statement: string,
    values?: readonly unknown[],
  ): Promise<readonly Row[]>;
  close(): Promise<void>;
}

const OLDER = 'older';

/** A database with a tenant and a payment number, before it becomes a cell. */
const olderTenant: DatabaseTemplate = {
  name: 'older_tenant',
  from: migrated,
  async prepare(database) {
    const storage = storageOf(database);
    await storage.takePaymentNumber(await storage.system.insertTenant(tenant({ apiKey: OLDER }), author()));
    await storage.close();
  },
};

/** A database that has a counter with the same record id before it becomes a cell. */
const olderCounter: DatabaseTemplate = {
  name: 'older_counter',
  from: migrated,
  async prepare(database) {
    const storage = storageOf(database);
    await storage.takePaymentNumber({ id: newId(), recordId: SYSTEM_TENANT.recordId });
    await storage.close();
  },
};

export async function openTwoCells(open: OpenDatabase): Promise<TwoCells> {
  const databases = {
    west: await open(firstCell(olderTenant, cellNames)),
    east: await open(secondCell(olderCounter)),
  };
  const storages = { west: storageOf(databases.west), east: storageOf(databases.east) };
  const directory = storages.west;
  const clients = { west: await connected(databases.west), east: await connected(databases.east) };
  const older = await directory.system.findTenantByApiKey(OLDER);
  if (older === null) throw new Error('The template has no tenant');
  const moved = { id: older.id, recordId: older.recordId };
  const parts = {
    directory,
    cells: new Map<string, Storage<never>>(Object.entries(storages)),
    systemClock: jumpingSystemClock(),
  };
  const newTenant = async (cell: CellName): Promise<TenantRef> => {
    const inserted = await directory.cells.insertTenant(tenant({ apiKey: newId() }), cell);
    await storages[cell].cells.receiveTenant(inserted, author());
    await directory.cells.settle(inserted.recordId);
    return { id: inserted.id, recordId: inserted.recordId };
  };
  return {
    databases,
    storages,
    parts,
    tenant: moved,
    newTenant,
    move: (to, { watch = () => undefined, ...options } = {}) =>
      moveTenant(watchedParts(parts, watch), moved, { to, cleanUpAfterMs: 0, ...options }),
    undo: ({ watch = () => undefined, ...options } = {}) =>
      undoMove(watchedParts(parts, watch), moved, options),
    place: async () => {
      const [place] = await directory.cells.places({ recordIds: [moved.recordId] });
      return `${place?.cell} ${place?.state}`;
    },
    sql: async <Row extends object>(cell: CellName, statement: string, values: readonly unknown[] = []) =>
      (await clients[cell].query<Row>(statement, [...values])).rows,
    close: async () => {
      for (const name of cellNames) {
        await clients[name].end();
        await storages[name].close();
      }
    },
  };
}

async function connected(database: TestDatabase): Promise<Client> {
  if (database.kind !== 'postgresql') throw new Error('Cells need PostgreSQL');
  const client = new Client(reachingEveryTenant(database.url));
  await client.connect();
  return client;
}

/** System time that jumps to the end of each wait, except the waits between the heartbeats of a move. */
function jumpingSystemClock(): SystemClock {
  const clock = pushableSystemClock();
  return {
    ...clock,
    after: (delayMs, action) =>
      delayMs === MOVE_RENEW_MS
        ? clock.after(delayMs, action)
        : clock.after(0, () => {
            clock.push(delayMs);
            action();
          }),
  };
}
