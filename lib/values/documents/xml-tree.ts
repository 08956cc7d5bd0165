import { SaxesParser, type SaxesTagNS } from 'saxes';
import {
  MAX_XML_ATTRIBUTES,
  MAX_XML_DEPTH,
  MAX_XML_NAME_CHARACTERS,
  MAX_XML_TEXT_CHARACTERS,
} from '../limits.ts';
import { type DecodedXml, faultOfEncoding } from './decode-xml.ts';
import { DocumentFault } from './fault.ts';
import { trimXml } from './xml-characters.ts';
import { faultOfEndTag, faultOfParser, faultOfText, NO_DOCTYPE } from './xml-faults.ts';

/** An element of a small document, all of which is kept. */
export interface XmlElement {
  readonly name: string;
  /** Of the `<` of its start tag. */
  readonly offset: number;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text, without that of its children, trimmed. */
  readonly text: string;
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

/**
 * Reads a whole document into a tree, for documents that the caller has bounded in size. Knows no grammar, resolves no
 * entity beyond the five of XML, and takes no document type, so that it does no I/O whatever the document says.
 * @throws DocumentFault at the first place where it is not well-formed or exceeds a bound.
 */
export function readXmlTree(document: DecodedXml): XmlElement {
  return new TreeReader(document).read();
}

class TreeReader {
  readonly #document: DecodedXml;
  readonly #text: string;
  // Version 1.1 would allow control characters that the written XML 1.0 cannot hold.
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
    // The name holds no '<', and the parser stands one character behind it.
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

/** Throws the fault, if there is one. */
function refuse(fault: DocumentFault | undefined): void {
  if (fault !== undefined) throw fault;
}
