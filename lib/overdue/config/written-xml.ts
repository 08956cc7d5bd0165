import type { XmlElement } from '../../values/documents/index.ts';
import { type Decimal, parseWireDecimal } from '../../values/money/index.ts';
import { shortened } from '../../values/text/index.ts';
import type { Findings } from './findings.ts';
import { WrittenRecord, type WrittenValue, wholeNumberOf } from './written.ts';

/** The value of an element, or of an attribute that stands in the place of one. */
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

  /** Its children by their names; attributes only those asked for, by `@` and their name. */
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

/** What editors put on the root of a document. */
function isSchemaHint(attribute: string): boolean {
  return (
    attribute.startsWith('xmlns:') || /^xsi:(?:noNamespaceSchemaLocation|schemaLocation)$/.test(attribute)
  );
}
