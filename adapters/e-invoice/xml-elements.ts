import { escapeAttribute, escapeText } from '../../lib/values/documents/index.ts';

/** An XML element with text or with other elements. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Attributes;
  readonly content: string | readonly XmlElement[];
}

/** Attributes that are null are left out. */
type Attributes = Readonly<Record<string, string | null>>;

/**
 * Returns an element with text. Returns null if there is no text, because e-invoices must not contain empty elements.
 */
export function leaf(
  name: string,
  text: string | null | undefined,
  attributes: Attributes = {},
): XmlElement | null {
  return text == null || text === '' ? null : { name, attributes, content: text };
}

/** Returns an element with the child elements that are not null. Returns null if all of them are null. */
export function group(
  name: string,
  content: readonly (XmlElement | null)[],
  attributes: Attributes = {},
): XmlElement | null {
  const present = content.filter((each) => each !== null);
  return present.length === 0 ? null : { name, attributes, content: present };
}

export function xmlText({ name, attributes, content }: XmlElement): string {
  const inner = typeof content === 'string' ? escapeText(content) : content.map(xmlText).join('');
  return `${startTag(name, attributes)}${inner}</${name}>`;
}

export function startTag(name: string, attributes: Attributes): string {
  const stated = Object.entries(attributes).map(([attribute, value]) =>
    value === null ? '' : ` ${attribute}="${escapeAttribute(value)}"`,
  );
  return `<${name}${stated.join('')}>`;
}
