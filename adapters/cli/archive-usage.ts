import { Billing } from '../../lib/billing.ts';
import type { ArchivedUsage } from '../../lib/usage/index.ts';
import { openStorage } from './database.ts';
import { namedTenant } from './named-tenant.ts';
import { type ConfiguredLikeServer, partsBesideServer } from './parts-beside-server.ts';

export interface ArchiveUsageOptions extends ConfiguredLikeServer {
  /** Path of a SQLite file or URL of a PostgreSQL database. */
  readonly database: string;
  /** Id or API key of the tenant. */
  readonly tenant: string;
  /** The first day of a month. */
  readonly before: string;
}

/** Archives the points of closed months of a tenant (usage §11.4). */
export async function archiveUsage(options: ArchiveUsageOptions): Promise<ArchivedUsage> {
  const storage = await openStorage(options.database, { migrate: false, mustExist: true });
  try {
    const parts = partsBesideServer(storage, options);
    const billing = await Billing.open<never>(parts);
    await parts.clock.refresh();
    const tenant = await namedTenant(storage, options.tenant);
    return await billing.as({ tenant, user: 'billwright' }).usage.archive({ before: options.before });
  } finally {
    await storage.close();
  }
}

/** What was archived, in a line for people. */
export function archivedText({ days, points, busyAccounts, forgottenKeys }: ArchivedUsage): string {
  const busy = busyAccounts === 0 ? '' : ` ${busyAccounts} accounts were busy: run it again for these.`;
  const forgotten = forgottenKeys === 0 ? '' : ` ${forgottenKeys} tracking ids were forgotten.`;
  return `${points} points of ${days} days were archived.${forgotten}${busy}`;
}
