import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  canonicalXml,
  createCatalog,
  createVersion,
  readCatalogXml,
  writeCatalogXml,
} from '../../../lib/catalog/index.ts';
import {
  catalogXml,
  lists,
  parse,
  plan,
  price,
  product,
  TRIAL,
  version,
} from '../../support/catalogs/catalog-document.ts';
import { fixture } from '../../support/files.ts';

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

describe('written catalog XML', () => {
  it('contains the envelope in grammar order, with defaults written out', () => {
    const written = writeCatalogXml(
      createCatalog([
        version({
          effectiveDate: '2024-06-01T12:00:00.250+02:00',
          units: ['u'],
          products: product('Z') + product('P', { available: ['A'] }) + product('A', { category: 'ADD_ON' }),
          plans: plan('z-m', 'Z', { initialPhases: TRIAL }) + plan('p-m', 'P', { price: '75.00' }),
          priceLists: lists({ DEFAULT: ['z-m', 'p-m'], VIP: [] }),
        }),
      ]),
    );
    expect(written).to.equal(readFileSync(fixture('catalogs/written.xml'), 'utf8'));
  });

  it('contains all versions by date, or only the requested versions', () => {
    const catalog = createCatalog([version({ effectiveDate: '2025-01-01' }), version()]);
    const dates = (xml: string) => xml.match(/<effectiveDate>[^<]*/g)?.map((match) => match.slice(15)) ?? [];
    expect(dates(writeCatalogXml(catalog))).to.eql(['2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z']);
    expect(dates(writeCatalogXml(catalog, catalog.versions.slice(1)))).to.eql(['2025-01-01T00:00:00Z']);
    expect(writeCatalogXml(catalog)).to.include('<catalogName>Test</catalogName>\n</catalogs>');
  });

  it('contains an envelope without versions for a tenant without a catalog', () =>
    expect(writeCatalogXml(createCatalog([]))).to.equal(
      '<?xml version="1.0" encoding="UTF-8"?>\n<catalogs>\n  <versions/>\n</catalogs>\n',
    ));

  it('preserves null prices, pretty names and every character in a round trip', () => {
    const strange = `a "quoted" <&> 'name'\twith\r\nbreaks ]]> é 𝒳`;
    const escaped = strange
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('"', '&quot;')
      .replace('\t', '&#9;')
      .replace('\r\n', '&#13;&#10;')
      .replace('>', '&gt;')
      .replace('>', '&gt;');
    const { content } = parse(
      catalogXml({
        catalogName: escaped,
        plans: plan('p-m', 'P', { price: price('USD', null) }).replace(
          '<plan',
          `<plan prettyName="${escaped}"`,
        ),
      }).replace('<catalog>', `<catalog ${XSI}>`),
    );
    expect(content.catalogName).to.equal(strange);
    expect(content.plans[0]?.prettyName).to.equal(strange);

    const original = createVersion(content);
    const [reread] = readCatalogXml(writeCatalogXml(createCatalog([original]))).versions;
    expect(reread?.content.catalogName).to.equal(strange);
    expect(reread?.content.plans[0]?.prettyName).to.equal(strange);
    expect(reread?.content.plans[0]?.finalPhase.recurring?.price?.prices).to.eql([
      { currency: 'USD', amount: null },
    ]);
    expect(canonicalXml(createVersion(parse(canonicalXml(original)).content))).to.equal(
      canonicalXml(original),
    );
  });
});
