import { type JsonNode, Lines, XML_CHARACTERS, type XmlElement } from '../../values/documents/index.ts';
import { BillingError, ErrorCode, type Problem, problemText } from '../../values/errors/index.ts';
import { MAX_LISTED_PROBLEMS } from '../../values/limits.ts';
import { type Decimal, parseWireDecimal } from '../../values/money/index.ts';
import { shortenText } from '../../values/text/index.ts';
import { type Duration, TimeUnit, UNLIMITED_DURATION } from '../../values/time/index.ts';

/** A value in XML or JSON. If it is read as the wrong type, the read returns undefined and adds a finding. */
export abstract class WrittenValue {
  readonly at: number;
  /** Label for messages, such as `Element "unit"`. */
  readonly label: string;
  protected readonly findings: Findings;

  constructor(at: number, label: string, findings: Findings) {
    this.at = at;
    this.label = label;
    this.findings = findings;
  }

  abstract text(): string | undefined;
  /** Returns the items of a list. In XML, their elements are named `elementName`. */
  abstract items(elementName: string): readonly WrittenValue[];
  abstract record(): WrittenRecord | undefined;
  /** Returns the text of a scalar. If the value is not a scalar, adds a finding and returns undefined. */
  protected abstract scalar(): string | undefined;
  protected abstract shown(): string;
  protected abstract readonly flags: ReadonlyMap<string, boolean>;
  wholeNumber(): number | undefined {
    return this.#parseScalar('a whole number of 32 bits', wholeNumberOf);
  }

  amount(): Decimal | undefined {
    return this.#parseScalar('a decimal number', (text) => parseWireDecimal(text));
  }

  flag(): boolean | undefined {
    return this.#parseScalar('true or false', (text) => this.flags.get(text));
  }

  oneOf<T extends string>(known: readonly T[]): T | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    const found = known.find((each) => each === text);
    return found ?? this.report(`"${shortenText(text)}" is not one of ${known.join(', ')}`);
  }

  /** Returns text that can be stored as XML. */
  textForXml(): string | undefined {
    const text = this.text();
    if (text === undefined || XML_CHARACTERS.test(text)) return text;
    this.findings.add(this.at, `${this.label} contains a character that XML does not allow`);
    return undefined;
  }

  /**
   * Returns a duration of at least `least` units. As in catalogs, UNLIMITED needs no number and may have the number -1.
   */
  duration(least = 0): Duration | undefined {
    const record = this.record();
    if (record === undefined) return undefined;
    const unit = record.require('unit')?.oneOf(Object.values(TimeUnit));
    const isUnlimited = unit === 'UNLIMITED';
    const written = isUnlimited ? record.take('number') : record.require('number');
    const number = written?.wholeNumber();
    record.refuseOthers();
    if (isUnlimited && (number === undefined || number === -1)) return UNLIMITED_DURATION;
    if (number === undefined) return undefined;
    if (number < least) return written?.report(`${number} is below ${least}`);
    if (unit === undefined) return undefined;
    return isUnlimited ? UNLIMITED_DURATION : { unit, number };
  }

  report(problem: string): undefined {
    this.findings.add(this.at, `${this.label}: ${problem}`);
  }

  protected refuse(description: string): undefined {
    return this.report(`${this.shown()} is not ${description}`);
  }

  #parseScalar<T>(description: string, parse: (text: string) => T | undefined) {
    const text = this.scalar();
    return text === undefined ? undefined : (parse(text) ?? this.refuse(description));
  }
}

/** The named parts of an element or object. Parts that are never read are reported as unknown. */
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

  /** Returns the part with this name. Reports duplicates. */
  take(name: string): WrittenValue | undefined {
    const [first, ...others] = this.takeAll(name);
    for (const { at, label } of others) this.#findings.add(at, `${label} is repeated; keep one`);
    return first;
  }

  takeAll(name: string): readonly WrittenValue[] {
    this.#asked.add(name);
    return this.#parts.get(name) ?? [];
  }

  /** Returns the part with this name. Reports a missing part. */
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

const WRITTEN_FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * A JSON value, read in the same way as request bodies. Scalars of a different type are converted (http-api §9 rule 6).
 */
export class JsonValue extends WrittenValue {
  protected readonly flags = WRITTEN_FLAGS;
  readonly #node: JsonNode;

  constructor(node: JsonNode, label: string, findings: Findings) {
    super(node.offset, label, findings);
    this.#node = node;
  }

  text(): string | undefined {
    return scalarOf(this.#node) ?? this.refuse('a text');
  }

  items(): readonly WrittenValue[] {
    if (this.#node.kind !== 'array') return this.refuse('a list') ?? [];
    return this.#node.items.map((item) => new JsonValue(item, this.label, this.findings));
  }

  /** Returns the members by name. Null and empty strings are treated as absent (http-api §9 rules 6 and 7). */
  record(): WrittenRecord | undefined {
    if (this.#node.kind !== 'object') return this.refuse('an object');
    const parts = this.#node.members
      .filter(({ value }) => value.kind !== 'null' && !(value.kind === 'string' && value.value === ''))
      .map(({ name, value }) => {
        const label = `Property "${shortenText(name)}"`;
        return [name, new JsonValue(value, label, this.findings)] as const;
      });
    return new WrittenRecord(this, parts, this.findings);
  }

  protected scalar(): string {
    return scalarOf(this.#node) ?? '';
  }

  protected shown(): string {
    const { kind } = this.#node;
    if (kind === 'object') return 'an object';
    if (kind === 'array') return 'a list';
    const text = shortenText(scalarOf(this.#node) ?? 'null');
    return kind === 'string' ? `"${text}"` : text;
  }
}

function scalarOf(node: JsonNode) {
  switch (node.kind) {
    case 'string':
      return node.value;
    case 'number':
      return node.literal;
    case 'boolean':
      return String(node.value);
    default:
      return undefined;
  }
}

/** The value of an element, or of an attribute that is used in place of an element. */
export class XmlValue extends WrittenValue {
  protected readonly flags = XML_FLAGS;
  readonly #element: XmlElement;

  constructor(element: XmlElement, findings: Findings, kind = 'Element') {
    super(element.offset, `${kind} "${shortenText(element.name)}"`, findings);
    this.#element = element;
  }

  text(): string | undefined {
    const { attributes, children, text } = this.#element;
    for (const name of attributes.keys())
      this.findings.add(this.at, `Attribute "${shortenText(name)}" is unknown in ${this.label}`);
    for (const child of children)
      this.findings.add(child.offset, `Element "${shortenText(child.name)}" is unknown in ${this.label}`);
    return children.length === 0 ? text : undefined;
  }

  items(elementName: string): readonly WrittenValue[] {
    const list = this.record();
    const items = list.takeAll(elementName);
    list.refuseOthers();
    return items;
  }

  /** Returns the children by name. Attributes are returned only if they are requested by `@` and their name. */
  record(): WrittenRecord {
    const { children, attributes, text } = this.#element;
    if (text !== '') this.findings.add(this.at, `${this.label} must not contain text`);
    const written = [...attributes]
      .filter(([name]) => !isSchemaHint(name))
      .map(([name, value]) => {
        const element = { ...this.#element, name, text: value, attributes: new Map(), children: [] };
        return [`@${name}`, new XmlValue(element, this.findings, 'Attribute')] as const;
      });
    const parts = children.map((child) => [child.name, new XmlValue(child, this.findings)] as const);
    return new WrittenRecord(this, [...written, ...parts], this.findings);
  }

  protected scalar(): string | undefined {
    return this.text();
  }

  protected shown(): string {
    return `"${shortenText(this.#element.text)}"`;
  }
}

const XML_FLAGS: ReadonlyMap<string, boolean> = new Map([...WRITTEN_FLAGS, ['1', true], ['0', false]]);

/** Returns true for an attribute that XML editors add to the root element. */
function isSchemaHint(attribute: string) {
  return (
    attribute.startsWith('xmlns:') || /^xsi:(?:noNamespaceSchemaLocation|schemaLocation)$/.test(attribute)
  );
}

/** Collects all problems of one document, with their positions. */
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
    return this.#unlisted === 0
      ? listed
      : [...listed, { message: `${this.#unlisted} more errors were found` }];
  }

  get count(): number {
    return this.#found.length + this.#unlisted;
  }

  add(at: number, message: string): void {
    if (this.#found.length < MAX_LISTED_PROBLEMS) this.#found.push({ at, message: this.#subject + message });
    else this.#unlisted += 1;
  }

  /** Runs `work`. Assigns all findings that it reports to the given subject. */
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
  const listed = problems.map(problemText).join('; ');
  return new BillingError({
    code: ErrorCode.OVERDUE_INVALID_FOR_TENANT,
    message: `Invalid overdue configuration: ${listed}`,
    problems,
  });
}
