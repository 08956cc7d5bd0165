import { escapeAttribute, escapeText } from './xml-characters.ts';

/** An element to be written: with text, or with children. */
export interface XmlNode {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly content: string | readonly XmlNode[];
}

/** The document, indented by two spaces; reading it back gives the same. */
export function writeXml(root: XmlNode): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${linesOf(root, '').join('\n')}\n`;
}

function linesOf({ name, attributes = {}, content }: XmlNode, indent: string): readonly string[] {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`);
  const start = `${indent}<${name}${written.join('')}>`;
  if (typeof content === 'string') return [`${start}${escapeText(content)}</${name}>`];
  return [start, ...content.flatMap((child) => linesOf(child, `${indent}  `)), `${indent}</${name}>`];
}
