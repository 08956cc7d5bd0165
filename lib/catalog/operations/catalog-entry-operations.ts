import type {
  CatalogEntriesView,
  CatalogState,
  Leading,
  PlanEntryView,
  ProductEntryView,
} from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { PlanUpdate } from '../formats/entries/change-plan.ts';
import type { CatalogEntriesInput, PlanEntryInput } from '../formats/entries/entry-input.ts';
import type { EntryScopeOptions } from './entry-scope.ts';

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
