import type { BillingMode, PhaseType, ProductCategory } from '../../../records/index.ts';
import type { Currency, Decimal } from '../../../values/money/index.ts';
import { type BillingPeriod, type Duration, formatInstant } from '../../../values/time/index.ts';
import type { CatalogVersion } from '../../lookup/catalog-version.ts';
import type {
  Block,
  InternationalPrice,
  Limit,
  Plan,
  PlanPhase,
  PlanRules,
  PriceList,
  Product,
  RuleCase,
  Tier,
  TieredBlock,
  Usage,
  WrittenDecimal,
} from '../../model/catalog-model.ts';
import { soldAs } from '../../model/part.ts';

/** The two dialects of the HTTP interface: K is a closed shape for clients in the field, D adds to it. */
export const CatalogDialect = { D: 'D', K: 'K' } as const;
export type CatalogDialect = (typeof CatalogDialect)[keyof typeof CatalogDialect];

// Shapes of §11. Optional fields are those of dialect D and stand only there.

export interface PriceJson {
  readonly currency: Currency;
  /** To be written as an exact JSON number; null: not sold in this currency. */
  readonly value: Decimal | null;
}

/** A record as JSON: prices as a list, counts and bounds as the digits of the document (`-1`: none), all else as it is. */
type Json<T> = T extends InternationalPrice
  ? readonly PriceJson[]
  : T extends WrittenDecimal
    ? string
    : T extends readonly (infer Item)[]
      ? readonly Json<Item>[]
      : T extends object
        ? { readonly [Name in keyof T]: Json<T[Name]> }
        : T;

export type LimitJson = Json<Limit>;
export type TieredBlockJson = Json<TieredBlock>;
export type BlockJson = Json<Block>;
export interface TierJson extends Pick<Json<Tier>, 'blocks' | 'limits'> {
  readonly fixedPrice: readonly PriceJson[];
  readonly recurringPrice: readonly PriceJson[];
}
export interface UsageJson
  extends Pick<Json<Usage>, 'billingPeriod'>,
    Partial<Omit<Json<Usage>, 'billingPeriod' | 'tiers' | 'fixedPrice' | 'recurringPrice'>> {
  readonly tiers: readonly TierJson[];
}
export interface PhaseJson {
  readonly type: PhaseType;
  readonly prices: readonly PriceJson[];
  readonly fixedPrices: readonly PriceJson[];
  readonly duration: Duration;
  readonly usages: readonly UsageJson[];
  readonly name?: string;
  readonly prettyName?: string;
  readonly recurringBillingPeriod?: BillingPeriod | null;
}
export interface PlanJson {
  readonly name: string;
  readonly prettyName: string;
  readonly recurringBillingMode: BillingMode | null;
  readonly billingPeriod: BillingPeriod;
  readonly phases: readonly PhaseJson[];
  readonly product?: string;
  readonly priceList?: string;
  readonly plansAllowedInBundle?: number;
  readonly effectiveDateForExistingSubscriptions?: string | null;
}
export interface ProductJson {
  readonly type: ProductCategory;
  readonly name: string;
  readonly prettyName: string;
  readonly plans: readonly PlanJson[];
  readonly included: readonly string[];
  readonly available: readonly string[];
}
export interface PriceListJson {
  readonly name: string;
  readonly plans: readonly string[];
  readonly prettyName?: string;
}
/** A case with the XML names of its conditions (null: any) and `policy`, `alignment` or `toPriceList`. */
export type RuleCaseJson = Readonly<Record<string, string | null>>;
export type RulesJson = Readonly<Record<keyof PlanRules, readonly RuleCaseJson[]>>;
export interface CatalogJson {
  readonly name: string;
  readonly effectiveDate: string;
  readonly currencies: readonly Currency[];
  readonly units: readonly { readonly name: string; readonly prettyName: string }[];
  readonly products: readonly ProductJson[];
  readonly priceLists: readonly PriceListJson[];
  readonly rules?: RulesJson;
}

/** One version as a plain object for `GET /catalog` (§11). */
export function catalogJson(version: CatalogVersion, dialect: CatalogDialect): CatalogJson {
  const { head, products, tail } = catalogJsonParts(version, dialect);
  return { ...head, products: [...products()], ...tail };
}

/** The members of a `CatalogJson` before its products, these one by one, and the members after them. */
export interface CatalogJsonParts {
  readonly head: Pick<CatalogJson, 'name' | 'effectiveDate' | 'currencies' | 'units'>;
  /** Each is made when it is asked for: of a large version they take long. */
  products(): Iterable<ProductJson>;
  readonly tail: Pick<CatalogJson, 'priceLists' | 'rules'>;
}

export function catalogJsonParts(version: CatalogVersion, dialect: CatalogDialect): CatalogJsonParts {
  return {
    head: {
      name: version.catalogName,
      effectiveDate: formatInstant(version.effectiveDate),
      currencies: version.currencies,
      units: version.units.map(({ name, prettyName }) => ({ name, prettyName })),
    },
    products: () => productsJson(version, dialect),
    tail: {
      priceLists: version.allPriceLists.map((list) => priceListJson(list, dialect)),
      ...(dialect === CatalogDialect.D && { rules: rulesJson(version.rules) }),
    },
  };
}

function* productsJson(version: CatalogVersion, dialect: CatalogDialect): Generator<ProductJson> {
  const plansOf = Map.groupBy(version.planParts.parts, (part) => soldAs(part).product);
  for (const { value: product } of version.productParts.parts) {
    const plans = (plansOf.get(product.name) ?? []).map(({ value }) => planJson(version, value, dialect));
    yield productJson(product, plans);
  }
}

export function productJson(product: Product, plans: readonly PlanJson[]): ProductJson {
  return {
    type: product.category,
    name: product.name,
    prettyName: product.prettyName,
    plans,
    included: product.included,
    available: product.available,
  };
}

export function planJson(version: CatalogVersion, plan: Plan, dialect: CatalogDialect): PlanJson {
  const forExisting = plan.effectiveDateForExistingSubscriptions;
  return {
    name: plan.name,
    prettyName: plan.prettyName,
    recurringBillingMode: plan.recurringBillingMode,
    billingPeriod: plan.billingPeriod,
    phases: plan.phases.map((phase) => phaseJson(phase, dialect)),
    ...(dialect === CatalogDialect.D && {
      product: plan.product,
      priceList: version.priceListOf(plan),
      plansAllowedInBundle: plan.plansAllowedInBundle,
      effectiveDateForExistingSubscriptions: forExisting === null ? null : formatInstant(forExisting),
    }),
  };
}

export function phaseJson(phase: PlanPhase, dialect: CatalogDialect): PhaseJson {
  return {
    type: phase.type,
    prices: pricesJson(phase.recurring?.price),
    fixedPrices: pricesJson(phase.fixed?.price),
    duration: { unit: phase.duration.unit, number: phase.duration.number },
    usages: phase.usages.map((usage) => usageJson(usage, dialect)),
    ...(dialect === CatalogDialect.D && {
      name: phase.name,
      prettyName: phase.prettyName,
      recurringBillingPeriod: phase.recurring?.billingPeriod ?? null,
    }),
  };
}

export function priceListJson(list: PriceList, dialect: CatalogDialect): PriceListJson {
  return {
    name: list.name,
    plans: list.plans,
    ...(dialect === CatalogDialect.D && { prettyName: list.prettyName }),
  };
}

function usageJson(usage: Usage, dialect: CatalogDialect): UsageJson {
  return {
    billingPeriod: usage.billingPeriod,
    tiers: usage.tiers.map(tierJson),
    ...(dialect === CatalogDialect.D && {
      name: usage.name,
      prettyName: usage.prettyName,
      billingMode: usage.billingMode,
      usageType: usage.usageType,
      tierBlockPolicy: usage.tierBlockPolicy,
      limits: usage.limits.map(limitJson),
      blocks: usage.blocks.map(blockJson),
    }),
  };
}

function tierJson(tier: Tier): TierJson {
  return {
    blocks: tier.blocks.map(tieredBlockJson),
    limits: tier.limits.map(limitJson),
    fixedPrice: pricesJson(tier.fixedPrice),
    recurringPrice: pricesJson(tier.recurringPrice),
  };
}

function tieredBlockJson({ unit, size, max, prices }: TieredBlock): TieredBlockJson {
  return { unit, size: size.text, max: max.text, prices: pricesJson(prices) };
}

function blockJson({ type, unit, size, prices, minTopUpCredit }: Block): BlockJson {
  return {
    type,
    unit,
    size: size.text,
    prices: pricesJson(prices),
    minTopUpCredit: minTopUpCredit?.text ?? null,
  };
}

function limitJson({ unit, max, min }: Limit): LimitJson {
  return { unit, max: max.text, min: min.text };
}

function pricesJson(price: InternationalPrice | null | undefined): readonly PriceJson[] {
  return (price?.prices ?? []).map(({ currency, amount }) => ({ currency, value: amount?.value ?? null }));
}

function rulesJson(rules: PlanRules): RulesJson {
  return {
    changePolicy: casesJson(rules.changePolicy, 'policy'),
    changeAlignment: casesJson(rules.changeAlignment, 'alignment'),
    cancelPolicy: casesJson(rules.cancelPolicy, 'policy'),
    createAlignment: casesJson(rules.createAlignment, 'alignment'),
    billingAlignment: casesJson(rules.billingAlignment, 'alignment'),
    priceList: casesJson(rules.priceList, 'toPriceList'),
  };
}

function casesJson<Name extends string>(
  cases: readonly RuleCase<Readonly<Record<Name, string | null>>, string>[],
  resultName: string,
): readonly RuleCaseJson[] {
  return cases.map(({ conditions, result }) => ({ ...conditions, [resultName]: result }));
}
