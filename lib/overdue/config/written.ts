import type { Decimal } from '../../values/money/index.ts';
import type { Findings } from './findings.ts';

/**
 * A value of a configuration as somebody wrote it, as XML or as JSON. Each reading gives undefined where it is of another
 * type, which is then among the findings.
 */
export interface WrittenValue {
  readonly at: number;
  /** For messages: `Element "unit"`. */
  readonly label: string;
  text(): string | undefined;
  /** Of 32 bits. */
  wholeNumber(): number | undefined;
  amount(): Decimal | undefined;
  flag(): boolean | undefined;
  /** The values of a list, whose elements have this name in XML. */
  items(elementName: string): readonly WrittenValue[];
  record(): WrittenRecord | undefined;
}

/** The named parts of an element or object; what nobody has asked for is unknown. */
export class WrittenRecord {
  readonly at: number;
  readonly #label: string;
  readonly #findings: Findings;
  readonly #parts: ReadonlyMap<string, readonly WrittenValue[]>;
  readonly #asked = new Set<string>();

  constructor(
    whole: { readonly at: number; readonly label: string },
    parts: readonly (readonly [name: string, value: WrittenValue])[],
    findings: Findings,
  ) {
    this.at = whole.at;
    this.#label = whole.label;
    this.#findings = findings;
    const byName = Map.groupBy(parts, ([name]) => name);
    this.#parts = new Map([...byName].map(([name, found]) => [name, found.map(([, value]) => value)]));
  }

  /** The one part of that name; reports any other of it. */
  take(name: string): WrittenValue | undefined {
    const [first, ...others] = this.takeAll(name);
    for (const { at, label } of others) this.#findings.add(at, `${label} is repeated; keep one`);
    return first;
  }

  takeAll(name: string): readonly WrittenValue[] {
    this.#asked.add(name);
    return this.#parts.get(name) ?? [];
  }

  /** As `take`; reports that there is none. */
  require(name: string): WrittenValue | undefined {
    const value = this.take(name);
    if (value === undefined) this.#findings.add(this.at, `${this.#label} lacks "${name}"`);
    return value;
  }

  refuseOthers(): void {
    for (const [name, values] of this.#parts) {
      if (this.#asked.has(name)) continue;
      for (const { at, label } of values) this.#findings.add(at, `${label} is unknown in ${this.#label}`);
    }
  }
}

const WHOLE = /^[+-]?[0-9]{1,10}$/;
export const INT_MAX = 2 ** 31 - 1;

export function wholeNumberOf(text: string): number | undefined {
  const value = WHOLE.test(text) ? Number(text) : Number.NaN;
  return value >= -INT_MAX - 1 && value <= INT_MAX ? value : undefined;
}
