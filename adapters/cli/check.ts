import { Billing } from '../../lib/billing.ts';
import type { Breach } from '../../lib/check/index.ts';
import type { NewOverdueDefinition } from '../../lib/index.ts';
import { formatInstant } from '../../lib/values/time/index.ts';
import { openStorage } from './database.ts';
import { namedTenant } from './named-tenant.ts';
import { type ConfiguredLikeServer, partsBesideServer } from './parts-beside-server.ts';

export interface CheckOptions extends ConfiguredLikeServer {
  /** Path of a SQLite file or URL of a PostgreSQL database. */
  readonly database: string;
  /** Id or API key of the one tenant to check; undefined = all. */
  readonly tenant: string | undefined;
  readonly defaultCatalog: string | (() => string);
  /** Overdue configuration of tenants without one; undefined: the engine's own. */
  readonly defaultOverdueConfig: string | NewOverdueDefinition | undefined;
}

/** What is found while the stored data are checked. */
export interface CheckReport {
  breach(breach: Breach): void;
  /** Something that is no breach but limits the check. */
  note(text: string): void;
}

/** Checks the stored data, reports each breach as it is found, and returns how many there are. */
export async function checkDatabase(options: CheckOptions, report: CheckReport): Promise<number> {
  const storage = await openStorage(options.database, { migrate: false, readOnly: true, mustExist: true });
  try {
    const parts = partsBesideServer(storage, options);
    const checks = await Billing.openChecks({
      ...parts,
      defaultCatalog: options.defaultCatalog,
      defaultOverdueConfig: options.defaultOverdueConfig,
    });
    await parts.clock.refresh();
    const tenant = options.tenant === undefined ? null : await namedTenant(storage, options.tenant);
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
  } finally {
    await storage.close();
  }
}

/** A breach in a line for people. */
export function breachText({ invariant, tenantId, accountId, message }: Breach): string {
  const owner = accountId === null ? '' : ` account ${accountId}`;
  return `${invariant} tenant ${tenantId}${owner}: ${message}`;
}
