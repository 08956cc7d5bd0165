import { atOnce, eachStep, type Steps } from '../../runtime/index.ts';
import type { Part } from './part.ts';

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
