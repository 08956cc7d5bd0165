import type { StoredCatalogPart } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { PartList } from '../model/part-list.ts';
import { Shape } from './shaped-text.ts';
import { type Decoding, StoredPart } from './stored-part.ts';

/** Records by id, and how much they take in memory. */
class Kept<V extends { readonly characters: number }> {
  readonly #values = new Map<number, V>();
  readonly #origin: Kept<V> | undefined;
  /** Characters of the texts of those that are here. */
  characters = 0;

  /** @param origin where to find records that are not here. */
  constructor(origin: Kept<V> | undefined) {
    this.#origin = origin;
  }

  find(recordId: number): V | undefined {
    return this.#values.get(recordId) ?? this.#origin?.find(recordId);
  }

  /** The record of that id, made if there is none. */
  keep(recordId: number, make: () => V): V {
    const known = this.find(recordId);
    if (known !== undefined) return known;
    const value = make();
    this.#values.set(recordId, value);
    this.characters += value.characters;
    return value;
  }

  keepOnly(used: ReadonlySet<unknown>): void {
    for (const [recordId, value] of this.#values) {
      if (used.has(value)) continue;
      this.#values.delete(recordId);
      this.characters -= value.characters;
    }
  }

  protected values(): Iterable<V> {
    return this.#values.values();
  }
}

/** Parts of one kind. */
export class KeptParts<T extends object> extends Kept<StoredPart<T>> {
  readonly #decoding: Decoding<T>;

  constructor(decoding: Decoding<T>, origin: KeptParts<T> | undefined) {
    super(origin);
    this.#decoding = decoding;
  }

  addMissing(recordIds: readonly number[], missing: Set<number>): void {
    for (const recordId of recordIds) if (this.find(recordId) === undefined) missing.add(recordId);
  }

  add(stored: StoredCatalogPart, shape: Shape | null): void {
    this.keep(stored.recordId, () => new StoredPart(stored, shape, this.#decoding));
  }

  get(recordId: number): StoredPart<T> {
    const part = this.find(recordId);
    assertInvariant(part !== undefined, `Catalog part ${recordId} is missing`);
    return part;
  }

  shapes(): ReadonlySet<Shape | null> {
    return new Set([...this.values()].map(({ shape }) => shape));
  }

  list(recordIds: readonly number[], previous: PartList<T> | undefined): PartList<T> {
    const parts = recordIds.map((recordId) => this.get(recordId));
    const isSame =
      previous?.parts.length === parts.length && parts.every((part, index) => part === previous.parts[index]);
    return isSame ? previous : new PartList(parts, previous);
  }
}

/** Shapes of parts. */
export class KeptShapes extends Kept<Shape> {
  /** The shapes of these parts; those that are not cached are read. */
  async of(
    parts: readonly StoredCatalogPart[],
    read: (recordIds: ReadonlySet<number>) => Promise<readonly StoredCatalogPart[]>,
  ): Promise<(part: StoredCatalogPart) => Shape | null> {
    // Held apart from the cache, which another call may clear in part while this one reads.
    const found = new Map<number, Shape>();
    const missing = new Set<number>();
    for (const { shapeRecordId } of parts) {
      if (shapeRecordId === null || found.has(shapeRecordId) || missing.has(shapeRecordId)) continue;
      const known = this.find(shapeRecordId);
      if (known === undefined) missing.add(shapeRecordId);
      else found.set(shapeRecordId, known);
    }
    if (missing.size > 0) {
      for (const stored of await read(missing))
        found.set(
          stored.recordId,
          this.keep(stored.recordId, () => new Shape(stored)),
        );
    }
    return ({ shapeRecordId }) => {
      if (shapeRecordId === null) return null;
      const shape = found.get(shapeRecordId);
      assertInvariant(shape !== undefined, `The shape ${shapeRecordId} of a catalog part is missing`);
      return shape;
    };
  }
}
