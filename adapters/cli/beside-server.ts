import { Billing } from '../../lib/billing.ts';
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
import { openStorage } from './database.ts';
import { createLogger } from './logger.ts';
import { UsageError } from './usage-error.ts';

/** A database, and how the server beside a command is configured. */
export interface BesideServer {
  /** Path of a SQLite file or URL of a PostgreSQL database. */
  readonly database: string;
  /** Properties of the engine by name, as for the server. */
  readonly configuration: ConfigurationObject;
  /** The plugins of the server. */
  readonly definition?: ServerDefinition | undefined;
}

/**
 * Does what a command has to do with a database beside its server, and closes the storage. An engine that is opened with the
 * parts has a clock that shows the time of a server in test mode, or else of the machine, once it was refreshed.
 */
export async function besideServer<T>(
  { database, configuration, definition = {} }: BesideServer,
  access: { readonly readOnly?: boolean },
  work: (parts: ReturnType<typeof partsOn>) => Promise<T>,
): Promise<T> {
  const storage = await openStorage(database, { migrate: false, mustExist: true, ...access });
  try {
    return await work({ ...pluginsOf(definition), ...partsOn(storage, configuration) });
  } finally {
    await storage.close();
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

/** The tenant that `--tenant` names. @throws UsageError if there is none. */
export async function namedTenant(storage: Storage<never>, name: string): Promise<TenantRef> {
  const byId = isUuid(name) ? (await storage.system.findTenantsByIds([name]))[0] : undefined;
  const tenant = byId ?? (await storage.system.findTenantByApiKey(name));
  if (!tenant) throw new UsageError(`--tenant ${name} is the id or API key of no tenant`);
  return { id: tenant.id, recordId: tenant.recordId };
}

interface CheckOptions extends BesideServer {
  /** Id or API key of the one tenant to check; undefined = all. */
  readonly tenant: string | undefined;
  readonly defaultCatalog: string | (() => string);
  /** Overdue configuration of tenants without one; undefined: the engine's own. */
  readonly defaultOverdueConfig: string | NewOverdueDefinition | undefined;
}

/**
 * Checks the stored data and returns how many breaches there are.
 * @param report.breach told of each breach as it is found.
 * @param report.note told of what is no breach but limits the check.
 */
export function checkDatabase(
  options: CheckOptions,
  report: { breach(breach: Breach): void; note(text: string): void },
): Promise<number> {
  const { tenant: name, defaultCatalog, defaultOverdueConfig } = options;
  return besideServer(options, { readOnly: true }, async (parts) => {
    const checks = await Billing.openChecks({ ...parts, defaultCatalog, defaultOverdueConfig });
    await parts.clock.refresh();
    const tenant = name === undefined ? null : await namedTenant(parts.storage, name);
    const ahead = await checks.aheadOfClock();
    if (ahead !== null)
      report.note(
        `The clock lies before ${formatInstant(ahead)}, to which the stored work has come: what is due and billed by now was not looked at.`,
      );
    let found = 0;
    for await (const breach of checks.breaches(tenant)) {
      found += 1;
      report.breach(breach);
    }
    return found;
  });
}

/** A breach in a line for people. */
export function breachText({ invariant, tenantId, accountId, message }: Breach): string {
  const owner = accountId === null ? '' : ` account ${accountId}`;
  return `${invariant} tenant ${tenantId}${owner}: ${message}`;
}

/**
 * Archives the points of closed months of a tenant (usage §11.4).
 * @param closed.tenant id or API key.
 * @param closed.before the first day of a month.
 */
export function archiveUsage(
  server: BesideServer,
  closed: { readonly tenant: string; readonly before: string },
): Promise<ArchivedUsage> {
  return besideServer(server, {}, async (parts) => {
    const billing = await Billing.open<never>(parts);
    await parts.clock.refresh();
    const tenant = await namedTenant(parts.storage, closed.tenant);
    return billing.as({ tenant, user: 'billwright' }).usage.archive({ before: closed.before });
  });
}

/** What was archived, in a line for people. */
export function archivedText({ days, points, busyAccounts, forgottenKeys }: ArchivedUsage): string {
  const busy = busyAccounts === 0 ? '' : ` ${busyAccounts} accounts were busy: run it again for these.`;
  const forgotten = forgottenKeys === 0 ? '' : ` ${forgottenKeys} tracking ids were forgotten.`;
  return `${points} points of ${days} days were archived.${forgotten}${busy}`;
}
