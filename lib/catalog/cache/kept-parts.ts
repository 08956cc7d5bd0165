import type { StoredCatalogPart } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Part } from '../model/part.ts';
import { PartList } from '../model/part-list.ts';
import { Shape } from './shaped-text.ts';
import { type Decoding, StoredPart } from './stored-part.ts';

/** Parts of one kind by record id. */
export class KeptParts<T extends object> {
  readonly #parts = new Map<number, StoredPart<T>>();
  readonly #decoding: Decoding<T>;
  readonly #origin: KeptParts<T> | undefined;
  /** Characters of their texts, without what they share with others of their shape. */
  characters = 0;

  /** @param origin where to find parts that are not here. */
  constructor(decoding: Decoding<T>, origin: KeptParts<T> | undefined) {
    this.#decoding = decoding;
    this.#origin = origin;
  }

  addMissing(recordIds: readonly number[], missing: Set<number>): void {
    for (const recordId of recordIds) if (this.#find(recordId) === undefined) missing.add(recordId);
  }

  add(stored: StoredCatalogPart, shape: Shape | null): void {
    if (this.#find(stored.recordId) !== undefined) return;
    const part = new StoredPart(stored, shape, this.#decoding);
    this.#parts.set(stored.recordId, part);
    this.characters += part.ownCharacters;
  }

  get(recordId: number): StoredPart<T> {
    const part = this.#find(recordId);
    assertInvariant(part !== undefined, `Catalog part ${recordId} is missing`);
    return part;
  }

  shapes(): ReadonlySet<Shape | null> {
    return new Set([...this.#parts.values()].map(({ shape }) => shape));
  }

  keepOnly(used: ReadonlySet<Part<T>>): void {
    for (const [recordId, part] of this.#parts) {
      if (used.has(part)) continue;
      this.#parts.delete(recordId);
      this.characters -= part.ownCharacters;
    }
  }

  list(recordIds: readonly number[], previous: PartList<T> | undefined): PartList<T> {
    const parts = recordIds.map((recordId) => this.get(recordId));
    const isSame =
      previous?.parts.length === parts.length && parts.every((part, index) => part === previous.parts[index]);
    return isSame ? previous : new PartList(parts, previous);
  }

  #find(recordId: number): StoredPart<T> | undefined {
    const part = this.#parts.get(recordId);
    return part === undefined && this.#origin ? this.#origin.#find(recordId) : part;
  }
}

/** Shapes of parts by record id. */
export class KeptShapes {
  readonly #shapes = new Map<number, Shape>();
  readonly #origin: KeptShapes | undefined;
  characters = 0;

  /** @param origin where to find shapes that are not here. */
  constructor(origin: KeptShapes | undefined) {
    this.#origin = origin;
  }

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
      const known = this.#find(shapeRecordId);
      if (known === undefined) missing.add(shapeRecordId);
      else found.set(shapeRecordId, known);
    }
    if (missing.size > 0) {
      for (const stored of await read(missing)) found.set(stored.recordId, this.#keep(stored));
    }
    return ({ shapeRecordId }) => {
      if (shapeRecordId === null) return null;
      const shape = found.get(shapeRecordId);
      assertInvariant(shape !== undefined, `The shape ${shapeRecordId} of a catalog part is missing`);
      return shape;
    };
  }

  keepOnly(used: ReadonlySet<Shape | null>): void {
    for (const [recordId, shape] of this.#shapes) {
      if (used.has(shape)) continue;
      this.#shapes.delete(recordId);
      this.characters -= shape.characters;
    }
  }

  #keep(stored: StoredCatalogPart): Shape {
    const known = this.#find(stored.recordId);
    if (known !== undefined) return known;
    const shape = new Shape(stored);
    this.#shapes.set(stored.recordId, shape);
    this.characters += shape.characters;
    return shape;
  }

  #find(recordId: number): Shape | undefined {
    const shape = this.#shapes.get(recordId);
    return shape === undefined && this.#origin ? this.#origin.#find(recordId) : shape;
  }
}
