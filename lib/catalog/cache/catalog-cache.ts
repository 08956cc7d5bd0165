import type { ReadSession } from '../../ports/storage/index.ts';
import { type CatalogEntry, EntryKind, type HostTransaction } from '../../records/index.ts';
import type { TimeSlices } from '../../runtime/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CACHED_CATALOG_CHARACTERS, MAX_CACHED_CATALOGS } from '../../values/limits.ts';
import { type Instant, LAST_INSTANT } from '../../values/time/index.ts';
import type { EntriesAndRows } from '../formats/entries/change-plan.ts';
import { accountCatalog, tenantCatalog } from '../formats/entries/entry-catalog.ts';
import { type Catalog, createCatalog } from '../lookup/catalog.ts';
import { type CatalogVersion, type ChangedPlans, changedPlans } from '../lookup/catalog-version.ts';
import type { CatalogOfAccount } from './catalog-source.ts';
import { StampedCache } from './stamped-cache.ts';
import { StoredCatalogs } from './stored-catalogs.ts';

/**
 * Caches the catalogs of tenants as the session sees them. After a change, the next call on each node sees the changed
 * catalog (§13 rule 2).
 */
export class CatalogCache {
  readonly #committed: EffectiveCatalogs;
  /** Caches of host transactions. Data that the host may still roll back is cached only for its transaction. */
  readonly #inTransactions = new WeakMap<HostTransaction, EffectiveCatalogs>();

  /**
   * @param globalDefault Returns the default catalog. It applies to tenants that were created with it and have no
   * catalog of their own (§14).
   */
  constructor(globalDefault: (() => Catalog) | null, slices: TimeSlices) {
    this.#committed = new EffectiveCatalogs(globalDefault, new StoredCatalogs(slices));
  }

  /** Removes the catalog of a tenant from the cache. Null removes the catalogs of all tenants. */
  drop(tenantRecordId: number | null): void {
    this.#committed.drop(tenantRecordId);
  }

  /** Returns the tenant's catalog, which may have no versions. */
  catalogOf(session: ReadSession): Promise<Catalog> {
    return this.#in(session).ofTenant(session);
  }

  /**
   * Returns the catalogs of these accounts, which may have catalogs of their own. Reads the catalog revision only once.
   */
  catalogsOf(session: ReadSession, accountIds: readonly Uuid[]): Promise<CatalogOfAccount> {
    return this.#in(session).ofAccounts(session, accountIds);
  }

  /**
   * Returns the catalogs that the accounts would have after an upload.
   * @param added Versions of the upload. Pass the same list in all calls for one upload.
   */
  candidatesOf(
    session: ReadSession,
    accountIds: readonly Uuid[],
    added: readonly CatalogVersion[],
  ): Promise<CatalogOfAccount> {
    return this.#in(session).ofAccountsWith(session, accountIds, added);
  }

  /** Returns the tenant's XML catalog, either uploaded or default, without catalog entries. */
  xmlOf(session: ReadSession): Promise<Catalog> {
    return this.#in(session).xml(session);
  }

  uploadedBy(session: ReadSession): Promise<Catalog> {
    return this.#in(session).uploaded(session);
  }

  /** Returns the plans whose prices or terms may have changed since an earlier revision. */
  changedSince(session: ReadSession, revision: number): Promise<ChangedPlans> {
    return this.#in(session).changedSince(session, revision);
  }

  #in({ tenant: { within } }: ReadSession): EffectiveCatalogs {
    if (within === undefined) return this.#committed;
    const known = this.#inTransactions.get(within) ?? this.#committed.forTransaction();
    this.#inTransactions.set(within, known);
    return known;
  }
}

export const MAX_CACHED_ACCOUNT_CATALOGS = 1_000;

/** Weight of a plan row in the cache without its text, in characters. */
const CHARACTERS_OF_PLAN_ROW = 1_000;

interface TenantCatalogs {
  readonly revision: number;
  readonly xml: Catalog;
  readonly entries: readonly CatalogEntry[];
  readonly catalog: Catalog;
  /** False if all accounts use the tenant's catalog. */
  readonly hasAccountEntries: boolean;
  /** The catalog of each account, or null if the account has no plans of its own. */
  readonly byAccount: Map<Uuid, Catalog | null>;
  /** Weight of the XML catalog and the entries in the cache, in characters. */
  readonly characters: number;
}

/**
 * Catalogs that combine XML versions and catalog entries. They are built once per tenant and revision (§13, §15.6).
 */
export class EffectiveCatalogs {
  readonly #globalDefault: (() => Catalog) | null;
  readonly #stored: StoredCatalogs;
  readonly #byTenant = new StampedCache<number, TenantCatalogs>({
    maxEntries: MAX_CACHED_CATALOGS,
    maxWeight: MAX_CACHED_CATALOG_CHARACTERS,
  });
  readonly #candidates = new WeakMap<readonly CatalogVersion[], TenantCatalogs>();

  readonly #committed: EffectiveCatalogs | null;

  /**
   * `globalDefault` returns the default catalog, which applies to tenants that were created with it and have
   * no catalog of their own (§14). `committed` is the shared cache; pass it to the cache of one transaction.
   */
  constructor(
    globalDefault: (() => Catalog) | null,
    stored: StoredCatalogs,
    committed: EffectiveCatalogs | null = null,
  ) {
    this.#globalDefault = globalDefault;
    this.#stored = stored;
    this.#committed = committed;
  }

  /**
   * Creates the cache for a host transaction. It starts with the content of the shared cache, and keeps uncommitted
   * data separate.
   */
  forTransaction(): EffectiveCatalogs {
    return new EffectiveCatalogs(this.#globalDefault, this.#stored.forTransaction(), this);
  }

  drop(tenantRecordId: number | null): void {
    this.#byTenant.drop((tenant) => tenantRecordId === null || tenant === tenantRecordId);
    this.#stored.drop(tenantRecordId);
  }

  async uploaded(session: ReadSession): Promise<Catalog> {
    return this.#stored.get(session);
  }

  /**
   * Returns the tenant's own XML catalog. For a tenant that was created with the default catalog and has none of its
   * own, returns the default catalog.
   */
  async xml(session: ReadSession): Promise<Catalog> {
    const uploaded = await this.#stored.get(session);
    const { globalDefault, ownSince } = await this.#globalDefaultOf(session);
    return ownSince === null && globalDefault !== null ? globalDefault : uploaded;
  }

  /** Returns the default catalog, and the time at which the tenant got its own catalog (§14 rule 2). */
  async #globalDefaultOf(session: ReadSession): Promise<GlobalDefault> {
    const usesIt = this.#globalDefault !== null && (await session.catalogs.usesGlobalDefault());
    if (this.#globalDefault === null || !usesIt) return { globalDefault: null, ownSince: null };
    return { globalDefault: this.#globalDefault(), ownSince: await session.catalogs.firstStored() };
  }

  async ofTenant(session: ReadSession): Promise<Catalog> {
    return (await this.#current(session)).catalog;
  }

  /** Returns the catalogs of these accounts in a constant number of statements. */
  async ofAccounts(session: ReadSession, accountIds: readonly Uuid[]): Promise<CatalogOfAccount> {
    const tenant = await this.#current(session);
    const hasMore = tenant.hasAccountEntries && accountIds.some((id) => !tenant.byAccount.has(id));
    const own = tenant.hasAccountEntries ? await ownCatalogs(session, tenant, accountIds) : new Map();
    if (hasMore) this.#weigh(session, tenant);
    const known = new Set(accountIds);
    return (accountId) => {
      assertInvariant(known.has(accountId), `The catalog of account ${accountId} was not requested`);
      return own.get(accountId) ?? tenant.catalog;
    };
  }

  async changedSince(session: ReadSession, revision: number): Promise<ChangedPlans> {
    const uploaded = await this.#stored.get(session);
    const plans = changedPlans(uploaded.asOf(revision).versions, uploaded.versions);
    return plans?.union(new Set(await session.catalogEntries.plansChangedSince(revision))) ?? null;
  }

  /** Returns the catalogs of these accounts, including the versions of a planned upload. */
  async ofAccountsWith(
    session: ReadSession,
    accountIds: readonly Uuid[],
    added: readonly CatalogVersion[],
  ): Promise<CatalogOfAccount> {
    const current = await this.#current(session);
    const kept = this.#candidates.get(added);
    const candidate =
      kept?.revision === current.revision ? kept : await this.#candidate(session, current, added);
    this.#candidates.set(added, candidate);
    const own = candidate.hasAccountEntries ? await ownCatalogs(session, candidate, accountIds) : new Map();
    return (accountId) => own.get(accountId) ?? candidate.catalog;
  }

  /**
   * Returns the catalog as it would be after an upload. Uploaded versions replace the default catalog immediately (§14
   * rule 2).
   */
  async #candidate(
    session: ReadSession,
    current: TenantCatalogs,
    added: readonly CatalogVersion[],
  ): Promise<TenantCatalogs> {
    const { versions } = await this.uploaded(session);
    const { revision, entries } = current;
    const xml = createCatalog([...versions, ...added], { revision, versionsAt: () => versions });
    const scope = await withRows(session, entries);
    const { globalDefault, ownSince } = await this.#globalDefaultOf(session);
    const catalog = withGlobalDefault(
      tenantCatalog({ xml, scope, tenantEntries: entries, revision }),
      // If a tenant has no versions of its own, all its plans were chosen from the default catalog.
      { globalDefault, ownSince: ownSince ?? LAST_INSTANT },
    );
    return { ...current, xml, catalog, byAccount: new Map() };
  }

  async #current(session: ReadSession): Promise<TenantCatalogs> {
    const revision = await session.catalogs.revision();
    const { recordId } = session.tenant;
    const known = this.#byTenant.peek(recordId, revision);
    if (known !== undefined) return known;
    const committed = this.#committed ? this.#committed.#byTenant.loaded(recordId, revision) : undefined;
    const loaded = await this.#byTenant.get(recordId, revision, async () =>
      committed ? { ...committed, byAccount: new Map(committed.byAccount) } : this.#load(session, revision),
    );
    this.#weigh(session, loaded);
    return loaded;
  }

  #weigh(session: ReadSession, { revision, characters, byAccount }: TenantCatalogs): void {
    const versions = [...byAccount.values()].flatMap((catalog) => catalog?.versions ?? []);
    const ofAccounts = versions.reduce((total, { planParts }) => total + planParts.parts.length, 0);
    this.#byTenant.weigh(session.tenant.recordId, revision, characters + ofAccounts * CHARACTERS_OF_PLAN_ROW);
  }

  async #load(session: ReadSession, revision: number): Promise<TenantCatalogs> {
    const xml = await this.xml(session);
    const entries = await session.catalogEntries.ofScope(null);
    const scope = await withRows(session, entries);
    return {
      revision,
      xml,
      entries,
      catalog: withGlobalDefault(
        tenantCatalog({ xml, scope, tenantEntries: entries, revision }),
        await this.#globalDefaultOf(session),
      ),
      hasAccountEntries: await session.catalogEntries.existForAccounts(),
      byAccount: new Map(),
      characters:
        this.#stored.charactersOf(session.tenant.recordId) + scope.rows.length * CHARACTERS_OF_PLAN_ROW,
    };
  }
}

interface GlobalDefault {
  /** The default catalog, or null for a tenant that was created without it. */
  readonly globalDefault: Catalog | null;
  /** The time at which the tenant stored its first version, or null if it has never stored one. */
  readonly ownSince: Instant | null;
}

/**
 * Returns the tenant's own catalog, extended by plans of the default catalog. Subscriptions may still be on such plans.
 */
function withGlobalDefault(catalog: Catalog, { globalDefault, ownSince }: GlobalDefault): Catalog {
  if (globalDefault === null || ownSince === null) return catalog;
  return catalog.beside({ catalog: globalDefault, until: ownSince });
}

async function ownCatalogs(
  session: ReadSession,
  tenant: TenantCatalogs,
  accountIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, Catalog | null>> {
  const missing = accountIds.filter((accountId) => !tenant.byAccount.has(accountId));
  const { entries, rows } = await withRows(session, await session.catalogEntries.ofAccounts(missing));
  const entriesOf = Map.groupBy(entries, (entry) => entry.accountId);
  const rowsOf = Map.groupBy(rows, (row) => row.planName);
  const own = new Map(accountIds.map((accountId) => [accountId, tenant.byAccount.get(accountId) ?? null]));
  for (const accountId of missing) {
    const ofAccount = entriesOf.get(accountId) ?? [];
    const scope = { entries: ofAccount, rows: ofAccount.flatMap((entry) => rowsOf.get(entry.name) ?? []) };
    const { xml, entries: tenantEntries, revision } = tenant;
    const catalog = accountCatalog({ xml, scope, tenantEntries, revision }, tenant.catalog);
    own.set(accountId, catalog);
    tenant.byAccount.set(accountId, catalog);
  }
  dropOldest(tenant.byAccount, MAX_CACHED_ACCOUNT_CATALOGS);
  return own;
}

function dropOldest<K, V>(cache: Map<K, V>, limit: number): void {
  for (const key of cache.keys()) {
    if (cache.size <= limit) return;
    cache.delete(key);
  }
}

export async function withRows(
  session: Pick<ReadSession, 'catalogEntries'>,
  entries: readonly CatalogEntry[],
): Promise<EntriesAndRows> {
  const planNames = entries.filter((entry) => entry.kind === EntryKind.PLAN).map((entry) => entry.name);
  return { entries, rows: await session.catalogEntries.rowsOf(planNames) };
}
