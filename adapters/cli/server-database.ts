import { Billing } from '../../lib/billing.ts';
import { cellStorage } from '../../lib/cells/index.ts';
import type { Breach } from '../../lib/check/index.ts';
import type { NewOverdueDefinition } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import type { TenantRef } from '../../lib/records/index.ts';
import type { ConfigurationObject } from '../../lib/tenants/index.ts';
import type { ArchivedUsage } from '../../lib/usage/index.ts';
import { isUuid } from '../../lib/values/ids/index.ts';
import { formatInstant } from '../../lib/values/time/index.ts';
import {
  scryptHasher,
  sha256,
  sharedTestClock,
  systemClock,
  unencrypted,
  uuidGenerator,
} from '../node/index.ts';
import type { ServerDefinition } from '../server/index.ts';
import { pluginsOf } from './configuration/definition.ts';
import { cellsOf, openStorage, reachingDatabase } from './database.ts';
import { createLogger } from './logger.ts';
import { UsageError } from './usage-error.ts';

export interface ServerDatabase {
  /** SQLite path or PostgreSQL URL. */
  readonly database: string;
  /** Engine properties by name. */
  readonly configuration: ConfigurationObject;
  /** The server's plugins. */
  readonly definition?: ServerDefinition | undefined;
}

interface Access {
  readonly readOnly?: boolean;
  /** Id or API key of the tenant to which the command is limited. Undefined means all tenants. */
  readonly tenant: string | undefined;
}

type ServerParts = ReturnType<typeof partsOn> & {
  readonly tenant: TenantRef | null;
  /** The name of the cell, or null if there are no cells. */
  readonly cell: string | null;
};

/**
 * Runs a command on the database of a server and closes the storage afterward. With cells, runs it on the cell of the
 * tenant, or on each cell in turn. In test mode, the clock must be refreshed before it shows the server's time.
 */
export async function onServerDatabase<T>(
  { database, configuration, definition = {} }: ServerDatabase,
  { tenant: name, ...access }: Access,
  work: (parts: ServerParts) => Promise<T>,
): Promise<readonly T[]> {
  const cells = cellsOf(definition, database);
  const options = { migrate: false, mustExist: true, ...access };
  const directory = await openStorage(database, options);
  try {
    const tenant = name === undefined ? null : await namedTenant(directory, name);
    const run = (storage: Storage<never>, cell: string | null) =>
      work({ ...pluginsOf(definition), ...partsOn(storage, configuration), tenant, cell });
    if (cells === null) return [await run(directory, null)];
    const [place] = tenant === null ? [] : await directory.cells.places({ recordIds: [tenant.recordId] });
    const results: T[] = [];
    for (const [cell, url] of Object.entries(cells)) {
      if (place !== undefined && place.cell !== cell) continue;
      await reachingDatabase({ database: url }, async () => {
        const storage = await openStorage(url, options);
        try {
          results.push(await run(cellStorage(cell, storage, directory), cell));
        } finally {
          await storage.close();
        }
      });
    }
    return results;
  } finally {
    await directory.close();
  }
}

function partsOn(storage: Storage<never>, configuration: ConfigurationObject) {
  const system = systemClock();
  return {
    storage,
    clock: sharedTestClock(storage.system, system),
    systemClock: system,
    ids: uuidGenerator(),
    hasher: scryptHasher(),
    cipher: unencrypted(),
    sha256,
    logger: createLogger(process.env.BILLWRIGHT_LOG_LEVEL),
    configuration,
  };
}

/** Returns the tenant with this name. @throws UsageError for an unknown tenant. */
export async function namedTenant(storage: Storage<never>, name: string): Promise<TenantRef> {
  const byId = isUuid(name) ? (await storage.system.findTenantsByIds([name]))[0] : undefined;
  const tenant = byId ?? (await storage.system.findTenantByApiKey(name));
  if (!tenant) throw new UsageError(`--tenant ${name} is not the id or API key of a tenant`);
  return { id: tenant.id, recordId: tenant.recordId };
}

interface CheckOptions extends ServerDatabase {
  /** Tenant id or API key. Undefined means all tenants. */
  readonly tenant: string | undefined;
  readonly defaultCatalog: string | (() => string);
  /** Default overdue configuration for tenants without their own. Undefined means the engine's default. */
  readonly defaultOverdueConfig: string | NewOverdueDefinition | undefined;
}

interface CheckReport {
  breach(breach: Breach): void;
  /** Reports a limitation of the check. */
  note(text: string): void;
  /** Called with the number of accounts checked so far. */
  checked(accounts: number): void;
}

/** Checks the stored data and returns the number of inconsistencies. */
export async function checkDatabase(options: CheckOptions, report: CheckReport): Promise<number> {
  const { tenant: name, defaultCatalog, defaultOverdueConfig } = options;
  const counts = await onServerDatabase(options, { readOnly: true, tenant: name }, async (parts) => {
    const { tenant, cell, ...ports } = parts;
    if (cell !== null) report.note(`Cell ${cell}:`);
    const checks = await Billing.openChecks({ ...ports, defaultCatalog, defaultOverdueConfig });
    await ports.clock.refresh();
    const ahead = await checks.aheadOfClock();
    if (ahead !== null)
      report.note(
        `The clock is behind the stored data, which has reached ${formatInstant(ahead)}: due work and billing were not checked.`,
      );
    let found = 0;
    for await (const breach of checks.breaches(tenant, report.checked)) {
      found += 1;
      report.breach(breach);
    }
    return found;
  });
  return counts.reduce((sum, each) => sum + each, 0);
}

export function breachText({ invariant, tenantId, accountId, message }: Breach): string {
  const owner = accountId === null ? '' : ` account ${accountId}`;
  return `${invariant} tenant ${tenantId}${owner}: ${message}`;
}

/** Archives closed months of the tenant with this id or API key (usage §11.4). `before` is the first day of a month. */
export async function archiveUsage(
  server: ServerDatabase,
  closed: { readonly tenant: string; readonly before: string },
): Promise<ArchivedUsage> {
  const [archived] = await onServerDatabase(server, { tenant: closed.tenant }, async (parts) => {
    const { tenant, cell: _cell, ...ports } = parts;
    const billing = await Billing.open<never>(ports);
    await ports.clock.refresh();
    return billing.as({ tenant: tenant ?? '', user: 'billwright' }).usage.archive({ before: closed.before });
  });
  if (archived === undefined)
    throw new UsageError(`the cell of tenant ${closed.tenant} is not in the configuration file`);
  return archived;
}

export function archivedText({ days, points, busyAccounts, forgottenKeys }: ArchivedUsage): string {
  const busy =
    busyAccounts === 0 ? '' : ` ${busyAccounts} accounts were busy: run the command again to include them.`;
  const forgotten = forgottenKeys === 0 ? '' : ` ${forgottenKeys} tracking ids were deleted.`;
  return `${points} points of ${days} days were archived.${forgotten}${busy}`;
}
