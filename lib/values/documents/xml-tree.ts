import { SaxesParser, type SaxesTagNS } from 'saxes';
import {
  MAX_XML_ATTRIBUTES,
  MAX_XML_DEPTH,
  MAX_XML_NAME_CHARACTERS,
  MAX_XML_TEXT_CHARACTERS,
} from '../limits.ts';

export interface XmlElement {
  readonly name: string;
  /** Offset of the character `<` that begins the element's start tag. */
  readonly offset: number;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /**
   * Text directly inside the element, without the text of its children. Leading and trailing white space is removed.
   */
  readonly text: string;
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

/**
 * Returns the tree of an XML document. The caller must limit the size of the document. The parser resolves only the
 * five entities of XML and rejects document types, so it never does I/O.
 * @throws DocumentFault at the first position that is not well-formed or exceeds a limit.
 */
export function readXmlTree(document: DecodedXml): XmlElement {
  return new TreeReader(document).read();
}

class TreeReader {
  readonly #document: DecodedXml;
  readonly #text: string;
  // XML 1.1 would allow control characters that XML 1.0 cannot contain.
  readonly #parser = new SaxesParser({ xmlns: true, forceXMLVersion: true, defaultXMLVersion: '1.0' });
  readonly #open: OpenElement[] = [];
  #root: XmlElement | undefined;
  #startOffset = 0;
  #attributes = 0;

  constructor(document: DecodedXml) {
    this.#document = document;
    this.#text = document.text;
  }

  read(): XmlElement {
    const parser = this.#parser;
    refuse(faultOfText(this.#text));
    parser.on('error', (error) => refuse(faultOfParser(error, this.#text, parser.position)));
    parser.on('doctype', () => this.#fail(NO_DOCTYPE));
    parser.on('xmldecl', ({ encoding }) => refuse(faultOfEncoding(this.#document, encoding)));
    parser.on('opentagstart', (tag) => this.#startTag(tag.name));
    parser.on('attribute', (attribute) => this.#boundAttribute(attribute.name, attribute.value));
    parser.on('opentag', (tag) => this.#openElement(tag));
    parser.on('text', (text) => this.#takeText(text));
    parser.on('cdata', (text) => this.#takeText(text));
    parser.on('closetag', (tag) => this.#closeElement(tag));
    parser.write(this.#text).close();
    return this.#root ?? this.#fail('The document has no root element', 0);
  }

  #fail(message: string, offset = Math.max(0, this.#parser.position - 1)): never {
    throw new DocumentFault(message, offset);
  }

  #startTag(name: string): void {
    // The element name contains no '<', and the parser is one character after the name.
    this.#startOffset = this.#text.lastIndexOf('<', this.#parser.position - 1);
    this.#attributes = 0;
    if (name.length > MAX_XML_NAME_CHARACTERS)
      this.#fail(`An element name is longer than ${MAX_XML_NAME_CHARACTERS} characters`, this.#startOffset);
    if (this.#open.length >= MAX_XML_DEPTH)
      this.#fail(`Elements are nested deeper than ${MAX_XML_DEPTH}`, this.#startOffset);
  }

  #boundAttribute(name: string, value: string): void {
    this.#attributes += 1;
    if (this.#attributes > MAX_XML_ATTRIBUTES)
      this.#fail(`An element has more than ${MAX_XML_ATTRIBUTES} attributes`, this.#startOffset);
    if (Math.max(name.length, value.length) > MAX_XML_TEXT_CHARACTERS)
      this.#fail(`An attribute is longer than ${MAX_XML_TEXT_CHARACTERS} characters`, this.#startOffset);
  }

  #openElement(tag: SaxesTagNS): void {
    const attributes = new Map<string, string>();
    for (const { name, value } of Object.values(tag.attributes)) attributes.set(name, value);
    const element = { name: tag.name, offset: this.#startOffset, attributes, children: [], text: '' };
    this.#open.at(-1)?.children.push(element);
    this.#open.push(element);
  }

  #takeText(text: string): void {
    const element = this.#open.at(-1);
    if (element === undefined) return;
    element.text += text;
    if (element.text.length > MAX_XML_TEXT_CHARACTERS)
      this.#fail(
        `The text of "${element.name}" is longer than ${MAX_XML_TEXT_CHARACTERS} characters`,
        element.offset,
      );
  }

  #closeElement({ name, isSelfClosing }: SaxesTagNS): void {
    if (!isSelfClosing) refuse(faultOfEndTag(name, this.#text, this.#parser.position));
    const element = this.#open.pop();
    if (element === undefined) return;
    element.text = trimXml(element.text);
    this.#root = element;
  }
}

function refuse(fault: DocumentFault | undefined): void {
  if (fault !== undefined) throw fault;
}

/** For each encoding of a document, the encoding names that its XML declaration may contain. */
const DECLARABLE_ENCODING = {
  'utf-8': /^utf-?8$/i,
  'utf-16le': /^utf-?16(le)?$/i,
  'utf-16be': /^utf-?16(be)?$/i,
  /** The encoding names for a string, which has already been decoded. */
  decoded: /^utf-?(8|16(le|be)?)$/i,
} as const;
type XmlEncoding = keyof typeof DECLARABLE_ENCODING;

export interface DecodedXml {
  readonly text: string;
  readonly encoding: XmlEncoding;
}

const BYTE_ORDER_MARK = '\uFEFF';
const LONGEST_SHOWN_ENCODING = 60;

/**
 * Decodes a document, which can be a string or bytes in UTF-8 or in UTF-16 with a byte order mark.
 * @throws DocumentFault for invalid bytes.
 */
export function decodeXml(document: Uint8Array | string): DecodedXml {
  if (typeof document !== 'string') return decodeBytes(document);
  const text = document.startsWith(BYTE_ORDER_MARK) ? document.slice(1) : document;
  return { text, encoding: 'decoded' };
}

/** Returns the error for an XML declaration that names a wrong encoding. */
export function faultOfEncoding(
  { encoding }: DecodedXml,
  declared: string | undefined,
): DocumentFault | undefined {
  if (declared === undefined || DECLARABLE_ENCODING[encoding].test(declared)) return undefined;
  const shown = JSON.stringify(declared.slice(0, LONGEST_SHOWN_ENCODING));
  return new DocumentFault(
    `The declared encoding ${shown} does not match the document; send UTF-8, or UTF-16 with a byte order mark`,
    0,
  );
}

function decodeBytes(bytes: Uint8Array): DecodedXml {
  const encoding = encodingOf(bytes);
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new DocumentFault(
      `The document is not valid ${encoding.toUpperCase()}; send UTF-8, or UTF-16 with a byte order mark`,
      0,
    );
  }
}

function encodingOf(bytes: Uint8Array): XmlEncoding {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return 'utf-8';
}

/** An XML element to write. It has either text or children. */
export interface XmlNode {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly content: string | readonly XmlNode[];
}

/** Returns the XML document as text, indented by two spaces. Parsing the text returns the same tree. */
export function writeXml(root: XmlNode): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${linesOf(root, '').join('\n')}\n`;
}

function linesOf({ name, attributes = {}, content }: XmlNode, indent: string): readonly string[] {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`);
  const start = `${indent}<${name}${written.join('')}>`;
  if (typeof content === 'string') return [`${start}${escapeText(content)}</${name}>`];
  return [start, ...content.flatMap((child) => linesOf(child, `${indent}  `)), `${indent}</${name}>`];
}

/** Matches the characters that XML 1.0 allows. JSON allows more characters. */
export const XML_CHARACTERS = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

const XML_SPACE = ' \t\r\n';

/** Removes leading and trailing XML white space, in linear time. */
export function trimXml(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && XML_SPACE.includes(text.charAt(start))) start += 1;
  while (end > start && XML_SPACE.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Escapes text for XML. Carriage returns are escaped too, because a parser would convert them to line feeds. */
export function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, reference);
}

/** Escapes an attribute value. White space is escaped too, because a parser would convert it to spaces. */
export function escapeAttribute(value: string): string {
  return value.replace(/[&<>"\t\n\r]/g, reference);
}

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

function reference(character: string): string {
  return REFERENCES[character] ?? character;
}

export const NO_DOCTYPE = 'A document type declaration (<!DOCTYPE) is not accepted; remove it';

const SAXES_POSITION = /^\d+:\d+: /;
/** Maximum length of the parser's error messages. They contain names from the document. */
const LONGEST_SAXES_MESSAGE = 400;
const LONGEST_NAME = 60;

/**
 * Returns an error that the parser does not report: an unpaired surrogate, or a document type before the root element.
 */
export function faultOfText(text: string): DocumentFault | undefined {
  if (!text.isWellFormed())
    return new DocumentFault('Half a surrogate pair is not a character', text.search(/\p{Surrogate}/u));
  const prolog = /(?:[ \t\r\n]+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->)/y;
  let end = 0;
  while (prolog.test(text)) end = prolog.lastIndex;
  if (!text.startsWith('<!DOCTYPE', end)) return undefined;
  return new DocumentFault(NO_DOCTYPE, end);
}

/** Returns the parser's error with the position where the invalid text begins. */
export function faultOfParser(error: Error, text: string, position: number): DocumentFault {
  const message = error.message.replace(SAXES_POSITION, '').slice(0, LONGEST_SAXES_MESSAGE);
  if (message.includes('entity'))
    return new DocumentFault(message, Math.max(0, text.lastIndexOf('&', position - 1)));
  // After a lone "&", the parser reads everything up to the next ";", so the document appears incomplete.
  const loneAmpersand = text.indexOf('&', text.lastIndexOf(';') + 1);
  if (position === text.length && loneAmpersand >= 0)
    return new DocumentFault('This "&" does not begin a reference; write &amp;', loneAmpersand);
  return new DocumentFault(message, Math.max(0, position - 1));
}

/**
 * Returns the error for a wrong end tag, which ends at `position`. The parser reports such an error only after it has
 * closed the element.
 */
export function faultOfEndTag(name: string, text: string, position: number): DocumentFault | undefined {
  const end = position - 1;
  const start = text.lastIndexOf('</', end);
  const written = trimXml(text.slice(start + 2, end));
  if (written === name) return undefined;
  const shown = written.length > LONGEST_NAME ? `${written.slice(0, LONGEST_NAME - 3)}...` : written;
  return new DocumentFault(`The end tag ${JSON.stringify(shown)} does not close "${name}"`, start);
}

/** The first error in a document that is not well-formed. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}
