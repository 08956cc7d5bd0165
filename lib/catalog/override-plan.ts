import type { PriceOverrideRequest } from '../ports/price-override-request.ts';
import { assertInvariant, BillingError, ErrorCode } from '../values/errors/index.ts';
import { type Currency, type Decimal, decimal, formatDecimal } from '../values/money/index.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { InternationalPrice, Plan, PlanPhase } from './model.ts';
import { phaseName } from './phase-name.ts';
import { matchPriceOverrides, type PriceOverrides } from './price-overrides.ts';
import { mapPrices, type PriceTarget, partsOf, targetOf } from './price-target.ts';

/** What makes an override plan: two equal definitions are one plan (catalog.md §10 rule 4). */
export interface OverrideDefinition {
  /** A plan of the catalog, never an override plan (rule 5). */
  readonly parentPlanName: string;
  readonly currency: Currency;
  /** In canonical order. */
  readonly overrides: PriceOverrides;
}

export interface OverrideInput {
  /** The plan that was chosen, in the version in force; its phases are those that the requests name. */
  readonly plan: Plan;
  /** If that plan is an override plan itself. */
  readonly chosen: OverridePlan | undefined;
  /** The account's. */
  readonly currency: Currency | null;
  readonly requests: readonly PriceOverrideRequest[];
}

/**
 * The definition of the plan with the requested prices. Over an override plan, it is that of the parent plan with the
 * prices of both, the new ones winning (rule 5); prices in another currency than the account's do not pass on, since an
 * override plan has one.
 * @throws BillingError CATALOG_INVALID_PRICE_OVERRIDE (2081), as `matchPriceOverrides`; CURRENCY_INVALID (3) for an account
 * without currency.
 */
export function defineOverrides({ plan, chosen, currency, requests }: OverrideInput): OverrideDefinition {
  if (currency === null) {
    throw new BillingError({
      code: ErrorCode.CURRENCY_INVALID,
      message: `The account has no currency, so the prices of plan ${plan.name} cannot be overridden`,
      facts: { planName: plan.name },
    });
  }
  const inherited = chosen?.currency === currency ? chosen.overrides : [];
  const overrides = new Map([...inherited, ...matchPriceOverrides(plan, requests)]);
  return {
    parentPlanName: chosen?.parentPlanName ?? plan.name,
    currency,
    overrides: new Map([...overrides].toSorted(byTarget)),
  };
}

/**
 * A plan of one tenant with other prices than its parent's: immutable, independent of versions (rule 6). It is resolved
 * against the parent plan of a version, so that what is not overridden follows that version.
 */
export class OverridePlan implements OverrideDefinition {
  readonly name: string;
  readonly parentPlanName: string;
  readonly currency: Currency;
  readonly overrides: PriceOverrides;
  readonly #plans = new WeakMap<Plan, Plan>();

  constructor(name: string, definition: OverrideDefinition) {
    this.name = name;
    this.parentPlanName = definition.parentPlanName;
    this.currency = definition.currency;
    this.overrides = definition.overrides;
    Object.freeze(this);
  }

  /**
   * The plan as the version that has this parent plan sells it: the same value for the same parent. An override of a price
   * that the parent does not have in that version has no effect there.
   */
  planFrom(parent: Plan): Plan {
    const known = this.#plans.get(parent);
    if (known !== undefined) return known;
    assertInvariant(parent.name === this.parentPlanName, `${parent.name} is no parent of ${this.name}`);
    const plan = deepFreeze(this.#overridden(parent));
    this.#plans.set(parent, plan);
    return plan;
  }

  #overridden(parent: Plan): Plan {
    const initialPhases = parent.initialPhases.map((phase) => this.#phaseFrom(phase));
    const finalPhase = this.#phaseFrom(parent.finalPhase);
    return {
      ...parent,
      name: this.name,
      parentPlanName: parent.name,
      initialPhases,
      finalPhase,
      phases: [...initialPhases, finalPhase],
    };
  }

  #phaseFrom(phase: PlanPhase): PlanPhase {
    const priced = mapPrices(phase, (target, price) => {
      const amount = this.overrides.get(target);
      return amount === undefined ? price : overriddenPrice(price, this.currency, amount);
    });
    return { ...priced, name: phaseName(this.name, phase.type) };
  }
}

/** Rule 3: the entry of the currency is replaced, or added; those of other currencies stay. */
function overriddenPrice(
  { prices }: InternationalPrice,
  currency: Currency,
  amount: Decimal,
): InternationalPrice {
  const entry = { currency, amount: { value: amount, text: formatDecimal(amount) } };
  if (!prices.some((price) => price.currency === currency)) return { prices: [...prices, entry] };
  return { prices: prices.map((price) => (price.currency === currency ? entry : price)) };
}

/** The overrides as they are stored: one JSON list of each target's parts and amount, equal for equal overrides. */
export function writeOverrides(overrides: PriceOverrides): string {
  return JSON.stringify(
    [...overrides].map(([target, amount]) => [...partsOf(target), formatDecimal(amount)]),
  );
}

/** The overrides that `writeOverrides` has written. */
export function readOverrides(text: string): PriceOverrides {
  const rows = JSON.parse(text) as readonly (readonly (string | number)[])[];
  return new Map(
    rows.map((row): [PriceTarget, Decimal] => {
      const amount = row.at(-1);
      assertInvariant(typeof amount === 'string', 'A stored price override ends with its amount', { row });
      return [targetOf(...row.slice(0, -1)), decimal(amount)];
    }),
  );
}

/** Name of the `number`th override plan of a tenant. */
export function overridePlanName(parentPlanName: string, number: number): string {
  return `${parentPlanName}-${number}`;
}

/** The first number from `first` on whose name is not `taken`: names such as `gold-2` are legal in a catalog. */
export function freeNumber(first: number, taken: (number: number) => boolean): number {
  let number = first;
  while (taken(number)) number += 1;
  return number;
}

/** By code unit, whatever the machine's locale. */
function byTarget([one]: readonly [PriceTarget, unknown], [other]: readonly [PriceTarget, unknown]): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
