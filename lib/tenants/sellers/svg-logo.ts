import { SaxesParser, type SaxesTagNS } from 'saxes';
import { shortenText } from '../../values/text/index.ts';

const SVG = 'http://www.w3.org/2000/svg';

/** Elements that can run code, contain other documents or change references. */
const refusedElements = [
  'script',
  'foreignObject',
  'animate',
  'animateColor',
  'animateMotion',
  'animateTransform',
  'set',
  'discard',
  'handler',
  'listener',
  'iframe',
  'embed',
  'object',
  'audio',
  'video',
];

const MAX_SVG_DEPTH = 64;

/**
 * Checks an SVG image. Returns null if the image has no scripts and no references to other files. Otherwise returns the
 * problem, which completes a sentence about the image.
 */
export function faultOfSvg(bytes: Uint8Array): string | null {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return 'is not UTF-8 text';
  }
  try {
    readSvg(text);
    return null;
  } catch (error) {
    if (error instanceof SvgFault) return error.message;
    throw error;
  }
}

class SvgFault extends Error {}

function refuse(fault: string): never {
  throw new SvgFault(fault);
}

function readSvg(text: string): void {
  const parser = new SaxesParser({ xmlns: true });
  const open: { readonly name: string; text: string }[] = [];
  parser.on('error', (error) => refuse(`is not well-formed XML: ${shortenText(error.message)}`));
  parser.on('doctype', (doctype) => {
    // Drawing programs write a DOCTYPE with the public identifier of SVG.
    // Only entity declarations, which follow a bracket, are rejected.
    if (doctype.includes('[')) refuse('declares entities, which are not allowed');
  });
  parser.on('processinginstruction', ({ target }) =>
    refuse(`contains the instruction <?${shortenText(target)}?>, which is not allowed`),
  );
  parser.on('opentag', (tag) => {
    if (open.length === MAX_SVG_DEPTH) refuse(`nests elements more than ${MAX_SVG_DEPTH} levels deep`);
    if (open.length === 0 && (tag.local !== 'svg' || tag.uri !== SVG))
      refuse(`does not begin with an svg element of ${SVG}`);
    checkElement(tag);
    open.push({ name: tag.local.toLowerCase(), text: '' });
  });
  const take = (part: string) => {
    const element = open.at(-1);
    if (element?.name === 'style') element.text += part;
  };
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('closetag', () => checkStyle(open.pop()?.text ?? ''));
  parser.write(text).close();
}

function checkElement({ local, uri, attributes }: SaxesTagNS): void {
  const isRefused = refusedElements.some((name) => name.toLowerCase() === local.toLowerCase());
  if (isRefused || uri === 'http://www.w3.org/1999/xhtml')
    refuse(`contains the element ${shortenText(local)}, which is not allowed`);
  for (const { local: name, value } of Object.values(attributes)) {
    if (/^on/i.test(name)) refuse(`contains the event attribute ${shortenText(name)}, which is not allowed`);
    if (/^(?:href|src)$/i.test(name) && !isOwnReference(value))
      refuse(`refers to "${shortenText(value)}". Use #… or a data: URL of a PNG, JPEG, GIF or WebP image`);
    checkStyle(value);
  }
}

function isOwnReference(reference: string): boolean {
  return /^\s*(?:#|data:image\/(?:png|jpeg|gif|webp)[;,])/i.test(reference);
}

/** Checks style sheets and style attributes, because styles can load files. In old browsers, they can also run code. */
function checkStyle(text: string): void {
  const urls = text.matchAll(/(?:url|image-set|src)\(\s*["']?\s*([^"')]*)/gi);
  for (const [, reference = ''] of urls)
    if (!isOwnReference(reference)) refuse(`refers to "${shortenText(reference)}" in a style. Use url(#…)`);
  if (/@import|javascript:|expression\(|-moz-binding|behavior:/i.test(text))
    refuse('contains a style that loads files or runs code');
  // An escape can hide the letters of url().
  if (/\\[0-9a-f]/i.test(text)) refuse('contains an escape sequence in a style, which is not allowed');
}
