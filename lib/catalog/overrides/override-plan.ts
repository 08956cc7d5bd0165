import type { StoredOverridePlan } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { type Currency, type Decimal, formatDecimal } from '../../values/money/index.ts';
import type { InternationalPrice, Plan, PlanPhase } from '../model/catalog-model.ts';
import { deepFreeze } from '../model/part.ts';
import { phaseName } from '../model/plan.ts';
import {
  mapPrices,
  type OverrideDefinition,
  type PriceOverrides,
  readOverrides,
} from './define-overrides.ts';

/**
 * A plan of one tenant with other prices than its parent's: immutable, independent of versions (rule 6). It is derived
 * from the parent plan in a version, so that prices that are not overridden follow that version.
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
   * The plan as sold by the version that has this parent plan; always the same value for the same parent. An override of
   * a price that the parent does not have in that version has no effect there.
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

/** Rule 3: replaces or adds the entry of the currency; entries of other currencies stay. */
function overriddenPrice(
  { prices }: InternationalPrice,
  currency: Currency,
  amount: Decimal,
): InternationalPrice {
  const entry = { currency, amount: { value: amount, text: formatDecimal(amount) } };
  if (!prices.some((price) => price.currency === currency)) return { prices: [...prices, entry] };
  return { prices: prices.map((price) => (price.currency === currency ? entry : price)) };
}

/** Name of the `number`th override plan of a tenant. */
export function overridePlanName(parentPlanName: string, number: number): string {
  return `${parentPlanName}-${number}`;
}

/** The first number from `first` on whose name is not `taken`: a catalog may have plans named like `gold-2`. */
export function freeNumber(first: number, taken: (number: number) => boolean): number {
  let number = first;
  while (taken(number)) number += 1;
  return number;
}

/** The override plan of a stored row. */
export function overridePlanOf(stored: StoredOverridePlan): OverridePlan {
  const { planName, parentPlanName, currency } = stored;
  return new OverridePlan(planName, { parentPlanName, currency, overrides: readOverrides(stored.overrides) });
}
