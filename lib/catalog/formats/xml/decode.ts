import { BillingError, ErrorCode } from '../../../values/errors/index.ts';
import { MAX_XML_BYTES } from '../../../values/limits.ts';
import { invalidCatalog } from '../../validation/invalid-catalog.ts';
import { type XmlEncoding, XmlSource } from './source.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Decodes an uploaded document (§3.2): UTF-8, or UTF-16 with a byte order mark; every invalid byte
 * sequence is an error. A string is taken as it is.
 */
export function decodeXml(document: Uint8Array | string, maxBytes = MAX_XML_BYTES): XmlSource {
  if (document.length > maxBytes) {
    throw new BillingError({
      code: ErrorCode.TOO_LARGE,
      message: `The document has ${document.length} bytes; at most ${maxBytes} are accepted`,
      facts: { size: document.length, limit: maxBytes },
    });
  }
  const source =
    typeof document === 'string' ? takeText(document) : decodeBytes(document, encodingOf(document));
  refuseDoctype(source);
  return source;
}

function encodingOf(bytes: Uint8Array): XmlEncoding {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return 'utf-8';
}

function decodeBytes(bytes: Uint8Array, encoding: XmlEncoding): XmlSource {
  try {
    return new XmlSource(new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw invalidCatalog([
      {
        message: `The document is not valid ${encoding.toUpperCase()}; send UTF-8, or UTF-16 with a byte order mark`,
        line: 1,
        column: 1,
      },
    ]);
  }
}

function takeText(document: string): XmlSource {
  const source = new XmlSource(
    document.startsWith(BYTE_ORDER_MARK) ? document.slice(1) : document,
    'decoded',
  );
  if (source.text.isWellFormed()) return source;
  throw source.fault(source.text.search(/\p{Surrogate}/u), 'Half a surrogate pair is not a character');
}

/**
 * Refuses a document type at its declaration, before the parser has read any of it. Only white space, comments and
 * processing instructions may come before one; anywhere else the parser itself refuses it as misplaced.
 */
function refuseDoctype(source: XmlSource): void {
  const prolog = /(?:[ \t\r\n]+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->)/y;
  let end = 0;
  while (prolog.test(source.text)) end = prolog.lastIndex;
  if (source.text.startsWith('<!DOCTYPE', end)) {
    throw source.fault(end, 'A document type declaration (<!DOCTYPE) is not accepted; remove it');
  }
}
