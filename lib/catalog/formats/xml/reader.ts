import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import type { Steps } from '../../../runtime/index.ts';
import {
  type DocumentFault,
  faultOfEndTag,
  faultOfParser,
  NO_DOCTYPE,
  trimXml,
} from '../../../values/documents/index.ts';
import { assertInvariant, type BillingError } from '../../../values/errors/index.ts';
import {
  MAX_XML_ATTRIBUTES,
  MAX_XML_DEPTH,
  MAX_XML_NAME_CHARACTERS,
  MAX_XML_TEXT_CHARACTERS,
} from '../../../values/limits.ts';
import { excess, type VersionLimit } from '../../model/version-content.ts';
import { invalidCatalog } from '../../validation/findings.ts';
import { NAMESPACE, PREFIX } from '../fields/field.ts';
import { type ElementRule, type Frame, Positions, Refusal, readScalar, type XmlSource } from './element.ts';

/** Maximum number of elements in a document. It limits the memory and time that parsing takes. */
const MAX_XML_ELEMENTS = 1_000_000;

const XML_CHARACTERS_PER_STEP = 32_768;

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const NOT_BLANK = /[^ \t\r\n]/;

interface ReadXml<T> {
  readonly value: T;
  readonly positions: Positions;
}

/**
 * Reads a document, starting with the rule of its root element (§3.2). Keeps one frame per open element and builds no
 * tree. Throws `BillingError` 2080 for the first structural error, or for all limits that were exceeded.
 */
export function xmlSteps<T>(
  source: XmlSource,
  roots: ReadonlyMap<string, ElementRule<T>>,
): Steps<ReadXml<T>> {
  return new XmlReader(source, roots).read();
}

interface Excess {
  /** Offset of the first element above the limit. */
  readonly offset: number;
  count: number;
}

class XmlReader<T> {
  readonly #source: XmlSource;
  readonly #roots: ReadonlyMap<string, ElementRule<T>>;
  // XML 1.1 would allow control characters that are invalid in XML 1.0, the version of written documents.
  readonly #parser = new SaxesParser({ xmlns: true, forceXMLVersion: true, defaultXMLVersion: '1.0' });
  readonly #positions: Positions;
  readonly #open: Frame[] = [];
  #root: ElementRule<T> | undefined;
  #result: { readonly value: T } | undefined;
  #elements = 0;
  #attributes = 0;
  #startOffset = 0;
  /** Limits that were exceeded. After the first one, the remaining elements of the document are only counted. */
  readonly #exceeded = new Map<VersionLimit, Excess>();

  constructor(source: XmlSource, roots: ReadonlyMap<string, ElementRule<T>>) {
    this.#source = source;
    this.#roots = roots;
    this.#positions = new Positions(source);
  }

  *read(): Steps<ReadXml<T>> {
    const parser = this.#parser;
    parser.on('error', (error) => this.#refuse(faultOfParser(error, this.#source.text, parser.position)));
    parser.on('doctype', () => this.#fail(NO_DOCTYPE));
    parser.on('xmldecl', (declaration) => this.#source.checkDeclaredEncoding(declaration.encoding));
    parser.on('opentagstart', (tag) => this.#startTag(tag.name));
    parser.on('attribute', (attribute) => this.#boundAttribute(attribute.name, attribute.value));
    parser.on('opentag', (tag) => this.#openElement(tag));
    parser.on('text', (text) => this.#takeText(text));
    parser.on('cdata', (text) => this.#takeText(text));
    parser.on('closetag', (tag) => this.#closeElement(tag));
    const { text } = this.#source;
    for (let start = 0; start < text.length; start += XML_CHARACTERS_PER_STEP) {
      parser.write(text.slice(start, start + XML_CHARACTERS_PER_STEP));
      yield;
    }
    parser.close();
    if (this.#exceeded.size > 0) throw this.#tooMany();
    assertInvariant(this.#result !== undefined, 'The parsed document has no root element');
    return { value: this.#result.value, positions: this.#positions };
  }

  #refuse(fault: DocumentFault | undefined): void {
    if (fault !== undefined) this.#fail(fault.message, fault.offset);
  }

  #fail(message: string, offset = Math.max(0, this.#parser.position - 1)): never {
    throw this.#exceeded.size > 0 ? this.#tooMany() : this.#source.fault(offset, message);
  }

  /** Returns the error with all limits that were exceeded in the readable part of the document. */
  #tooMany(): BillingError {
    const problems = [...this.#exceeded].map(([limit, { offset, count }]) => ({
      message: excess(limit, count),
      ...this.#source.locate(offset),
    }));
    return invalidCatalog(problems);
  }

  /** Opens an element. Checks the limits before reading the attributes. */
  #startTag(name: string): void {
    // The element name contains no '<', and the parser is one character past the name.
    this.#startOffset = this.#source.text.lastIndexOf('<', this.#parser.position - 1);
    this.#attributes = 0;
    this.#elements += 1;
    if (name.length > MAX_XML_NAME_CHARACTERS) {
      this.#fail(`An element name is longer than ${MAX_XML_NAME_CHARACTERS} characters`, this.#startOffset);
    }
    if (this.#open.length >= MAX_XML_DEPTH) {
      this.#fail(`Elements are nested deeper than ${MAX_XML_DEPTH}`, this.#startOffset);
    }
    if (this.#elements > MAX_XML_ELEMENTS) {
      this.#fail(`The document has more than ${MAX_XML_ELEMENTS} elements`, this.#startOffset);
    }
  }

  #boundAttribute(name: string, value: string): void {
    this.#attributes += 1;
    if (this.#attributes > MAX_XML_ATTRIBUTES) {
      this.#fail(`An element has more than ${MAX_XML_ATTRIBUTES} attributes`, this.#startOffset);
    }
    if (name.length > MAX_XML_NAME_CHARACTERS) {
      this.#fail(`An attribute name is longer than ${MAX_XML_NAME_CHARACTERS} characters`, this.#startOffset);
    }
    if (value.length > MAX_XML_TEXT_CHARACTERS) {
      const message = `The value of attribute "${name}" is longer than ${MAX_XML_TEXT_CHARACTERS} characters`;
      this.#fail(message, this.#startOffset);
    }
  }

  #openElement(tag: SaxesTagNS): void {
    const name = this.#nameOf(tag);
    const rule = this.#ruleOf(name);
    const frame: Frame = {
      name,
      rule,
      offset: this.#startOffset,
      fields: emptyFields(rule),
      childOffsets: {},
      text: '',
      isNil: false,
    };
    this.#open.push(frame);
    if (this.#exceeded.size > 0) return;
    for (const attribute of Object.values(tag.attributes)) this.#readAttribute(frame, attribute);
    for (const [name, { isRequired }] of rule.attributes) {
      if (frame.fields[name] !== undefined) continue;
      if (isRequired) this.#fail(`Element "${frame.name}" lacks the attribute "${name}"`, frame.offset);
      frame.fields[name] = null;
    }
  }

  /** Returns the name of an element as written in the field tables, regardless of the document's prefix. */
  #nameOf({ name, prefix, uri, local }: SaxesTagNS): string {
    if (prefix === '') return name;
    if (uri === NAMESPACE) return `${PREFIX}${local}`;
    return this.#fail(`Element "${name}" is in a namespace; remove its prefix`, this.#startOffset);
  }

  /** Returns the grammar rule for an element. Rejects unknown and repeated elements. */
  #ruleOf(name: string): ElementRule<unknown> {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.#root = this.#roots.get(name);
      if (this.#root !== undefined) return this.#root;
      const expected = [...this.#roots.keys()].map((known) => `"${known}"`).join(' or ');
      return this.#fail(`Unknown root element "${name}"; expected ${expected}`, this.#startOffset);
    }
    const child = parent.rule.children.get(name);
    if (child === undefined) {
      return this.#fail(`Unknown element "${name}" in "${parent.name}"`, this.#startOffset);
    }
    if (child.limit !== undefined) this.#count(child.limit);
    if (this.#exceeded.size > 0) return child.element;
    const places = parent.childOffsets[name];
    if (child.occurs === 'many') {
      if (Array.isArray(places)) places.push(this.#startOffset);
      else parent.childOffsets[name] = [this.#startOffset];
    } else {
      if (places !== undefined)
        this.#fail(`Element "${name}" is repeated in "${parent.name}"`, this.#startOffset);
      parent.childOffsets[name] = this.#startOffset;
    }
    return child.element;
  }

  #count(limit: VersionLimit): void {
    const owner = this.#open.findLast(({ name }) => SCOPES[limit.of].has(name));
    assertInvariant(owner !== undefined, `${limit.what} are counted outside of a ${limit.of}`);
    owner.counts ??= new Map();
    const count = (owner.counts.get(limit) ?? 0) + 1;
    owner.counts.set(limit, count);
    if (count <= limit.max) return;
    const known = this.#exceeded.get(limit);
    if (known === undefined) this.#exceeded.set(limit, { offset: this.#startOffset, count });
    else known.count = Math.max(known.count, count);
  }

  #readAttribute(frame: Frame, attribute: SaxesAttributeNS): void {
    const isRoot = this.#open.length === 1;
    if (attribute.name === 'xmlns') {
      this.#fail('A default namespace is not accepted; elements must not be in a namespace', frame.offset);
    }
    if (attribute.prefix === '') {
      const rule = frame.rule.attributes.get(attribute.name);
      if (rule === undefined)
        this.#fail(`Unknown attribute "${attribute.name}" of "${frame.name}"`, frame.offset);
      const place = `Attribute "${attribute.name}" of "${frame.name}"`;
      const value = readScalar(rule.scalar, attribute.value, place);
      frame.fields[attribute.name] = this.#accept(value, frame.offset);
      return;
    }
    if (attribute.uri === XSI && attribute.local === 'nil' && frame.rule.isNillable) {
      frame.isNil = this.#booleanOf(attribute, frame);
      return;
    }
    // An element with `xsi:nil` may declare the prefix itself.
    if (attribute.prefix === 'xmlns' && (isRoot || frame.rule.isNillable)) return;
    if (isRoot && attribute.uri === XSI && isSchemaHint(attribute.local)) return;
    this.#fail(`Foreign attribute "${attribute.name}" of "${frame.name}"`, frame.offset);
  }

  #booleanOf(attribute: SaxesAttributeNS, frame: Frame): boolean {
    const text = trimXml(attribute.value);
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
    const message = `Attribute "${attribute.name}" of "${frame.name}" is neither true nor false`;
    return this.#fail(message, frame.offset);
  }

  #takeText(text: string): void {
    const frame = this.#open.at(-1);
    if (frame === undefined || this.#exceeded.size > 0) return;
    if (frame.rule.isLeaf) frame.text += text;
    else if (NOT_BLANK.test(text)) this.#fail(`Element "${frame.name}" must not contain text`, frame.offset);
  }

  #closeElement(tag: SaxesTagNS): void {
    if (!tag.isSelfClosing) this.#refuse(faultOfEndTag(tag.name, this.#source.text, this.#parser.position));
    const frame = this.#open.pop();
    assertInvariant(frame !== undefined, 'An end tag closes no open element');
    if (this.#exceeded.size > 0) return;
    frame.text = trimXml(frame.text);
    if (frame.text.length > MAX_XML_TEXT_CHARACTERS) {
      const message = `The text of "${frame.name}" is longer than ${MAX_XML_TEXT_CHARACTERS} characters`;
      this.#fail(message, frame.offset);
    }
    this.#completeChildren(frame);
    const parent = this.#open.at(-1);
    if (parent !== undefined) {
      deliver(frame.name, this.#finish(frame.rule, frame), parent);
    } else if (this.#root !== undefined) {
      this.#result = { value: this.#finish(this.#root, frame) };
    }
  }

  #finish<V>(rule: ElementRule<V>, frame: Frame): V {
    const value = this.#accept(rule.finish(frame), frame.offset);
    this.#positions.remember(value, frame);
    return value;
  }

  #completeChildren(frame: Frame): void {
    for (const [name, { occurs }] of frame.rule.children) {
      if (frame.fields[name] !== undefined) continue;
      if (occurs === 'one') this.#fail(`Element "${frame.name}" lacks the element "${name}"`, frame.offset);
      frame.fields[name] = occurs === 'many' ? [] : null;
    }
  }

  #accept<V>(outcome: V | Refusal, offset: number): V {
    if (outcome instanceof Refusal) return this.#fail(outcome.message, offset);
    return outcome;
  }
}

const SCOPES: Readonly<Record<VersionLimit['of'], ReadonlySet<string>>> = {
  version: new Set(['catalog', 'version']),
  plan: new Set(['plan']),
};

/** Returns empty fields in the order of the grammar, which may differ from the order in the document. */
function emptyFields({ attributes, children }: ElementRule<unknown>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of attributes.keys()) fields[name] = undefined;
  for (const name of children.keys()) fields[name] = undefined;
  return fields;
}

function deliver(name: string, value: unknown, parent: Frame): void {
  if (parent.rule.children.get(name)?.occurs !== 'many') {
    parent.fields[name] = value;
    return;
  }
  const list = parent.fields[name];
  if (Array.isArray(list)) list.push(value);
  else parent.fields[name] = [value];
}

function isSchemaHint(local: string): boolean {
  return local === 'schemaLocation' || local === 'noNamespaceSchemaLocation';
}
