import { DocumentFault } from './fault.ts';

/** How a document's characters came, with the encoding names that its XML declaration may then give. */
const DECLARABLE_ENCODING = {
  'utf-8': /^utf-?8$/i,
  'utf-16le': /^utf-?16(le)?$/i,
  'utf-16be': /^utf-?16(be)?$/i,
  /** Already a string: its declaration is about bytes that were never seen here. */
  decoded: /^utf-?(8|16(le|be)?)$/i,
} as const;
export type XmlEncoding = keyof typeof DECLARABLE_ENCODING;

/** The text of an XML document. */
export interface DecodedXml {
  readonly text: string;
  readonly encoding: XmlEncoding;
}

const BYTE_ORDER_MARK = '\uFEFF';
const LONGEST_SHOWN_ENCODING = 60;

/**
 * Decodes a document: UTF-8, or UTF-16 with a byte order mark. A string is taken as it is, without such a mark.
 * @throws DocumentFault for an invalid sequence of bytes.
 */
export function decodeXml(document: Uint8Array | string): DecodedXml {
  if (typeof document !== 'string') return decodeBytes(document);
  const text = document.startsWith(BYTE_ORDER_MARK) ? document.slice(1) : document;
  return { text, encoding: 'decoded' };
}

/** The fault of an XML declaration that names another encoding than the one the bytes are in. */
export function faultOfEncoding(
  { encoding }: DecodedXml,
  declared: string | undefined,
): DocumentFault | undefined {
  if (declared === undefined || DECLARABLE_ENCODING[encoding].test(declared)) return undefined;
  const shown = JSON.stringify(declared.slice(0, LONGEST_SHOWN_ENCODING));
  return new DocumentFault(
    `The declared encoding ${shown} is not that of the document; send UTF-8, or UTF-16 with a byte order mark`,
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
