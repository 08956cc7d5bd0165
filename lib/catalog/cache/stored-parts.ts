import {
  CatalogPartKind,
  type NewCatalogPart,
  type NewCatalogParts,
  type StoredCatalogPart,
} from '../../records/index.ts';
import { eachStep, inOneTurn, type TimeSlices } from '../../runtime/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { CATALOG_PARTS_AT_ONCE } from '../../values/limits.ts';
import { BillingPeriod, type Instant } from '../../values/time/index.ts';
import type { CatalogVersion } from '../lookup/catalog-version.ts';
import { type Plan, type Product, textOfValue, valueOfText } from '../model/catalog-model.ts';
import { deepFreeze, type Part, PartList, type SoldAs } from '../model/part.ts';
import { createPlan, rememberText, textOfPlan } from '../model/plan.ts';
import type { PlanContent, VersionFrame } from '../model/version-content.ts';

interface Decoding<T> {
  decode(text: string): T;
  /** Returns the product and the period of a plan without decoding the rest of its text. */
  soldAs?(text: string): SoldAs;
  readonly decoded: DecodedParts;
}

/**
 * A part that is stored as text and decoded on demand. The decoded value may be removed from memory. As long as a
 * caller refers to it, all other callers get the same object.
 */
export class StoredPart<T extends object> implements Part<T> {
  readonly name: string;
  readonly forExisting: Instant | null;
  readonly shape: Shape | null;
  /** The stored text. If the part has a shape, the stored text is only the filling. Otherwise, it is the whole text. */
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

  /** Number of characters, excluding those shared through the shape. */
  get characters(): number {
    return this.#ownText.length;
  }

  get value(): T {
    return this.#value ?? this.#revive();
  }

  soldAs(): SoldAs {
    assertInvariant(this.#decoding.soldAs, `${this.name} is not a plan`);
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

/** Cached records by id, and their total weight in memory. */
class CachedRecords<V extends { readonly characters: number }> {
  readonly #values = new Map<number, V>();
  readonly #origin: CachedRecords<V> | undefined;
  characters = 0;

  /** @param origin Cache from which missing records are taken. */
  constructor(origin: CachedRecords<V> | undefined) {
    this.#origin = origin;
  }

  find(recordId: number): V | undefined {
    return this.#values.get(recordId) ?? this.#origin?.find(recordId);
  }

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

export class CachedParts<T extends object> extends CachedRecords<StoredPart<T>> {
  readonly #decoding: Decoding<T>;

  constructor(decoding: Decoding<T>, origin: CachedParts<T> | undefined) {
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

export class CachedShapes extends CachedRecords<Shape> {
  async of(
    parts: readonly StoredCatalogPart[],
    read: (recordIds: ReadonlySet<number>) => Promise<readonly StoredCatalogPart[]>,
  ): Promise<(part: StoredCatalogPart) => Shape | null> {
    // Use a copy, because another call may clear the cache in the meantime.
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

interface Releasable {
  release(): void;
}

/** A ring of decoded parts. Each new part replaces the oldest one. */
export class DecodedParts {
  readonly #ring: Releasable[] = [];
  readonly #size: number;
  #next = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(part: Releasable): void {
    this.#ring[this.#next]?.release();
    this.#ring[this.#next] = part;
    this.#next = (this.#next + 1) % this.#size;
  }
}

export async function partsOf(version: CatalogVersion, slices: TimeSlices): Promise<NewCatalogParts> {
  const { frame, productParts, planParts } = version;
  return {
    frame: await storedForm(CatalogPartKind.FRAME, frame, textOfFrame),
    products: await someAtOnce(productParts.parts, slices, (part) =>
      storedForm(CatalogPartKind.PRODUCT, part, textOfValue),
    ),
    plans: await someAtOnce(planParts.parts, slices, async (part) =>
      withShape(await storedForm(CatalogPartKind.PLAN, part, textOfPlan)),
    ),
  };
}

/**
 * Processes items in batches. The batch size limits the waiting time, the memory use and the time for which the event
 * loop is blocked.
 */
async function someAtOnce<P, T>(
  parts: readonly P[],
  slices: TimeSlices,
  work: (part: P) => Promise<T>,
): Promise<readonly T[]> {
  const done: T[] = [];
  for (let first = 0; first < parts.length; first += CATALOG_PARTS_AT_ONCE) {
    const some = parts.slice(first, first + CATALOG_PARTS_AT_ONCE);
    done.push(...(await Promise.all(await slices(eachStep(some, work)))));
  }
  return done;
}

export function frameOfText(text: string): VersionFrame {
  return deepFreeze(valueOfText(text) as VersionFrame);
}

export function productOfText(text: string): Product {
  return deepFreeze(valueOfText(text) as Product);
}

export function planOfText(text: string): Plan {
  const plan = createPlan(valueOfText(text) as PlanContent, null);
  rememberText(plan, text);
  return plan;
}

/** Returns the product and the period from a plan's text without decoding the rest. */
export function parseSoldAs(text: string): SoldAs {
  const { product, finalPhase }: PlanContent = JSON.parse(text);
  return { product, billingPeriod: finalPhase.recurring?.billingPeriod ?? BillingPeriod.NO_BILLING_PERIOD };
}

/** Returns the text of the frame. It excludes the version's billing mode, which the plans contain (§3.4). */
function textOfFrame(frame: VersionFrame): string {
  return textOfValue({ ...frame, recurringBillingMode: null });
}

async function storedForm<T extends object>(
  kind: CatalogPartKind,
  part: Part<T>,
  textOf: (value: T) => string,
): Promise<NewCatalogPart> {
  const text = part instanceof StoredPart ? part.text : textOf(part.value);
  return {
    kind,
    name: part.name,
    forExisting: part.forExisting,
    shape: null,
    text,
    contentHash: await hashOf(kind, text),
  };
}

async function withShape(part: NewCatalogPart): Promise<NewCatalogPart> {
  const { shape: text, filling } = shapedText(part.text);
  const kind = CatalogPartKind.SHAPE;
  const contentHash = await hashOf(kind, text);
  const shape = { kind, name: part.name, forExisting: null, shape: null, text, contentHash };
  return { ...part, shape, text: filling };
}

function hashOf(kind: CatalogPartKind, text: string): Promise<string> {
  return sha256Hex(`${kind} ${text}`);
}

/** Marks a variable part in a shape. JSON text never contains this character unescaped. */
const BLANK = '\u001a';
/** Separates the fillings. A JSON value on a single line never contains this character. */
const SEPARATOR = '\n';

/**
 * Matches the variable parts of a plan's text. These are the date for existing subscriptions, and the digits of each
 * decimal.
 */
const variable = /(?<=^\{"effectiveDateForExistingSubscriptions":)[^,]*|(?<=\{"d":")[^"]*/g;

interface ShapedText {
  readonly shape: string;
  readonly filling: string;
}

/**
 * Splits a plan's text into a shape and a filling to save memory. All versions of the plan share the shape. A change of
 * price changes only the filling. `Shape.fill` restores the text.
 */
export function shapedText(text: string): ShapedText {
  const filling: string[] = [];
  const shape = text.replace(variable, (value) => {
    filling.push(value);
    return BLANK;
  });
  return { shape, filling: filling.join(SEPARATOR) };
}

export class Shape {
  readonly name: string;
  readonly characters: number;
  readonly #pieces: readonly string[];

  constructor({ name, text }: { readonly name: string; readonly text: string }) {
    this.name = name;
    this.characters = text.length;
    this.#pieces = text.split(BLANK);
  }

  fill(filling: string): string {
    const values = filling.split(SEPARATOR);
    return this.#pieces
      .map((piece, index) => (index === 0 ? piece : `${values[index - 1]}${piece}`))
      .join('');
  }
}

/** Number of characters per encoding step, and maximum number of bytes per character. */
const CHARACTERS_PER_STEP = 65_536;
const BYTES_PER_CHARACTER = 3;

/**
 * Returns the SHA-256 hash of the text in hexadecimal. Encodes the text in pieces, without dividing surrogate pairs.
 */
export async function sha256Hex(text: string, slices: TimeSlices = inOneTurn): Promise<string> {
  const bytes = new Uint8Array(text.length * BYTES_PER_CHARACTER);
  const encoder = new TextEncoder();
  let written = 0;
  await slices(
    eachStep(piecesOf(text), (piece) => {
      written += encoder.encodeInto(piece, bytes.subarray(written)).written;
    }),
  );
  const digest = await crypto.subtle.digest('SHA-256', bytes.subarray(0, written));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Splits the text without dividing surrogate pairs. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + CHARACTERS_PER_STEP, text.length);
    if (isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length) end += 1;
    yield text.slice(start, end);
    start = end;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
