import type { CounterKey, StoredChange } from '../../ports/storage/index.ts';
import type { Account, TenantRef } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { FeaturesAt } from '../evaluation/features-at.ts';
import type { UsedAmounts } from './load-features.ts';

/** The features of an account at an instant, with the counters of its quotas. */
export interface AccountFeatures {
  readonly account: Pick<Account, 'id' | 'recordId' | 'timeZone'>;
  readonly features: FeaturesAt;
  readonly used: UsedAmounts;
  /** Percentages of a quota. When one is reached, an event is published. */
  readonly thresholds: readonly number[];
}

/**
 * Maximum age of cached features in milliseconds. After that time, changes made by other processes become visible (§3).
 */
const CACHED_FEATURES_MS = 1_000;
const MAX_CACHED_ACCOUNTS = 50_000;

interface Entry {
  readonly loaded: AccountFeatures;
  readonly untilMs: number;
}

/** A counter after a consumption. */
export interface RaisedCounter {
  readonly counter: CounterKey;
  readonly used: Decimal;
}

/** A load, with the changes that this process has committed since the load started. */
interface Load {
  readonly tenantRecordId: number;
  readonly key: string;
  readonly loading: Promise<AccountFeatures>;
  readonly raised: RaisedCounter[];
  readonly changedAccounts: Set<number>;
  isTenantChanged: boolean;
}

/**
 * Caches the features of accounts for a second. The cache is cleared earlier if this process commits a change to the
 * account or the catalog, or if a value changes without a call (§3).
 */
export class FeatureCache {
  readonly #nowMs: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #keyOfAccount = new Map<number, string>();
  readonly #loads = new Map<string, Load>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Returns the cached features that are valid at the instant, or undefined. */
  find({ recordId }: TenantRef, accountId: Uuid, at: Instant): AccountFeatures | undefined {
    const entry = this.#entries.get(keyOf(recordId, accountId));
    if (entry === undefined || entry.untilMs <= this.#nowMs()) return undefined;
    const { at: from, until } = entry.loaded.features;
    return at >= from && (until === null || at < until) ? entry.loaded : undefined;
  }

  /** Loads the features and caches them. Concurrent calls for the same account and instant share one load. */
  async load(
    { recordId }: TenantRef,
    { accountId, at }: { readonly accountId: Uuid; readonly at: Instant },
    load: () => Promise<AccountFeatures>,
  ): Promise<AccountFeatures> {
    const key = keyOf(recordId, accountId);
    const shared = `${key} ${at}`;
    const running = this.#loads.get(shared);
    if (running !== undefined) {
      const loaded = await running.loading;
      if (!isStale(running, loaded)) return loaded;
    }
    const untilMs = this.#nowMs() + CACHED_FEATURES_MS;
    const own: Load = {
      tenantRecordId: recordId,
      key,
      loading: load(),
      raised: [],
      changedAccounts: new Set(),
      isTenantChanged: false,
    };
    this.#loads.set(shared, own);
    try {
      const loaded = await own.loading;
      raiseAll(loaded, own.raised);
      if (!isStale(own, loaded)) this.#keep(key, { loaded, untilMs });
      return loaded;
    } finally {
      if (this.#loads.get(shared) === own) this.#loads.delete(shared);
    }
  }

  /**
   * Raises cached counters after an amount was consumed. This is cheaper than loading the counters again. If `loaded`
   * is no longer cached, removes the account from the cache, because a release may have lowered the counters in the
   * meantime.
   */
  raise({ recordId }: TenantRef, loaded: AccountFeatures, raised: readonly RaisedCounter[]): void {
    if (raised.length === 0) return;
    const { id, recordId: accountRecordId } = loaded.account;
    const key = keyOf(recordId, id);
    if (this.#entries.get(key)?.loaded !== loaded) {
      this.drop({ tenantRecordId: recordId, accountRecordIds: new Set([accountRecordId]) });
      return;
    }
    raiseAll(loaded, raised);
    for (const load of this.#loads.values()) if (load.key === key) load.raised.push(...raised);
  }

  /** Removes the cached features that a commit has changed. */
  drop({ tenantRecordId, accountRecordIds }: StoredChange): void {
    for (const load of this.#loads.values()) {
      if (load.tenantRecordId !== tenantRecordId) continue;
      if (accountRecordIds === null) load.isTenantChanged = true;
      else for (const accountRecordId of accountRecordIds) load.changedAccounts.add(accountRecordId);
    }
    if (accountRecordIds === null) {
      this.#clear();
      return;
    }
    for (const accountRecordId of accountRecordIds) {
      const key = this.#keyOfAccount.get(accountRecordId);
      if (key === undefined) continue;
      this.#keyOfAccount.delete(accountRecordId);
      this.#entries.delete(key);
    }
  }

  #keep(key: string, entry: Entry): void {
    if (this.#entries.size >= MAX_CACHED_ACCOUNTS) this.#clear();
    this.#entries.set(key, entry);
    this.#keyOfAccount.set(entry.loaded.account.recordId, key);
  }

  #clear(): void {
    this.#entries.clear();
    this.#keyOfAccount.clear();
  }
}

function isStale({ changedAccounts, isTenantChanged }: Load, { account }: AccountFeatures): boolean {
  return isTenantChanged || changedAccounts.has(account.recordId);
}

function raiseAll({ used }: AccountFeatures, raised: readonly RaisedCounter[]): void {
  for (const { counter, used: amount } of raised) used.raise(counter, amount);
}

function keyOf(tenantRecordId: number, accountId: Uuid): string {
  return `${tenantRecordId} ${accountId}`;
}
