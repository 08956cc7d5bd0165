import { atOnce, eachStep, type Steps } from '../../runtime/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { Plan, Product } from './catalog-model.ts';

/** A plan, a product, or the frame of a version. Versions with an equal part share it. */
export interface Part<T extends object> {
  readonly name: string;
  /**
   * The `effectiveDateForExistingSubscriptions` of a plan. It can be read without decoding the plan. The value is
   * null for other parts.
   */
  readonly forExisting: Instant | null;
  /** The value, deeply frozen. */
  readonly value: T;
  soldAs?(): SoldAs;
}

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

/** A part whose value is created on demand. */
export class LazyPart<T extends object> implements Part<T> {
  readonly name: string;
  readonly forExisting: Instant | null;
  #make: (() => T) | null;
  #value: T | undefined;

  /** @param make Returns the frozen value. */
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

export type SoldAs = Pick<Plan, 'product' | 'billingPeriod'>;

/** Returns the product and period of a plan without decoding the plan. */
export function soldAs(part: Part<Plan>): SoldAs {
  return part.soldAs?.() ?? part.value;
}

/** Parts of the same kind, sorted by name. Versions with the same parts share the list. */
export class PartList<T extends object> {
  readonly parts: readonly Part<T>[];
  /** Index by name. Lists with the same names share the index. */
  readonly #positions: ReadonlyMap<string, number>;
  #values: WeakRef<readonly T[]> | undefined;

  /** @param previous A similar list. The new list shares its memory. */
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

  /** Returns all values. They are kept in memory only by the returned list and the ring of decoded parts. */
  values(): readonly T[] {
    return atOnce(this.valueSteps());
  }

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

/** Freezes plain records and lists deeply. Decimals are already immutable. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Decimal.isDecimal(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/** Compares names by UTF-16 code unit, independently of the locale. */
export function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  if (one.name === other.name) return 0;
  return one.name < other.name ? -1 : 1;
}
