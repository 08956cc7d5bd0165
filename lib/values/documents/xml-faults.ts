import { DocumentFault } from './fault.ts';
import { trimXml } from './xml-characters.ts';

/** What messages say of a document type wherever it stands. */
export const NO_DOCTYPE = 'A document type declaration (<!DOCTYPE) is not accepted; remove it';

const SAXES_POSITION = /^\d+:\d+: /;
/** The parser quotes names of any length. */
const LONGEST_SAXES_MESSAGE = 400;
const LONGEST_NAME = 60;

/**
 * What is wrong with a text before the parser has read any of it: half of a surrogate pair, or a document type. Only white
 * space, comments and processing instructions may come before one; anywhere else the parser refuses it as misplaced.
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

/** What the parser reports of a document that is not well-formed, at the place where it begins to be wrong. */
export function faultOfParser(error: Error, text: string, position: number): DocumentFault {
  const message = error.message.replace(SAXES_POSITION, '').slice(0, LONGEST_SAXES_MESSAGE);
  if (message.includes('entity'))
    return new DocumentFault(message, Math.max(0, text.lastIndexOf('&', position - 1)));
  // A lone "&" swallows everything up to the next ";", often the rest of the document, which then seems to be
  // unfinished.
  const loneAmpersand = text.indexOf('&', text.lastIndexOf(';') + 1);
  if (position === text.length && loneAmpersand >= 0)
    return new DocumentFault('This "&" begins no reference; write &amp;', loneAmpersand);
  return new DocumentFault(message, Math.max(0, position - 1));
}

/**
 * The fault of an end tag, read up to `position`, that is not that of `name`. The parser reports one only after it has
 * closed the element, so the text is looked at first.
 */
export function faultOfEndTag(name: string, text: string, position: number): DocumentFault | undefined {
  const end = position - 1;
  const start = text.lastIndexOf('</', end);
  const written = trimXml(text.slice(start + 2, end));
  if (written === name) return undefined;
  const shown = written.length > LONGEST_NAME ? `${written.slice(0, LONGEST_NAME - 3)}...` : written;
  return new DocumentFault(`The end tag ${JSON.stringify(shown)} does not close "${name}"`, start);
}
