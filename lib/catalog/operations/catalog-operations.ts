import type { Leading } from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { SimplePlan } from '../formats/simple-plan/simple-plan-input.ts';
import type { CatalogValidation } from '../formats/xml/catalog-document.ts';
import type { AvailablePlan } from '../lookup/available-plans.ts';
import type { Catalog } from '../lookup/catalog.ts';

/** A catalog to upload: a document as bytes or text, or one that is defined in code. */
export type CatalogUpload = Uint8Array | string | WritesXml;

/** Anything with a document to upload, such as a `DefinedCatalog`. */
export interface WritesXml {
  toXml(): string;
}

/** For what to list available add-ons. */
export interface AddOnsRequest {
  readonly baseProductName: string;
  /** Only this list; default all. */
  readonly priceListName?: string | null;
  /** The catalog of this account; default the tenant's. */
  readonly accountId?: Uuid | null;
}

/** What a tenant sells. */
export interface CatalogOperations<C extends Leading = []> {
  /**
   * Adds the versions of an XML document to the tenant's catalog: all or nothing (§5).
   * @param document root `catalog` or the envelope `catalogs`; bytes as they came, or text; or a catalog that
   * is defined in code.
   * @throws BillingError CATALOG_INVALID_FOR_TENANT (2080) with every error found as `problems`, each with line and
   * column where it has one; nothing is stored then.
   */
  upload(...given: [...C, document: CatalogUpload]): Promise<void>;

  /**
   * What an upload of the document would find wrong now, together with the tenant's versions too; stores nothing (§12 row
   * 4).
   * @throws BillingError TOO_LARGE (60012).
   */
  validate(...given: [...C, document: CatalogUpload]): Promise<CatalogValidation>;

  /**
   * The catalog as it is now: a catalog plugin's, else what the tenant has stored; without versions for a tenant that has
   * none. With an account, the catalog that the account sees (§15.6, §16).
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002); UNEXPECTED (60000) or CATALOG_INVALID_FOR_TENANT (2080)
   * for a plugin that fails or gives a bad catalog.
   */
  current(...given: [...C, accountId?: Uuid | string | null]): Promise<Catalog>;

  /** The documents that make up the tenant's catalog, in upload order: the values of its key CATALOG (§5 rule 9). */
  sources(...given: [...C]): Promise<readonly string[]>;

  /**
   * Adds a plan with one recurring price, with its product if that is new, or adds a currency to such a plan: in the
   * version in force and every later one, or in a first version that it makes (§12 rule 3). Repeating it changes nothing.
   * @throws BillingError CATALOG_INVALID_SIMPLE_PLAN_DESCRIPTOR (2060); nothing is stored then.
   * CATALOG_INVALID_FOR_TENANT (2080) while a catalog plugin serves the tenant.
   */
  addSimplePlan(...given: [...C, plan: Given<SimplePlan>]): Promise<void>;

  /**
   * The plans of base products in the version in force now, once per price list (§12 rule 4); with an account, those of its catalog.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  availableBasePlans(
    ...given: [...C, request?: Given<Pick<AddOnsRequest, 'accountId'>>]
  ): Promise<readonly AvailablePlan[]>;

  /**
   * The plans of the add-ons that can be bought for a base product in the version in force now (§12 rule 4);
   * empty for an unknown product.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  availableAddOns(...given: [...C, request: Given<AddOnsRequest>]): Promise<readonly AvailablePlan[]>;

  /**
   * Removes all versions that the tenant has uploaded; their rows stay as history. The tenant is left without a catalog,
   * even if it used the default one (§5 rule 10, §14). Does nothing if there is none.
   * @throws BillingError CATALOG_INVALID_FOR_TENANT (2080) while a subscription, an ended one included, has one of its
   * plans.
   */
  delete(...given: [...C]): Promise<void>;
}
