import { assertInvariant } from '../../values/errors/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { Plan, Product } from './catalog-model.ts';
import { deepFreeze } from './deep-freeze.ts';

/**
 * A piece of a catalog version that other versions may hold too: a plan, a product, or the frame of all the rest. What
 * stays the same from one version to the next is one part, and its value one object.
 */
export interface Part<T extends object> {
  readonly name: string;
  /** A plan's `effectiveDateForExistingSubscriptions`, known without its value; else null. */
  readonly forExisting: Instant | null;
  /** Deeply frozen. */
  readonly value: T;
  /** For a plan that is not decoded yet. */
  soldAs?(): SoldAs;
}

/** A part whose value is at hand. */
export function partOf<T extends object>(name: string, value: T): Part<T> {
  return Object.freeze({ name, forExisting: null, value: deepFreeze(value) });
}

export function productPart(product: Product): Part<Product> {
  return partOf(product.name, product);
}

export function planPart(plan: Plan): Part<Plan> {
  return Object.freeze({
    ...partOf(plan.name, plan),
    forExisting: plan.effectiveDateForExistingSubscriptions,
  });
}

/** A part whose value is made when somebody asks for it. */
export class LazyPart<T extends object> implements Part<T> {
  readonly name: string;
  readonly forExisting: Instant | null;
  #make: (() => T) | null;
  #value: T | undefined;

  /** @param make gives the frozen value. */
  constructor({ name, forExisting }: Pick<Part<T>, 'name' | 'forExisting'>, make: () => T) {
    this.name = name;
    this.forExisting = forExisting;
    this.#make = make;
    Object.freeze(this);
  }

  get value(): T {
    if (this.#make !== null) this.#value = this.#make();
    this.#make = null;
    assertInvariant(this.#value !== undefined, `Plan or product ${this.name} has no value`);
    return this.#value;
  }
}

/** How a plan is found without its name. */
export type SoldAs = Pick<Plan, 'product' | 'billingPeriod'>;

/** The product and period of a plan. A plan that is not decoded stays so, since decoding takes many times as long. */
export function soldAs(part: Part<Plan>): SoldAs {
  return part.soldAs?.() ?? part.value;
}
