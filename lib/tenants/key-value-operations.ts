import type { Leading } from '../records/index.ts';

/** A key with its values in the order in which they were added. */
export interface KeyValues {
  readonly key: string;
  readonly values: readonly string[];
}

/** Values that a tenant stores by key. */
export interface KeyValueOperations<C extends Leading = []> {
  /**
   * Adds a value to the key, or replaces the value of a key that holds one. Values of the server's own keys are checked
   * first, and the bus event TENANT_CONFIG_CHANGE tells of the change. Names in a configuration that have no effect
   * (misspelt, retired, or of properties of the whole server) are stored and logged as warnings.
   * @param key 1–255 characters, any of them.
   * @param value at most 10 MiB, not empty.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for a bad key, an empty value, a bad configuration, template or
   * translation,
   * MALFORMED_BODY (60001) for a configuration that is not a flat JSON object, INVALID_PARAMETER (60002) for a bad
   * callback URL, a locale that is none, TOO_LARGE (60012), CATALOG_INVALID_FOR_TENANT (2080) for a bad catalog,
   * OVERDUE_INVALID_FOR_TENANT (5010) for a bad overdue configuration, NOT_IMPLEMENTED (1) for a key
   * of a part that this version does not have.
   */
  add(...given: [...C, key: string, value: string]): Promise<void>;

  /** The key's values; none for an unknown key. @throws BillingError MISSING_OR_INVALID_FIELD for a bad key. */
  get(...given: [...C, key: string]): Promise<KeyValues>;

  /**
   * Removes every value of the key; an unknown key is no error. If one of the server's own keys had a value, the bus
   * event TENANT_CONFIG_DELETION tells of it.
   * @throws BillingError MISSING_OR_INVALID_FIELD for a bad key, CATALOG_INVALID_FOR_TENANT (2080) for a catalog that a
   * subscription refers to.
   */
  delete(...given: [...C, key: string]): Promise<void>;

  /** Every key that begins with the prefix, sorted; the empty prefix finds all. Letter case counts. */
  search(...given: [...C, prefix: string]): Promise<readonly KeyValues[]>;
}
