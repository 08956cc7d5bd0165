import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import type { PluginProperty, TenantRef } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { Catalog } from '../lookup/catalog.ts';
import { CatalogWithOverrides, hasPlan } from '../overrides/catalog-with-overrides.ts';
import { type OverridePlan, overridePlanOf } from '../overrides/define-overrides.ts';

/** Returns the catalog of an account. The same catalogs apply to the whole operation (§13 rule 3, §15.6). */
export type CatalogOfAccount = (accountId: Uuid) => Catalog;

/** Loads the catalogs of accounts. Reads the catalog revision only once. */
export type CatalogSource = (session: ReadSession, accountIds: readonly Uuid[]) => Promise<CatalogOfAccount>;

export interface CatalogRequest {
  readonly tenant: TenantRef;
  readonly now: Instant;
  /**
   * The affected accounts. An empty list selects the tenant's own catalog. If a function is given, it is called in its
   * own transaction, and only if a catalog plugin needs the accounts.
   */
  readonly accounts: readonly Uuid[] | ((session: ReadSession) => Promise<readonly Uuid[]>);
  readonly properties?: readonly PluginProperty[];
}

/**
 * Opens the catalogs for an operation once, before its transaction, because catalog plugins may have to be called
 * (§16).
 */
export interface CatalogProvider {
  open(request: CatalogRequest): Promise<CatalogSource>;
}

/** Maximum number of cached override plans per catalog. Other override plans are read in one statement. */
const MAX_CACHED_OVERRIDE_PLANS = 1_000;

/** Override plans by tenant and name, for plans that the catalog itself does not contain. They never change. */
const cached = new WeakMap<Catalog, Map<string, OverridePlan>>();

/**
 * Sessions that stored new override plans. If they are rolled back, the names of these plans could be given to other
 * plans.
 */
const storing = new WeakSet<ReadSession>();

export function storesOverridePlans(session: WriteSession): void {
  storing.add(session);
}

/** Adds the override plans that an operation needs. Executes at most one statement. */
export async function withOverridePlans(
  session: ReadSession,
  {
    catalogOf,
    accountIds,
    planNames,
  }: {
    readonly catalogOf: CatalogOfAccount;
    readonly accountIds: readonly Uuid[];
    readonly planNames: Iterable<string | null>;
  },
): Promise<(accountId: Uuid) => CatalogWithOverrides> {
  const catalogs = [...new Set(accountIds.map(catalogOf))];
  const plans = await loadOverridePlans(session, catalogs, planNames);
  const complete = new Map(
    catalogs.map((catalog) => {
      // A name may belong to an override plan in one catalog and to a regular plan in another.
      const own = catalogs.length === 1 ? plans : plans.filter((plan) => !hasPlan(catalog, plan.name));
      return [catalog, new CatalogWithOverrides(catalog, own)];
    }),
  );
  return (accountId) => {
    const catalog = catalogOf(accountId);
    return complete.get(catalog) ?? new CatalogWithOverrides(catalog, []);
  };
}

async function loadOverridePlans(
  session: ReadSession,
  catalogs: readonly Catalog[],
  planNames: Iterable<string | null>,
): Promise<readonly OverridePlan[]> {
  const names = [...new Set(planNames)].filter((name) => name !== null);
  const known = names.flatMap((name) => findCachedPlan(catalogs, session, name) ?? []);
  const found = new Set(known.map((plan) => plan.name));
  const missing = names.filter((name) => !found.has(name) && !catalogs.every((each) => hasPlan(each, name)));
  if (missing.length === 0) return known;
  const loaded = (await session.catalogs.findOverridePlans(missing)).map(overridePlanOf);
  if (!storing.has(session)) for (const plan of loaded) keep(catalogs, session, plan);
  return [...known, ...loaded];
}

function keyOf(session: ReadSession, planName: string): string {
  return `${session.tenant.recordId} ${planName}`;
}

function findCachedPlan(
  catalogs: readonly Catalog[],
  session: ReadSession,
  planName: string,
): OverridePlan | undefined {
  const key = keyOf(session, planName);
  for (const catalog of catalogs) {
    const plans = cached.get(catalog);
    const plan = plans?.get(key);
    if (plans === undefined || plan === undefined) continue;
    // Move the plan to the end, so that the least recently used plan comes first.
    plans.delete(key);
    plans.set(key, plan);
    return plan;
  }
  return undefined;
}

function keep(catalogs: readonly Catalog[], session: ReadSession, plan: OverridePlan): void {
  for (const catalog of catalogs) {
    if (hasPlan(catalog, plan.name)) continue;
    const plans = cached.get(catalog) ?? new Map<string, OverridePlan>();
    cached.set(catalog, plans);
    plans.set(keyOf(session, plan.name), plan);
    const oldest = plans.keys().next();
    if (plans.size > MAX_CACHED_OVERRIDE_PLANS && !oldest.done) plans.delete(oldest.value);
  }
}
