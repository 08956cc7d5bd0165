import { BlockType, FixedType, TierBlockPolicy } from '../../../records/index.ts';
import type { Problem } from '../../../values/errors/index.ts';
import type { Currency } from '../../../values/money/index.ts';
import { BillingPeriod, type Instant, instant, UNLIMITED_DURATION } from '../../../values/time/index.ts';
import {
  type Block,
  DEFAULT_PRICE_LIST,
  type InternationalPrice,
  type Limit,
  type PriceList,
  type Product,
  type Recurring,
  type Tier,
  type TieredBlock,
  UNBOUNDED,
  type Usage,
  type WrittenDecimal,
} from '../../model/catalog-model.ts';
import { writtenDecimal } from '../../model/plain-text.ts';
import type { PhaseContent, PlanContent, VersionContent } from '../../model/version-content.ts';
import { invalidCatalog } from '../../validation/invalid-catalog.ts';
import { quote } from '../xml/quote.ts';
import { dateTime, decimal, type Scalar } from '../xml/scalar.ts';
import type {
  Amount,
  AnyVersionDefinition,
  BlockDefinition,
  FinalPhaseDefinition,
  InitialPhaseDefinition,
  LimitDefinition,
  PlanDefinition,
  PriceDefinition,
  PriceListDefinition,
  ProductDefinition,
  Quantity,
  TierDefinition,
  TieredBlockDefinition,
  UsageDefinition,
} from './definition.ts';
import { rulesOf } from './rules-of-definition.ts';

type Price = PriceDefinition<Currency>;

/** Stand in for what cannot be read, until that is told. */
const unread = { amount: writtenDecimal('0'), instant: instant(0) };

/**
 * What a definition says, in the form in which a document that says the same is read.
 * @throws BillingError 2080 with every amount and date that cannot be read, and a missing DEFAULT list, as `problems`.
 */
export function contentOf(name: string, definition: AnyVersionDefinition): VersionContent {
  return new DefinitionReader().version(name, definition);
}

class DefinitionReader {
  readonly #problems: Problem[] = [];

  version(catalogName: string, definition: AnyVersionDefinition): VersionContent {
    const { DEFAULT: defaultList = this.#noDefaultList(), ...childLists } = definition.priceLists;
    const content: VersionContent = {
      catalogName,
      effectiveDate: this.#instant(definition.effectiveDate, 'effectiveDate'),
      recurringBillingMode: definition.recurringBillingMode ?? null,
      currencies: definition.currencies,
      units: Object.entries(definition.units ?? {}).map(([name, { prettyName = name }]) => ({
        name,
        prettyName,
      })),
      products: Object.entries(definition.products).map(([name, product]) => this.#product(name, product)),
      plans: Object.entries(definition.plans).map(([name, plan]) => this.#plan(name, plan)),
      rules: rulesOf(definition.rules),
      priceLists: {
        defaultPriceList: listOf(DEFAULT_PRICE_LIST, defaultList),
        childPriceLists: Object.entries(childLists).map(([name, list]) => listOf(name, list)),
      },
    };
    if (this.#problems.length > 0) throw invalidCatalog(this.#problems);
    return content;
  }

  /** The compiler has already said so to those who use it. */
  #noDefaultList(): PriceListDefinition<string> {
    this.#problems.push({ message: `priceLists: the list ${DEFAULT_PRICE_LIST} is missing` });
    return [];
  }

  #product(name: string, definition: ProductDefinition<string, string>): Product {
    return {
      name,
      prettyName: definition.prettyName ?? name,
      category: definition.category,
      included: definition.included ?? [],
      available: definition.available ?? [],
      limits: this.#limits(definition.limits, `Product "${name}"`),
    };
  }

  #plan(name: string, definition: PlanDefinition<Currency, string, string>): PlanContent {
    const owner = `Plan "${name}"`;
    const date = definition.effectiveDateForExistingSubscriptions;
    return {
      name,
      prettyName: definition.prettyName ?? name,
      product: definition.product,
      recurringBillingMode: definition.recurringBillingMode ?? null,
      effectiveDateForExistingSubscriptions:
        date === undefined ? null : this.#instant(date, `${owner}, effectiveDateForExistingSubscriptions`),
      initialPhases: (definition.initialPhases ?? []).map((phase) => this.#phase(phase, owner)),
      finalPhase: this.#phase(definition.finalPhase, owner),
      plansAllowedInBundle: definition.plansAllowedInBundle ?? UNBOUNDED,
    };
  }

  #phase(
    definition: InitialPhaseDefinition<Currency, string> | FinalPhaseDefinition<Currency, string>,
    plan: string,
  ): PhaseContent {
    const owner = `${plan}, phase ${definition.type}`;
    const {
      type,
      prettyName = null,
      duration = UNLIMITED_DURATION,
      fixed,
      recurring,
      usages = {},
    } = definition;
    return {
      type,
      prettyName,
      duration,
      fixed:
        fixed === undefined
          ? null
          : { type: FixedType.ONE_TIME, price: this.#price(fixed, `${owner}, fixed`) },
      recurring: recurring === undefined ? null : this.#recurring(recurring, `${owner}, recurring`),
      usages: Object.entries(usages).map(([name, usage]) => this.#usage(name, usage, owner)),
    };
  }

  #recurring(
    definition: NonNullable<FinalPhaseDefinition<Currency, string>['recurring']>,
    owner: string,
  ): Recurring {
    if (definition.billingPeriod === BillingPeriod.NO_BILLING_PERIOD) {
      return { billingPeriod: definition.billingPeriod, price: null };
    }
    return { billingPeriod: definition.billingPeriod, price: this.#price(definition.price, owner) };
  }

  #usage(name: string, definition: UsageDefinition<Currency, string>, phase: string): Usage {
    const owner = `${phase}, usage "${name}"`;
    return {
      name,
      prettyName: definition.prettyName ?? name,
      billingMode: definition.billingMode,
      usageType: definition.usageType,
      tierBlockPolicy: definition.tierBlockPolicy ?? TierBlockPolicy.ALL_TIERS,
      billingPeriod: definition.billingPeriod,
      limits: this.#limits(definition.limits, owner),
      blocks: (definition.blocks ?? []).map((block) => this.#block(block, owner)),
      tiers: (definition.tiers ?? []).map((tier) => this.#tier(tier, owner)),
      fixedPrice: this.#optionalPrice(definition.fixedPrice, owner),
      recurringPrice: this.#optionalPrice(definition.recurringPrice, owner),
    };
  }

  #tier(definition: TierDefinition<Currency, string>, owner: string): Tier {
    return {
      limits: this.#limits(definition.limits, owner),
      blocks: (definition.blocks ?? []).map((block) => this.#tieredBlock(block, owner)),
      fixedPrice: this.#optionalPrice(definition.fixedPrice, owner),
      recurringPrice: this.#optionalPrice(definition.recurringPrice, owner),
    };
  }

  #block(definition: BlockDefinition<Currency, string>, owner: string): Block {
    const { type = BlockType.VANILLA, unit, size, prices, minTopUpCredit } = definition;
    return {
      type,
      unit,
      size: this.#quantity(size, `${owner}, size`),
      prices: this.#price(prices, owner),
      minTopUpCredit:
        minTopUpCredit === undefined ? null : this.#quantity(minTopUpCredit, `${owner}, minTopUpCredit`),
    };
  }

  #tieredBlock(definition: TieredBlockDefinition<Currency, string>, owner: string): TieredBlock {
    const { unit, size, prices, max = UNBOUNDED } = definition;
    return {
      unit,
      size: this.#quantity(size, `${owner}, size`),
      prices: this.#price(prices, owner),
      max: this.#quantity(max, `${owner}, max`),
    };
  }

  #limits(definitions: readonly LimitDefinition<string>[] | undefined, owner: string): readonly Limit[] {
    return (definitions ?? []).map(({ unit, max = UNBOUNDED, min = UNBOUNDED }) => ({
      unit,
      max: this.#quantity(max, `${owner}, max`),
      min: this.#quantity(min, `${owner}, min`),
    }));
  }

  #optionalPrice(definition: Price | undefined, owner: string): InternationalPrice | null {
    return definition === undefined ? null : this.#price(definition, owner);
  }

  #price(definition: Price, owner: string): InternationalPrice {
    if (definition === 0) return { prices: [] };
    const entries = Object.entries(definition) as [Currency, Amount | null | undefined][];
    return {
      prices: entries.flatMap(([currency, text]) => {
        if (text === undefined) return [];
        const amount = text === null ? null : this.#quantity(text, `${owner}, ${currency}`);
        return [{ currency, amount }];
      }),
    };
  }

  #quantity(value: Quantity, place: string): WrittenDecimal {
    return this.#parsed(decimal, String(value), place) ?? unread.amount;
  }

  #instant(value: string, place: string): Instant {
    return this.#parsed(dateTime, value, place) ?? unread.instant;
  }

  /** Collects what cannot be read, so that all of it is told at once. */
  #parsed<T>(scalar: Scalar<T>, text: string, place: string): T | undefined {
    const value = scalar.parse(text);
    if (value === undefined) {
      this.#problems.push({ message: `${place}: ${quote(text)} is not ${scalar.description}` });
    }
    return value;
  }
}

function listOf(name: string, definition: PriceListDefinition<string>): PriceList {
  if ('plans' in definition) return { name, prettyName: definition.prettyName, plans: definition.plans };
  return { name, prettyName: name, plans: definition };
}
