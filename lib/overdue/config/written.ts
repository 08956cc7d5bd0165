import { type JsonNode, Lines, XML_CHARACTERS, type XmlElement } from '../../values/documents/index.ts';
import { BillingError, ErrorCode, type Problem, problemText } from '../../values/errors/index.ts';
import { MAX_LISTED_PROBLEMS } from '../../values/limits.ts';
import { type Decimal, parseWireDecimal } from '../../values/money/index.ts';
import { shortened } from '../../values/text/index.ts';
import { type Duration, TimeUnit, UNLIMITED_DURATION } from '../../values/time/index.ts';

/** A value in XML or JSON. Reading it as a wrong type returns undefined and reports a finding. */
export interface WrittenValue {
  readonly at: number;
  /** For messages: `Element "unit"`. */
  readonly label: string;
  text(): string | undefined;
  /** 32 bits. */
  wholeNumber(): number | undefined;
  amount(): Decimal | undefined;
  flag(): boolean | undefined;
  /** List items, named `elementName` in XML. */
  items(elementName: string): readonly WrittenValue[];
  record(): WrittenRecord | undefined;
}

/** The named parts of an element or object; unread ones are unknown. */
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

  /** Returns the part of that name and reports duplicates. */
  take(name: string): WrittenValue | undefined {
    const [first, ...others] = this.takeAll(name);
    for (const { at, label } of others) this.#findings.add(at, `${label} is repeated; keep one`);
    return first;
  }

  takeAll(name: string): readonly WrittenValue[] {
    this.#asked.add(name);
    return this.#parts.get(name) ?? [];
  }

  /** As `take`; reports a missing part. */
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

/** A JSON value, read like request bodies: scalars of another type are converted (http-api §9 rule 6). */
export class JsonValue implements WrittenValue {
  readonly label: string;
  readonly at: number;
  readonly #node: JsonNode;
  readonly #findings: Findings;

  constructor(node: JsonNode, label: string, findings: Findings) {
    this.#node = node;
    this.label = label;
    this.at = node.offset;
    this.#findings = findings;
  }

  text(): string | undefined {
    switch (this.#node.kind) {
      case 'string':
        return this.#node.value;
      case 'number':
        return this.#node.literal;
      case 'boolean':
        return String(this.#node.value);
      default:
        return this.#refuse('a text');
    }
  }

  wholeNumber(): number | undefined {
    return wholeNumberOf(this.#scalar()) ?? this.#refuse('a whole number of 32 bits');
  }

  amount(): Decimal | undefined {
    return parseWireDecimal(this.#scalar()) ?? this.#refuse('a decimal number');
  }

  flag(): boolean | undefined {
    if (this.#node.kind === 'boolean') return this.#node.value;
    return (
      WRITTEN_FLAGS.get(this.#node.kind === 'string' ? this.#node.value : '') ?? this.#refuse('true or false')
    );
  }

  items(): readonly WrittenValue[] {
    if (this.#node.kind !== 'array') return this.#refuse('a list') ?? [];
    return this.#node.items.map((item) => new JsonValue(item, this.label, this.#findings));
  }

  /** Members by name; null and empty texts count as absent (http-api §9 rules 6 and 7). */
  record(): WrittenRecord | undefined {
    if (this.#node.kind !== 'object') return this.#refuse('an object');
    const parts = this.#node.members
      .filter(({ value }) => value.kind !== 'null' && !(value.kind === 'string' && value.value === ''))
      .map(
        ({ name, value }) =>
          [name, new JsonValue(value, `Property "${shortened(name)}"`, this.#findings)] as const,
      );
    return new WrittenRecord(this, parts, this.#findings);
  }

  #scalar(): string {
    if (this.#node.kind === 'number') return this.#node.literal;
    return this.#node.kind === 'string' ? this.#node.value : '';
  }

  #refuse(description: string): undefined {
    this.#findings.add(this.at, `${this.label}: ${shown(this.#node)} is not ${description}`);
  }
}

const WRITTEN_FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

function shown(node: JsonNode): string {
  switch (node.kind) {
    case 'object':
      return 'an object';
    case 'array':
      return 'a list';
    case 'string':
      return `"${shortened(node.value)}"`;
    case 'number':
      return shortened(node.literal);
    case 'boolean':
      return String(node.value);
    case 'null':
      return 'null';
  }
}

/** The value of an element, or of an attribute in its place. */
export class XmlValue implements WrittenValue {
  readonly label: string;
  readonly at: number;
  readonly #element: XmlElement;
  readonly #findings: Findings;

  constructor(element: XmlElement, findings: Findings) {
    this.#element = element;
    this.label = `Element "${shortened(element.name)}"`;
    this.at = element.offset;
    this.#findings = findings;
  }

  text(): string | undefined {
    this.#refuseAttributes();
    for (const child of this.#element.children)
      this.#findings.add(child.offset, `Element "${shortened(child.name)}" is unknown in ${this.label}`);
    return this.#element.children.length === 0 ? this.#element.text : undefined;
  }

  wholeNumber(): number | undefined {
    return this.#as('a whole number of 32 bits', wholeNumberOf);
  }

  amount(): Decimal | undefined {
    return this.#as('a decimal number', (text) => parseWireDecimal(text));
  }

  flag(): boolean | undefined {
    return this.#as('true or false', (text) => FLAGS.get(text));
  }

  items(elementName: string): readonly WrittenValue[] {
    const list = this.record();
    const items = list.takeAll(elementName);
    list.refuseOthers();
    return items;
  }

  /** Children by name; attributes only on request, by `@` and their name. */
  record(): WrittenRecord {
    const { children, attributes, text } = this.#element;
    if (text !== '') this.#findings.add(this.at, `${this.label} holds no text`);
    const written = [...attributes]
      .filter(([name]) => !isSchemaHint(name))
      .map(
        ([name, value]) =>
          [`@${name}`, new XmlAttribute(this.#element, { name, value }, this.#findings)] as const,
      );
    const parts = children.map((child) => [child.name, new XmlValue(child, this.#findings)] as const);
    return new WrittenRecord(this, [...written, ...parts], this.#findings);
  }

  #as<T>(description: string, parse: (text: string) => T | undefined): T | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined)
      this.#findings.add(this.at, `${this.label}: "${shortened(text)}" is not ${description}`);
    return value;
  }

  #refuseAttributes(): void {
    for (const name of this.#element.attributes.keys())
      this.#findings.add(this.at, `Attribute "${shortened(name)}" is unknown in ${this.label}`);
  }
}

class XmlAttribute extends XmlValue {
  override readonly label: string;

  constructor(
    owner: XmlElement,
    { name, value }: { readonly name: string; readonly value: string },
    findings: Findings,
  ) {
    super({ ...owner, name, text: value, attributes: new Map(), children: [] }, findings);
    this.label = `Attribute "${shortened(name)}"`;
  }
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Attributes that editors add to the root. */
function isSchemaHint(attribute: string): boolean {
  return (
    attribute.startsWith('xmlns:') || /^xsi:(?:noNamespaceSchemaLocation|schemaLocation)$/.test(attribute)
  );
}

export function oneOf<T extends string>(
  value: WrittenValue | undefined,
  known: readonly T[],
  findings: Findings,
): T | undefined {
  const text = value?.text();
  if (value === undefined || text === undefined) return undefined;
  const found = known.find((each) => each === text);
  if (found === undefined)
    findings.add(value.at, `${value.label}: "${shortened(text)}" is none of ${known.join(', ')}`);
  return found;
}

/** A text that XML, the stored form, can contain. */
export function textForXml(value: WrittenValue | undefined, findings: Findings): string | undefined {
  const text = value?.text();
  if (value === undefined || text === undefined) return undefined;
  if (XML_CHARACTERS.test(text)) return text;
  findings.add(value.at, `${value.label} holds a character that XML does not have`);
  return undefined;
}

/** A duration of at least `least` units; UNLIMITED needs no number and allows -1 as in catalogs. */
export function readDuration(value: WrittenValue, findings: Findings, least = 0): Duration | undefined {
  const record = value.record();
  if (record === undefined) return undefined;
  const unit = oneOf(record.require('unit'), Object.values(TimeUnit), findings);
  const isUnlimited = unit === TimeUnit.UNLIMITED;
  const written = isUnlimited ? record.take('number') : record.require('number');
  const number = written?.wholeNumber();
  record.refuseOthers();
  if (isUnlimited && (number === undefined || number === -1)) return UNLIMITED_DURATION;
  if (number === undefined || written === undefined) return undefined;
  if (number < least) {
    findings.add(written.at, `${written.label}: ${number} is below ${least}`);
    return undefined;
  }
  if (unit === undefined) return undefined;
  return isUnlimited ? UNLIMITED_DURATION : { unit, number };
}

/** Collects all problems of one document with positions. */
export class Findings {
  readonly #lines: Lines;
  readonly #found: { readonly at: number; readonly message: string }[] = [];
  #subject = '';
  #unlisted = 0;

  constructor(document: string) {
    this.#lines = new Lines(document);
  }

  get problems(): readonly Problem[] {
    const listed = this.#found
      .toSorted((one, other) => one.at - other.at)
      .map(({ at, message }) => ({ message, ...this.#lines.at(at) }));
    return this.#unlisted === 0 ? listed : [...listed, { message: `and ${this.#unlisted} more errors` }];
  }

  get count(): number {
    return this.#found.length + this.#unlisted;
  }

  add(at: number, message: string): void {
    if (this.#found.length < MAX_LISTED_PROBLEMS) this.#found.push({ at, message: this.#subject + message });
    else this.#unlisted += 1;
  }

  /** Attributes findings of `work` to the subject. */
  about<T>(subject: string, work: () => T): T {
    const before = this.#subject;
    this.#subject = `${subject}: `;
    try {
      return work();
    } finally {
      this.#subject = before;
    }
  }
}

export function invalidOverdueConfig(problems: readonly Problem[]): BillingError {
  return new BillingError({
    code: ErrorCode.OVERDUE_INVALID_FOR_TENANT,
    message: `Invalid overdue configuration: ${problems.map(problemText).join('; ')}`,
    problems,
  });
}
