import type { StoredCatalogPart } from '../records/index.ts';
import { assertInvariant } from '../values/errors/index.ts';
import type { Instant } from '../values/time/index.ts';
import type { DecodedParts } from './decoded-parts.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { Plan, Product } from './model.ts';
import type { Shape } from './shaped-text.ts';

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

/** By what a plan is found without its name. */
export type SoldAs = Pick<Plan, 'product' | 'billingPeriod'>;

/** The product and period of a plan; one that is not decoded yet stays so, since that takes many times as long. */
export function soldAs(part: Part<Plan>): SoldAs {
  return part instanceof StoredPart ? part.soldAs() : part.value;
}

/** What all stored parts of one kind have in common. */
export interface Decoding<T> {
  /** Makes the frozen value. */
  decode(text: string): T;
  /** Of plans: no more than that, from the same text. */
  soldAs?(text: string): SoldAs;
  readonly decoded: DecodedParts;
}

/**
 * A part as storage keeps it: a text, decoded when somebody asks. The value is let go when many others have been asked
 * for since, unless somebody still holds it; who asks again then gets that same object.
 */
export class StoredPart<T extends object> implements Part<T> {
  readonly name: string;
  readonly forExisting: Instant | null;
  readonly shape: Shape | null;
  /** As it is stored: what fills the shape, or without one the whole text. */
  readonly #ownText: string;
  readonly #decoding: Decoding<T>;
  #value: T | undefined;
  #released: WeakRef<T> | undefined;

  constructor(
    { name, forExisting, text }: Pick<StoredCatalogPart, 'name' | 'forExisting' | 'text'>,
    shape: Shape | null,
    decoding: Decoding<T>,
  ) {
    this.name = shape === null ? name : shape.name;
    this.forExisting = forExisting;
    this.shape = shape;
    this.#ownText = text;
    this.#decoding = decoding;
    Object.freeze(this);
  }

  get text(): string {
    return this.shape === null ? this.#ownText : this.shape.fill(this.#ownText);
  }

  /** Of what it does not share with others of its shape. */
  get ownCharacters(): number {
    return this.#ownText.length;
  }

  get value(): T {
    return this.#value ?? this.#revive();
  }

  soldAs(): SoldAs {
    assertInvariant(this.#decoding.soldAs, `${this.name} is no plan`);
    return this.#decoding.soldAs(this.text);
  }

  release(): void {
    if (this.#value !== undefined) this.#released = new WeakRef(this.#value);
    this.#value = undefined;
  }

  #revive(): T {
    const value = this.#released?.deref() ?? this.#decoding.decode(this.text);
    this.#value = value;
    this.#released = undefined;
    this.#decoding.decoded.add(this);
    return value;
  }
}
