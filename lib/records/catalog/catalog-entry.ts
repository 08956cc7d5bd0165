import {
  bigint,
  flag,
  id,
  instant,
  integer,
  json,
  oneOf,
  orNull,
  type RecordOf,
  recordId,
  text,
} from '../../values/fields/index.ts';
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

/**
 * What a name of the entry catalog stands for. Names are unique over both scopes; names of usage sections and units are
 * kept too, so that a later plan cannot take them (catalog §15.1, V1). CATALOG holds the name of the entry catalog
 * itself.
 */
export const EntryKind = {
  CATALOG: 'CATALOG',
  PRODUCT: 'PRODUCT',
  PRICE_LIST: 'PRICE_LIST',
  PLAN: 'PLAN',
  USAGE: 'USAGE',
  UNIT: 'UNIT',
} as const;
export type EntryKind = (typeof EntryKind)[keyof typeof EntryKind];

/** Who an entry is for: the tenant (both null), or one of its accounts. */
export interface EntryScope {
  readonly accountId: Uuid | null;
  readonly accountRecordId: number | null;
}

export interface ProductTerms {
  readonly prettyName: string;
  readonly category: ProductCategory;
  /** For an ADD_ON: the base products for which it can be bought. */
  readonly availableForBps: readonly string[];
  /** For a BASE product: the add-ons that can be bought for it. */
  readonly availableAddons: readonly string[];
}

/** What all rows of a plan have in common. */
export interface PlanTerms {
  readonly prettyName: string;
  readonly recurringBillingMode: BillingMode;
  readonly productName: string;
  readonly pricelistName: string;
  /** The product of an XML version as it was then; the plan keeps it even if the XML catalog is deleted. */
  readonly xmlProduct: Pick<ProductTerms, 'prettyName' | 'category'> | null;
}

/** A name of the entry catalog and what it stands for; never changed once it is stored. */
export const catalogEntryFields = {
  recordId,
  id: id(),
  kind: oneOf(EntryKind),
  name: text(),
  accountId: orNull(id()),
  accountRecordId: orNull(bigint()),
  /** For a PLAN its product, if that is an entry; for a USAGE its plan. */
  parentId: orNull(id()),
  /** For a PRODUCT only. */
  product: orNull(json<ProductTerms>()),
  /** For a PLAN only. */
  plan: orNull(json<PlanTerms>()),
  createdDate: instant(),
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
  /** Number of blocks; −1 is unbounded. */
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

export interface EntryPhase {
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

/** A plan from one date on: its prices, or its retirement. Never changed once it is stored. */
export const planRowFields = {
  recordId,
  id: id(),
  planName: text(),
  accountRecordId: orNull(bigint()),
  effectiveDate: instant(),
  /** Counts the rows of a plan: where two rows have one date, the later one holds. */
  createdOrder: integer(),
  effectiveDateForExistingSubscriptions: orNull(instant()),
  retired: flag(),
  /** The tenant's `catalogRevision` since which the catalog holds the row. */
  sinceRevision: integer({ audit: null }),
  /** For a retirement, the phases of the row before. */
  phases: json<readonly EntryPhase[]>(),
  createdDate: instant(),
};
export interface PlanRow extends RecordOf<typeof planRowFields> {}

/** A product as the entry API shows it (json-models §13, ProductData). */
export interface ProductEntryView extends ProductTerms {
  readonly name: string;
  /** When its last plan was retired; null while it has a plan that is not retired, or has none at all. */
  readonly retiredDate: Instant | null;
}

/** One row of a plan as the entry API shows it (json-models §13, PlanData). */
export interface PlanEntryView
  extends Pick<PlanTerms, 'prettyName' | 'recurringBillingMode' | 'productName' | 'pricelistName'> {
  readonly name: string;
  readonly effectiveDate: Instant;
  readonly effectiveDateForExistingSubscriptions: Instant | null;
  readonly retired: boolean;
  readonly phases: readonly EntryPhase[];
}

/** What a creation answers: everything as it is stored (json-models §13, CatalogInputData). */
export interface CatalogEntriesView {
  readonly catalogName: string;
  readonly plans: readonly PlanEntryView[];
  readonly products: readonly ProductEntryView[];
}

/** Where the catalog of a scope comes from (catalog §15.2). */
export const CatalogState = {
  PLUGIN: 'CATALOG_STATE_PLUGIN',
  XML: 'CATALOG_STATE_XML',
  INIT: 'CATALOG_STATE_INIT',
  UNKNOWN: 'CATALOG_STATE_UNKNOWN',
} as const;
export type CatalogState = (typeof CatalogState)[keyof typeof CatalogState];
