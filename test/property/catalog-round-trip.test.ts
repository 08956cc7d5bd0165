import {
  canonicalXml,
  createCatalog,
  createVersion,
  readCatalogXml,
  type VersionContent,
  writeCatalogXml,
} from '../../lib/catalog/index.ts';
import { versionContent } from '../support/catalogs/catalog-arbitraries.ts';
import { documentRuns, expect, expectSame, fc, forRuns } from '../support/property.ts';

/** Returns the public state of a version. Writing moves the version's own billing mode into its plans. */
function state(content: VersionContent): unknown {
  const version = createVersion(content);
  const { catalogName, effectiveDate, currencies, units, products, plans, rules, priceLists } = version;
  return { catalogName, effectiveDate, currencies, units, products, plans, rules, priceLists };
}

describe('catalog XML round trip', () => {
  it('preserves every version and its exact text', () =>
    forRuns(documentRuns, [versionContent], (content) => {
      const written = canonicalXml(createVersion(content));
      const [reread] = readCatalogXml(written).versions;
      expectSame(reread && state(reread.content), state(content));
      expect(reread && canonicalXml(createVersion(reread.content))).to.equal(written);
    })).timeout(0);

  it('preserves the envelope in any encoding', () =>
    forRuns(documentRuns, [versionContent, fc.boolean()], (content, isUtf8) => {
      const written = writeCatalogXml(createCatalog([createVersion(content)]));
      const bytes = isUtf8 ? new TextEncoder().encode(written) : utf16(written.replace('UTF-8', 'UTF-16'));
      const document = readCatalogXml(bytes);
      expect(document.isEnvelope).to.equal(true);
      expectSame(
        document.versions.map((version) => state(version.content)),
        [state(content)],
      );
    })).timeout(0);
});

/** Encodes the text as little-endian UTF-16 with a byte order mark. */
function utf16(text: string): Uint8Array {
  return new Uint8Array(Uint16Array.from(`\uFEFF${text}`.split(''), (unit) => unit.charCodeAt(0)).buffer);
}
