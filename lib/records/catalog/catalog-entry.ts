import { enumeration, f, type RecordOf } from '../../values/fields/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { BillingPeriod, Duration, Instant } from '../../values/time/index.ts';
import type {
  BillingMode,
  PhaseType,
  ProductCategory,
  TierBlockPolicy,
  UsageType,
} from './catalog-enumerations.ts';
import type { FeatureSetting } from './feature.ts';

/**
 * Kinds of names in the entry catalog. Names are unique across the tenant's scope and the scopes of its accounts
 * (catalog §15.1, V1). CATALOG is the name of the entry catalog itself.
 */
export const EntryKind = enumeration('CATALOG', 'PRODUCT', 'PRICE_LIST', 'PLAN', 'USAGE', 'UNIT');
export type EntryKind = keyof typeof EntryKind;

/** The scope of an entry. It is the tenant (both ids are null) or one of the tenant's accounts. */
export interface EntryScope {
  readonly accountId: Uuid | null;
  readonly accountRecordId: number | null;
}

/**
 * The feature values that a product, plan or phase of the entry catalog sets. The field is absent if no values are set.
 */
export interface WithFeatureSettings {
  readonly features?: readonly FeatureSetting[];
}

export interface ProductTerms extends WithFeatureSettings {
  readonly prettyName: string;
  readonly category: ProductCategory;
  /** For an ADD_ON: its base products. */
  readonly availableForBps: readonly string[];
  /** Available add-ons of a BASE product. */
  readonly availableAddons: readonly string[];
}

/** The terms shared by all rows of a plan. */
export interface PlanTerms extends WithFeatureSettings {
  readonly prettyName: string;
  readonly recurringBillingMode: BillingMode;
  readonly productName: string;
  readonly pricelistName: string;
  /** A copy of the product from an XML version. It remains even if the XML catalog is deleted. */
  readonly xmlProduct: Pick<ProductTerms, 'prettyName' | 'category'> | null;
}

/** A named entry of the catalog; immutable. */
export const catalogEntryFields = {
  recordId: f.recordId,
  id: f.id(),
  kind: f.oneOf(EntryKind),
  name: f.text(),
  accountId: f.orNull(f.id()),
  accountRecordId: f.orNull(f.bigint()),
  /**
   * Id of the parent entry. For a PLAN, the parent is its product, if the product is an entry. For a USAGE, the parent
   * is its plan.
   */
  parentId: f.orNull(f.id()),
  /** The terms of the product, or null if the entry is not a PRODUCT. */
  product: f.orNull(f.json<ProductTerms>()),
  /** The terms of the plan, or null if the entry is not a PLAN. */
  plan: f.orNull(f.json<PlanTerms>()),
  createdDate: f.instant(),
};
export interface CatalogEntry extends RecordOf<typeof catalogEntryFields> {}

export interface EntryPrice {
  readonly currency: Currency;
  readonly value: Decimal;
}

export interface EntryBlock {
  /** Name of the unit. */
  readonly billingMeterCode: string;
  readonly size: number;
  /** Number of blocks; −1 = unlimited. */
  readonly max: number;
  readonly prices: readonly EntryPrice[];
}

export interface EntryTier {
  readonly tierNumber: number;
  readonly blocks: readonly EntryBlock[];
}

export interface EntryUsage {
  readonly usageName: string;
  readonly prettyName: string;
  readonly usageType: UsageType;
  readonly billingPeriod: BillingPeriod;
  readonly tierBlockPolicy: TierBlockPolicy;
  readonly tiers: readonly EntryTier[];
}

export interface EntryPhase extends WithFeatureSettings {
  readonly prettyName: string;
  readonly type: PhaseType;
  readonly duration: Duration;
  readonly fixedPrices: readonly EntryPrice[];
  readonly recurringPrices: {
    readonly billingPeriod: BillingPeriod;
    readonly prices: readonly EntryPrice[];
  } | null;
  readonly usages: readonly EntryUsage[];
}

/** The prices of a plan from a date on, or the retirement of the plan on that date. Immutable. */
export const planRowFields = {
  recordId: f.recordId,
  id: f.id(),
  planName: f.text(),
  accountRecordId: f.orNull(f.bigint()),
  effectiveDate: f.instant(),
  /** Number of the row within its plan. If two rows have the same date, the later row applies. */
  createdOrder: f.integer(),
  effectiveDateForExistingSubscriptions: f.orNull(f.instant()),
  retired: f.flag(),
  /** The tenant's `catalogRevision` in which the row was added. */
  sinceRevision: f.integer({ audit: null }),
  /** The phases of the row. A row that retires the plan contains the phases of the previous row. */
  phases: f.json<readonly EntryPhase[]>(),
  createdDate: f.instant(),
};
export interface PlanRow extends RecordOf<typeof planRowFields> {}

/** A product in the form used by the entry API (json-models §13, ProductData). */
export interface ProductEntryView extends ProductTerms {
  readonly name: string;
  /**
   * The date on which the product's last plan was retired, or null if there are no plans, or if a plan is still
   * active.
   */
  readonly retiredDate: Instant | null;
}

/** A plan row in the form used by the entry API (json-models §13, PlanData). */
export interface PlanEntryView
  extends Omit<PlanTerms, 'xmlProduct'>,
    Pick<PlanRow, 'effectiveDate' | 'effectiveDateForExistingSubscriptions' | 'retired' | 'phases'> {
  readonly name: string;
}

/** The entries that a request stored or found (json-models §13, CatalogInputData). */
export interface CatalogEntriesView {
  readonly catalogName: string;
  readonly plans: readonly PlanEntryView[];
  readonly products: readonly ProductEntryView[];
}

/** Specifies where a scope's catalog comes from (catalog §15.2). */
export const CatalogState = {
  PLUGIN: 'CATALOG_STATE_PLUGIN',
  XML: 'CATALOG_STATE_XML',
  INIT: 'CATALOG_STATE_INIT',
  UNKNOWN: 'CATALOG_STATE_UNKNOWN',
} as const;
export type CatalogState = (typeof CatalogState)[keyof typeof CatalogState];
