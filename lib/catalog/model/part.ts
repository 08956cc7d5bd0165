import { atOnce, eachStep, type Steps } from '../../runtime/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { Plan, Product } from './catalog-model.ts';

/**
 * A plan, a product, or the frame of the rest of a version. What stays the same between versions is one part with one
 * value.
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

/** Parts of one kind in ascending order of name, found by name. Shared by all versions that hold the same parts. */
export class PartList<T extends object> {
  readonly parts: readonly Part<T>[];
  /** Position by name: one map for all lists with the same names. */
  readonly #positions: ReadonlyMap<string, number>;
  #values: WeakRef<readonly T[]> | undefined;

  /** @param previous a list that may have the same parts or names; then memory is shared. */
  constructor(parts: readonly Part<T>[], previous?: PartList<T>) {
    this.parts = Object.freeze(parts);
    this.#positions =
      previous !== undefined && haveSameNames(previous.parts, parts)
        ? previous.#positions
        : new Map(parts.map((part, index) => [part.name, index]));
    Object.freeze(this);
  }

  part(name: string): Part<T> | undefined {
    const position = this.#positions.get(name);
    return position === undefined ? undefined : this.parts[position];
  }

  names(): Iterable<string> {
    return this.#positions.keys();
  }

  /** All values; they are held only as long as the returned list, or the ring of decoded parts, holds them. */
  values(): readonly T[] {
    return atOnce(this.valueSteps());
  }

  /** As `values`, step by step. */
  *valueSteps(): Steps<readonly T[]> {
    const known = this.#values?.deref();
    if (known !== undefined) return known;
    const values = Object.freeze(yield* eachStep(this.parts, (part) => part.value));
    this.#values = new WeakRef(values);
    return values;
  }
}

function haveSameNames(ones: readonly Part<object>[], others: readonly Part<object>[]): boolean {
  return ones.length === others.length && ones.every((one, index) => one.name === others[index]?.name);
}

/** Freezes plain records and lists to the last level. Decimals are values already and stay as they are. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Decimal.isDecimal(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/** Ascending by UTF-16 code unit, whatever the machine's locale. */
export function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  if (one.name === other.name) return 0;
  return one.name < other.name ? -1 : 1;
}
