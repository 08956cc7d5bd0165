/** The characters that XML 1.0 has; JSON has more. */
export const XML_CHARACTERS = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

const XML_SPACE = ' \t\r\n';

/** Text without the white space around it, as XML defines white space. Linear, whatever the text. */
export function trimXml(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && XML_SPACE.includes(text.charAt(start))) start += 1;
  while (end > start && XML_SPACE.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** A carriage return would be read back as a line feed. */
export function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, reference);
}

/** White space other than a blank would be read back as a blank. */
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
