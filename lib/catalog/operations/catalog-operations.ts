import type {
  CatalogEntriesView,
  CatalogState,
  Leading,
  PlanEntryView,
  ProductEntryView,
} from '../../records/index.ts';
import type { Problem } from '../../values/errors/index.ts';
import type { HostInput } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { SimplePlan } from '../formats/add-simple-plan.ts';
import type { PlanUpdate } from '../formats/entries/change-plan.ts';
import type { CatalogEntriesInput, PlanEntryInput } from '../formats/entries/entry-input.ts';
import type { CatalogValidation } from '../formats/xml/catalog-document.ts';
import type { Catalog } from '../lookup/catalog.ts';
import type { AvailablePlan, CatalogVersion } from '../lookup/catalog-version.ts';

/** A document as bytes or text, or a catalog defined in code. */
export type CatalogUpload = Uint8Array | string | WritesXml;

export interface WritesXml {
  toXml(): string;
}

export interface AddOnsRequest {
  readonly baseProductName: string;
  /** Name of the price list to search. By default, all lists are searched. */
  readonly priceListName?: string | null;
  /** Account whose catalog is searched. By default, the tenant's catalog is searched. */
  readonly accountId?: Uuid | null;
}

/** The result of `sync`. */
export interface CatalogSync {
  readonly status: 'UNCHANGED' | 'UPDATED';
  /** The effective dates of the versions that were added, in the order of the document. */
  readonly added: readonly Instant[];
}

export interface CatalogOperations<C extends Leading = []> {
  /**
   * Adds all versions of an XML document to the tenant's catalog, or none if one is invalid (§5). For a catalog defined
   * in code, does the same as `sync`.
   * @param document root `catalog` or the envelope `catalogs`, as bytes or text, or a catalog defined in code.
   * @throws BillingError CATALOG_INVALID_FOR_TENANT (2080) that lists every error in `problems`, with line and column
   * if known.
   */
  upload(...given: [...C, document: CatalogUpload]): Promise<void>;

  /**
   * Adds the versions of a catalog that the tenant does not have yet, by effective date. Does nothing if the tenant has
   * all of them, so an application can call this at each start (§5 rule 11).
   * @throws BillingError CATALOG_INVALID_FOR_TENANT (2080) if a stored version was edited. In this case, `problems`
   * lists each difference with its plan, phase, currency, old price and new price. Also throws the errors of `upload`.
   */
  sync(...given: [...C, document: CatalogUpload]): Promise<CatalogSync>;

  /**
   * Returns the problems of an upload, including conflicts with the tenant's versions. Stores nothing (§12 row 4).
   * @throws BillingError TOO_LARGE (60012).
   */
  validate(...given: [...C, document: CatalogUpload]): Promise<CatalogValidation>;

  /**
   * Returns the current catalog. This is the catalog of a plugin or, without one, the stored catalog, which may have no
   * versions. If an account is given, returns the catalog that the account sees (§15.6, §16).
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002); UNEXPECTED (60000) for a failed plugin, or
   * CATALOG_INVALID_FOR_TENANT (2080) for an invalid catalog.
   */
  current(...given: [...C, accountId?: Uuid | string | null]): Promise<Catalog>;

  /**
   * Returns the documents of the tenant's catalog in upload order. They are the values of the tenant's key CATALOG
   * (§5 rule 9).
   */
  sources(...given: [...C]): Promise<readonly string[]>;

  /**
   * Adds a plan with one recurring price, and a new product if needed. For an existing simple plan, adds a currency.
   * The change applies to the version in force and all later versions, or to a new first version (§12 rule 3).
   * Idempotent.
   * @throws BillingError CATALOG_INVALID_SIMPLE_PLAN_DESCRIPTOR (2060); CATALOG_INVALID_FOR_TENANT (2080) while a
   * catalog plugin serves the tenant.
   */
  addSimplePlan(...given: [...C, plan: HostInput<SimplePlan>]): Promise<void>;

  /**
   * Returns the plans of base products in the version in force, once per price list (§12 rule 4). The catalog is the
   * tenant's or an account's.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  availableBasePlans(
    ...given: [...C, request?: HostInput<Pick<AddOnsRequest, 'accountId'>>]
  ): Promise<readonly AvailablePlan[]>;

  /**
   * Returns the plans of add-ons available for a base product in the version in force (§12 rule 4). An unknown
   * product has no plans.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  availableAddOns(...given: [...C, request: HostInput<AddOnsRequest>]): Promise<readonly AvailablePlan[]>;

  /**
   * Removes all versions that the tenant has uploaded; their rows stay as history. Afterward, the tenant has no
   * catalog, even if it used the default one (§5 rule 10, §14).
   * @throws BillingError CATALOG_INVALID_FOR_TENANT (2080) while a subscription, even an ended one, has one of the
   * plans.
   */
  delete(...given: [...C]): Promise<void>;
}

/** Selects the entries of an account or, by default, the entries of the tenant. */
export interface EntryScopeOptions {
  readonly accountId?: Uuid | null;
}

export interface DeletePlanOptions extends EntryScopeOptions {
  /** Confirms the deletion. Must be true. */
  readonly force: boolean;
  /** If true, returns all rows of the plan. If false (the default), returns the latest row. */
  readonly allVersions?: boolean;
}

export interface DeleteProductOptions extends EntryScopeOptions {
  /** Confirms the deletion. Must be true. */
  readonly force: boolean;
  /**
   * If true, also deletes the plans of the product. Otherwise they remain listed, but are no longer part of the
   * catalog.
   */
  readonly deleteAllPlans?: boolean;
}

/** Operations on plans and products that are stored individually, not in catalog documents. */
export interface CatalogEntryOperations<C extends Leading = []> {
  /**
   * Creates plans, products and the price lists that the plans name: all of them or none. Existing entries of the
   * scope stay unchanged and are returned, so a call may be repeated.
   * @throws BillingError CATALOG_ENTRY_PRODUCT_UNKNOWN (61001), CATALOG_ENTRY_SCOPE_MISMATCH (61002) for a name of
   * another scope, CATALOG_ENTRY_INVALID_ENTRY (61004) with every problem.
   */
  create(
    ...given: [...C, request: HostInput<CatalogEntriesInput>, options?: HostInput<EntryScopeOptions>]
  ): Promise<CatalogEntriesView>;

  /**
   * Creates one plan for an existing product. Returns an existing plan with the same name unchanged.
   * @throws BillingError with the codes of `create`.
   */
  createPlan(
    ...given: [...C, plan: HostInput<PlanEntryInput>, options?: HostInput<EntryScopeOptions>]
  ): Promise<PlanEntryView>;

  /**
   * Sets the prices of a plan from the given date on.
   * @throws BillingError CATALOG_ENTRY_PLAN_NOT_FOUND (61006), CATALOG_ENTRY_INVALID_ENTRY (61004) for a retired plan,
   * phases of a different shape or dates out of order.
   */
  updatePlan(
    ...given: [...C, planName: string, update: HostInput<PlanUpdate & EntryScopeOptions>]
  ): Promise<PlanEntryView>;

  /**
   * Retires a plan now. Running subscriptions keep the plan. Idempotent.
   * @throws BillingError CATALOG_ENTRY_PLAN_NOT_FOUND (61006).
   */
  retirePlan(...given: [...C, planName: string, options?: HostInput<EntryScopeOptions>]): Promise<void>;

  /**
   * Deletes the latest row of a plan, or all rows.
   * @throws BillingError CATALOG_ENTRY_FORCE_REQUIRED (61003), CATALOG_ENTRY_PLAN_NOT_FOUND (61006),
   * CATALOG_ENTRY_ENTRY_IN_USE (61005) while a subscription, even an ended one, has the plan.
   */
  deletePlan(...given: [...C, planName: string, options: HostInput<DeletePlanOptions>]): Promise<void>;

  /**
   * Deletes a product. Its plans, including plans of accounts, leave the catalog; `deleteAllPlans` also deletes them.
   * @throws BillingError CATALOG_ENTRY_FORCE_REQUIRED (61003), CATALOG_ENTRY_PRODUCT_NOT_FOUND (61007),
   * CATALOG_ENTRY_ENTRY_IN_USE (61005) while a subscription, even an ended one, has a plan of the product.
   */
  deleteProduct(...given: [...C, name: string, options: HostInput<DeleteProductOptions>]): Promise<void>;

  /** Returns the products of the scope sorted by name. */
  products(...given: [...C, options?: HostInput<EntryScopeOptions>]): Promise<readonly ProductEntryView[]>;

  /** Returns all rows of the scope's plans, including retired plans. They are sorted by name, then by date. */
  plans(...given: [...C, options?: HostInput<EntryScopeOptions>]): Promise<readonly PlanEntryView[]>;

  /**
   * Returns the plans of one product of the scope, the tenant or the XML catalog.
   * @throws BillingError CATALOG_ENTRY_PRODUCT_NOT_FOUND (61007).
   */
  plansOfProduct(
    ...given: [...C, productName: string, options?: HostInput<EntryScopeOptions>]
  ): Promise<readonly PlanEntryView[]>;

  /** Returns the newest row of the plan. @throws BillingError CATALOG_ENTRY_PLAN_NOT_FOUND (61006). */
  latestPlan(
    ...given: [...C, planName: string, options?: HostInput<EntryScopeOptions>]
  ): Promise<PlanEntryView>;

  /** Returns the source of the scope's catalog. UNKNOWN means that a catalog plugin failed. */
  state(...given: [...C, options?: HostInput<EntryScopeOptions>]): Promise<CatalogState>;
}

/** The effect of an upload. */
export interface CatalogPreview {
  /** The reasons why the upload would be rejected. The list is empty for a valid upload. */
  readonly errors: readonly Problem[];
  /** Problems that do not prevent an upload. */
  readonly warnings: readonly Problem[];
  /** The versions that the upload would add. The list is empty if the upload would be rejected. */
  readonly added: readonly CatalogVersion[];
}
