import type {
  CatalogEntriesView,
  CatalogState,
  Leading,
  PlanEntryView,
  ProductEntryView,
} from '../../records/index.ts';
import type { Problem } from '../../values/errors/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { SimplePlan } from '../formats/add-simple-plan.ts';
import type { PlanUpdate } from '../formats/entries/change-plan.ts';
import type { CatalogEntriesInput, PlanEntryInput } from '../formats/entries/entry-input.ts';
import type { CatalogValidation } from '../formats/xml/catalog-document.ts';
import type { Catalog } from '../lookup/catalog.ts';
import type { AvailablePlan, CatalogVersion } from '../lookup/catalog-version.ts';

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

/** Which entries a call is about: those of an account or, without one, those of the tenant. */
export interface EntryScopeOptions {
  readonly accountId?: Uuid | null;
}

export interface DeletePlanOptions extends EntryScopeOptions {
  /** Nothing is deleted unless it is true. */
  readonly force: boolean;
  /** True: all rows of the plan, else the latest one. */
  readonly allVersions?: boolean;
}

export interface DeleteProductOptions extends EntryScopeOptions {
  /** Nothing is deleted unless it is true. */
  readonly force: boolean;
  /** True: its plans are deleted too; else they stay listed, but leave the catalog. */
  readonly deleteAllPlans?: boolean;
}

/** Plans and products that are kept one by one, beside the documents. */
export interface CatalogEntryOperations<C extends Leading = []> {
  /**
   * Creates plans and products, and the price lists that the plans name: all or nothing. What already exists in the scope
   * stays as it is and is returned as it is stored, so a call may be repeated.
   * @throws BillingError CATALOG_ENTRY_PRODUCT_UNKNOWN (61001), CATALOG_ENTRY_SCOPE_MISMATCH (61002) for a name that
   * another scope has, CATALOG_ENTRY_INVALID_ENTRY (61004) with every problem.
   */
  create(
    ...given: [...C, request: Given<CatalogEntriesInput>, options?: Given<EntryScopeOptions>]
  ): Promise<CatalogEntriesView>;

  /**
   * Creates one plan of a product that exists; an existing plan of that name is returned as it is stored.
   * @throws BillingError as `create`.
   */
  createPlan(
    ...given: [...C, plan: Given<PlanEntryInput>, options?: Given<EntryScopeOptions>]
  ): Promise<PlanEntryView>;

  /**
   * Gives a plan new prices from a date on.
   * @throws BillingError CATALOG_ENTRY_PLAN_NOT_FOUND (61006), CATALOG_ENTRY_INVALID_ENTRY (61004) for a retired plan,
   * phases of another shape or dates out of order.
   */
  updatePlan(
    ...given: [...C, planName: string, update: Given<PlanUpdate & EntryScopeOptions>]
  ): Promise<PlanEntryView>;

  /**
   * Takes a plan off the catalog from now on; running subscriptions keep it. Nothing happens if it is already retired.
   * @throws BillingError CATALOG_ENTRY_PLAN_NOT_FOUND (61006).
   */
  retirePlan(...given: [...C, planName: string, options?: Given<EntryScopeOptions>]): Promise<void>;

  /**
   * Erases the latest row of a plan, or all of it.
   * @throws BillingError CATALOG_ENTRY_FORCE_REQUIRED (61003), CATALOG_ENTRY_PLAN_NOT_FOUND (61006),
   * CATALOG_ENTRY_ENTRY_IN_USE (61005) while a subscription, ended ones included, has the plan.
   */
  deletePlan(...given: [...C, planName: string, options: Given<DeletePlanOptions>]): Promise<void>;

  /**
   * Erases a product. Its plans, those of accounts included, leave the catalog; with `deleteAllPlans` they are erased too.
   * @throws BillingError CATALOG_ENTRY_FORCE_REQUIRED (61003), CATALOG_ENTRY_PRODUCT_NOT_FOUND (61007),
   * CATALOG_ENTRY_ENTRY_IN_USE (61005) while a subscription, ended ones included, has a plan of it.
   */
  deleteProduct(...given: [...C, name: string, options: Given<DeleteProductOptions>]): Promise<void>;

  /** The products of the scope by name. */
  products(...given: [...C, options?: Given<EntryScopeOptions>]): Promise<readonly ProductEntryView[]>;

  /** Every row of the plans of the scope, those of retired plans included, by name, then date. */
  plans(...given: [...C, options?: Given<EntryScopeOptions>]): Promise<readonly PlanEntryView[]>;

  /**
   * The same for one product, which may be an entry of the scope or of the tenant, or a product of the XML catalog.
   * @throws BillingError CATALOG_ENTRY_PRODUCT_NOT_FOUND (61007).
   */
  plansOfProduct(
    ...given: [...C, productName: string, options?: Given<EntryScopeOptions>]
  ): Promise<readonly PlanEntryView[]>;

  /** The latest row of a plan of the scope. @throws BillingError CATALOG_ENTRY_PLAN_NOT_FOUND (61006). */
  latestPlan(...given: [...C, planName: string, options?: Given<EntryScopeOptions>]): Promise<PlanEntryView>;

  /** Where the catalog of the scope comes from; UNKNOWN while a catalog plugin fails. */
  state(...given: [...C, options?: Given<EntryScopeOptions>]): Promise<CatalogState>;
}

/** What an upload would do to the catalog. */
export interface CatalogPreview {
  /** Why it would be refused; empty: it would not be. */
  readonly errors: readonly Problem[];
  /** Never stop an upload. */
  readonly warnings: readonly Problem[];
  /** The versions that it would add; none if it would be refused. */
  readonly added: readonly CatalogVersion[];
}
