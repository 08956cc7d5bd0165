import { assertInvariant } from '../errors/index.ts';
import type { Instant } from '../time/index.ts';
import type { DecodedParts } from './decoded-parts.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { Plan, Product } from './model.ts';

/**
 * A piece of a catalog version that other versions may hold too: a plan, a product, or the frame of all the rest. What
 * did not change from one version to the next is one part, and its value one object.
 */
export interface Part<T extends object> {
  readonly name: string;
  /** A plan's `effectiveDateForExistingSubscriptions`, known without its value; else null. */
  readonly forExisting: Instant | null;
  /** Deeply frozen. */
  readonly value: T;
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

/**
 * A part as storage keeps it: a text, decoded when somebody asks. The value is let go when many others have been asked
 * for since, unless somebody still holds it; who asks again then gets that same object.
 */
export class StoredPart<T extends object> implements Part<T> {
  readonly name: string;
  readonly forExisting: Instant | null;
  readonly text: string;
  /** Makes the frozen value. */
  readonly #decode: (text: string) => T;
  readonly #decoded: DecodedParts;
  #value: T | undefined;
  #released: WeakRef<T> | undefined;

  constructor(
    { name, forExisting, text }: Pick<StoredPart<T>, 'name' | 'forExisting' | 'text'>,
    decode: (text: string) => T,
    decoded: DecodedParts,
  ) {
    this.name = name;
    this.forExisting = forExisting;
    this.text = text;
    this.#decode = decode;
    this.#decoded = decoded;
    Object.freeze(this);
  }

  get value(): T {
    return this.#value ?? this.#revive();
  }

  release(): void {
    if (this.#value !== undefined) this.#released = new WeakRef(this.#value);
    this.#value = undefined;
  }

  #revive(): T {
    const value = this.#released?.deref() ?? this.#decode(this.text);
    this.#value = value;
    this.#released = undefined;
    this.#decoded.add(this);
    return value;
  }
}
