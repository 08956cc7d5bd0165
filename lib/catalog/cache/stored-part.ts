import type { StoredCatalogPart } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { Part, SoldAs } from '../model/part.ts';
import type { DecodedParts } from './decoded-parts.ts';
import type { Shape } from './shaped-text.ts';

/** What all stored parts of one kind have in common. */
export interface Decoding<T> {
  /** Makes the frozen value. */
  decode(text: string): T;
  /** For plans: only product and period, from the same text. */
  soldAs?(text: string): SoldAs;
  readonly decoded: DecodedParts;
}

/**
 * A part as storage keeps it: a text, decoded when somebody asks. The value is released once many others have been asked
 * for since; if somebody still holds it, the next caller gets that same object.
 */
export class StoredPart<T extends object> implements Part<T> {
  readonly name: string;
  readonly forExisting: Instant | null;
  readonly shape: Shape | null;
  /** As it is stored: what fills the shape or, without a shape, the whole text. */
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

  /** Characters that it does not share with others of its shape. */
  get characters(): number {
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
