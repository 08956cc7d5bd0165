import { DocumentFault, decodeXml as decode, faultOfText } from '../../../values/documents/index.ts';
import { BillingError, ErrorCode } from '../../../values/errors/index.ts';
import { invalidCatalog } from '../../validation/invalid-catalog.ts';
import { XmlSource } from './source.ts';

/** Bytes of one document, before parsing starts (`server.limits.text`). */
export const MAX_XML_BYTES = 10 * 1_048_576;

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
  const source = sourceOf(document);
  const fault = faultOfText(source.text);
  if (fault !== undefined) throw source.fault(fault.offset, fault.message);
  return source;
}

function sourceOf(document: Uint8Array | string): XmlSource {
  try {
    return new XmlSource(decode(document));
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    throw invalidCatalog([{ message: error.message, line: 1, column: 1 }]);
  }
}
