import { atOnce, type Steps } from '../../../runtime/index.ts';
import type { Locate, ParsedVersion } from '../../model/parsed-version.ts';
import { decodeXml } from './decode.ts';
import { catalogRoots } from './grammar.ts';
import { xmlSteps } from './reader.ts';

export interface ParsedDocument {
  /** Root `catalogs`, what retrieval returns; else root `catalog`, what people write. */
  readonly isEnvelope: boolean;
  /** At least one, in the order of the document. */
  readonly versions: readonly ParsedVersion[];
}

/**
 * Reads a catalog document (§3): root `catalog` with one version, or the envelope `catalogs`. Bytes are
 * UTF-8, or UTF-16 with a byte order mark. Touches neither file system nor network. What it returns has yet to pass
 * `validateVersion`, then becomes a `CatalogVersion` by `createVersion`.
 *
 * @throws BillingError 2080 `CATALOG_INVALID_FOR_TENANT` for the first structural error, as the one entry of
 *   `problems`, with line and column; 60012 `TOO_LARGE` above the bound of a document.
 */
export function readCatalogXml(document: Uint8Array | string, maxBytes?: number): ParsedDocument {
  return atOnce(catalogXmlSteps(document, maxBytes));
}

/** As `readCatalogXml`, step by step. */
export function* catalogXmlSteps(document: Uint8Array | string, maxBytes?: number): Steps<ParsedDocument> {
  const { value, positions } = yield* xmlSteps(decodeXml(document, maxBytes), catalogRoots);
  const locate: Locate = (record, child, index) => positions.locate(record, child, index);
  const isEnvelope = 'versions' in value;
  const contents = isEnvelope ? value.versions : [value];
  return { isEnvelope, versions: contents.map((content) => ({ content, locate })) };
}
