import type { Bundle, New, Page, PageRequest, SearchClause } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export type BundleSearch =
  /** Exactly the id, the account's id or the external key, held or carried before. */
  | { readonly kind: 'text'; readonly id: Uuid | null; readonly text: string }
  /** All clauses hold. */
  | { readonly kind: 'clauses'; readonly clauses: readonly SearchClause[] };

export interface BundleReads {
  findBundlesByIds(ids: readonly Uuid[]): Promise<readonly Bundle[]>;
  /** Bundles that hold these keys, and those that carried them until another bundle took them, in creation order. */
  findBundlesByKeys(externalKeys: readonly string[]): Promise<readonly Bundle[]>;
  /** The same, and bundles that had one of these keys before they were renamed; each once, in creation order. */
  findBundlesByPastKeys(externalKeys: readonly string[]): Promise<readonly Bundle[]>;
  /** In creation order. */
  findBundlesByAccounts(accountIds: readonly Uuid[]): Promise<readonly Bundle[]>;
  pageBundlesOfAccount(accountId: Uuid, request: PageRequest): Promise<Page<Bundle>>;
  pageBundles(request: PageRequest): Promise<Page<Bundle>>;
  /** `max` counts all bundles of the tenant. */
  searchBundles(search: BundleSearch, request: PageRequest): Promise<Page<Bundle>>;
}

export interface BundleWrites {
  /** A key that another bundle holds throws BillingError 1014. */
  insertBundles(bundles: readonly New<Bundle>[]): Promise<void>;
  /** Records the keys that these bundles carry now among their past ones; called before they get others. */
  keepBundleKeys(bundleIds: readonly Uuid[]): Promise<void>;
  /** Audited as UPDATE; a key that another bundle holds throws BillingError 1014. */
  setBundleKeys(changes: readonly Pick<Bundle, 'id' | 'externalKey' | 'retiredKey'>[]): Promise<void>;
}
