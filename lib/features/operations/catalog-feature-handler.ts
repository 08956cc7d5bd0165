import {
  type CatalogService,
  catalogRevisionOf,
  featureDifferences,
  isCatalogChange,
} from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, ReadSession } from '../../ports/storage/index.ts';
import { ActingComponent, BusEventType, type TenantRef } from '../../records/index.ts';
import { batchAuthorship, type QueueHandler } from '../../runtime/index.ts';
import { featureCheck } from './feature-change-handler.ts';

/** Number of accounts for which one transaction schedules checks. */
const ACCOUNTS_PER_PAGE = 1_000;

type Affected = { readonly plans: readonly string[]; readonly features: readonly string[] | null };

const nothing: Affected = { plans: [], features: [] };

/**
 * Schedules a feature check for each account that a catalog change can affect (§5 rule 2): accounts whose subscriptions
 * have had a plan with changed values, and accounts with overrides of changed declarations. A redelivered event
 * schedules the checks again, but these checks publish nothing.
 */
export function catalogFeatureHandler(
  { storage, clock }: Pick<Ports, 'storage' | 'clock'>,
  catalogs: Pick<CatalogService, 'cache' | 'slices'>,
): QueueHandler {
  async function findAffectedSince(tenant: TenantRef, revision: number): Promise<Affected> {
    const { uploaded, entries } = await storage.read(tenant, async (session) => ({
      uploaded: await catalogs.cache.uploadedBy(session),
      entries: await session.catalogEntries.plansChangedSince(revision),
    }));
    const [before, after] = [uploaded.asOf(revision).versions, uploaded.versions];
    // After a catalog is deleted, no version shows which features the catalog declared.
    if (after.length === 0) return { plans: [], features: null };
    if (![...before, ...after].some((version) => version.features.length > 0)) return nothing;
    const { plans, features } = await catalogs.slices(featureDifferences(before, after));
    return { plans: [...plans, ...entries], features: [...features] };
  }

  return {
    name: 'feature-catalog-changes',
    topics: [BusEventType.TENANT_CONFIG_CHANGE],
    needs: ({ payload }) => isCatalogChange(payload),
    async handle({ tenant, entries }) {
      const changes = entries.filter(({ payload }) => isCatalogChange(payload));
      if (changes.length === 0) return;
      const affected = await findAffectedSince(tenant, revisionBefore(changes));
      if (affected.plans.length === 0 && affected.features?.length === 0) return;
      const now = clock.now();
      const authorship = batchAuthorship(changes, ActingComponent.FEATURES, now);
      for (let afterRecordId: number | undefined = 0; afterRecordId !== undefined; ) {
        const after: number = afterRecordId;
        const page = await storage.write(tenant, authorship, async (session) => {
          const found = await accountsPage(session, affected, after);
          session.schedule(found.map((accountRecordId) => featureCheck(accountRecordId, now)));
          return found;
        });
        afterRecordId = page.length < ACCOUNTS_PER_PAGE ? undefined : page.at(-1);
      }
    },
  };
}

/** Returns the revision before the first change, or 0 if a change has no revision. */
function revisionBefore(changes: readonly ClaimedEntry[]): number {
  const revisions = changes.map(({ payload }) => catalogRevisionOf(payload) ?? 1);
  return Math.min(...revisions) - 1;
}

/** Returns the record ids of the next affected accounts in ascending order. */
async function accountsPage(
  session: ReadSession,
  { plans: planNames, features }: Affected,
  afterRecordId: number,
): Promise<readonly number[]> {
  const page = { afterRecordId, limit: ACCOUNTS_PER_PAGE };
  const [onPlans, withOverrides] = await Promise.all([
    session.invoices.accountsOnPlans({ planNames, ...page }),
    session.features.accountsWithOverrides({ features, ...page }),
  ]);
  const all = new Set([...onPlans, ...withOverrides]);
  return [...all].toSorted((a, b) => a - b).slice(0, ACCOUNTS_PER_PAGE);
}
