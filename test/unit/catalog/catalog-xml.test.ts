import { readCatalogXml } from '../../../lib/catalog/index.ts';
import {
  at,
  catalogXml,
  DEFAULT_RULES,
  envelopeXml,
  parse,
  phase,
  plan,
  price,
  product,
  version,
  versionXml,
} from '../../support/catalogs/catalog-document.ts';
import { errorOf, expect, formatInstant } from '../../support/unit.ts';

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

function fault(document: string | Uint8Array): string {
  const { code, problems } = errorOf(() => readCatalogXml(document));
  expect(code).to.equal(2080);
  expect(problems, 'exactly one error').to.have.length(1);
  const [problem] = problems ?? [];
  return `${problem?.line}:${problem?.column} ${problem?.message}`;
}

function onePhase(parts: string, duration = '<unit>UNLIMITED</unit>'): string {
  return `<plan name="p-m"><product>P</product><finalPhase type="EVERGREEN">
    <duration>${duration}</duration>${parts}</finalPhase></plan>`;
}

describe('catalog XML reader', () => {
  it('accepts every element and attribute of the grammar', () => {
    const { content } = parse(`<catalog>
      <effectiveDate>2024-06-01T12:00:00+02:00</effectiveDate>
      <catalogName>Full</catalogName>
      <currencies><currency>USD</currency><currency>BTC</currency></currencies>
      <units><unit name="seat" prettyName="Seats"/><unit name="call"/></units>
      <products>
        <product name="Base" prettyName="The base">
          <category>BASE</category>
          <included><addonProduct>In</addonProduct></included>
          <available><addonProduct>Av</addonProduct></available>
          <limits><limit><unit>seat</unit><max>100.0</max><min>1</min></limit><limit><unit>call</unit></limit></limits>
        </product>
      </products>
      <rules>
        <changeAlignment><changeAlignmentCase><phaseType>TRIAL</phaseType><fromProduct>a</fromProduct>
          <fromProductCategory>BASE</fromProductCategory><fromBillingPeriod>DAILY</fromBillingPeriod>
          <fromPriceList>b</fromPriceList><toProduct>c</toProduct><toProductCategory>ADD_ON</toProductCategory>
          <toBillingPeriod>SESQUIENNIAL</toBillingPeriod><toPriceList>d</toPriceList>
          <alignment>CHANGE_OF_PRICELIST</alignment></changeAlignmentCase></changeAlignment>
        <billingAlignment><billingAlignmentCase><phaseType>DISCOUNT</phaseType><product>a</product>
          <productCategory>STANDALONE</productCategory><billingPeriod>WEEKLY</billingPeriod><priceList>b</priceList>
          <alignment>SUBSCRIPTION</alignment></billingAlignmentCase></billingAlignment>
      </rules>
      <plans>
        <plan name="full" prettyName="Everything">
          <effectiveDateForExistingSubscriptions>2024-07-01</effectiveDateForExistingSubscriptions>
          <product>Base</product>
          <recurringBillingMode>IN_ARREAR</recurringBillingMode>
          <finalPhase type="FIXEDTERM" prettyName="A year">
            <duration><unit>YEARS</unit><number>1</number></duration>
            <fixed type="ONE_TIME"/>
            <recurring><billingPeriod>TRIANNUAL</billingPeriod><recurringPrice/></recurring>
            <usages>
              <usage name="seats" prettyName="Seats used" billingMode="IN_ADVANCE" usageType="CAPACITY" tierBlockPolicy="TOP_TIER">
                <billingPeriod>MONTHLY</billingPeriod>
                <limits><limit><unit>seat</unit><max>5</max></limit></limits>
                <blocks><block type="TOP_UP"><unit>call</unit><size>10</size><prices/><minTopUpCredit>5</minTopUpCredit></block></blocks>
                <tiers><tier>
                  <limits><limit><unit>seat</unit><max>-1</max></limit></limits>
                  <blocks><tieredBlock type="TIERED"><unit>call</unit><size>0.5</size><prices>${price('BTC', '1')}</prices><max>7</max></tieredBlock></blocks>
                  <fixedPrice/><recurringPrice>${price('USD', '1')}</recurringPrice>
                </tier></tiers>
                <fixedPrice>${price('USD', '2')}</fixedPrice><recurringPrice/>
              </usage>
            </usages>
          </finalPhase>
          <plansAllowedInBundle>2</plansAllowedInBundle>
        </plan>
      </plans>
      <priceLists>
        <childPriceList name="VIP" prettyName="Very"><plans><plan>full</plan></plans></childPriceList>
        <defaultPriceList name="DEFAULT"/>
      </priceLists>
    </catalog>`);

    expect(formatInstant(content.effectiveDate)).to.equal('2024-06-01T10:00:00.000Z');
    expect(content).to.deep.include({
      catalogName: 'Full',
      recurringBillingMode: null,
      currencies: ['USD', 'BTC'],
    });
    expect(content.units).to.eql([
      { name: 'seat', prettyName: 'Seats' },
      { name: 'call', prettyName: 'call' },
    ]);
    const [base] = content.products;
    expect(base?.limits.map(({ max, min }) => [max.text, min.text])).to.eql([
      ['100.0', '1'],
      ['-1', '-1'],
    ]);
    expect(content.rules.changeAlignment).to.eql([
      {
        conditions: {
          phaseType: 'TRIAL',
          fromProduct: 'a',
          fromProductCategory: 'BASE',
          fromBillingPeriod: 'DAILY',
          fromPriceList: 'b',
          toProduct: 'c',
          toProductCategory: 'ADD_ON',
          toBillingPeriod: 'SESQUIENNIAL',
          toPriceList: 'd',
        },
        result: 'CHANGE_OF_PRICELIST',
      },
    ]);
    expect(content.rules.billingAlignment[0]?.conditions).to.eql({
      phaseType: 'DISCOUNT',
      product: 'a',
      productCategory: 'STANDALONE',
      billingPeriod: 'WEEKLY',
      priceList: 'b',
    });
    const [full] = content.plans;
    expect(full).to.deep.include({
      prettyName: 'Everything',
      recurringBillingMode: 'IN_ARREAR',
      effectiveDateForExistingSubscriptions: at('2024-07-01'),
      initialPhases: [],
      plansAllowedInBundle: 2,
    });
    expect(full?.finalPhase).to.deep.include({
      prettyName: 'A year',
      duration: { unit: 'YEARS', number: 1 },
      fixed: { type: 'ONE_TIME', price: { prices: [] } },
      recurring: { billingPeriod: 'TRIANNUAL', price: { prices: [] } },
    });
    const [usage] = full?.finalPhase.usages ?? [];
    expect(usage).to.deep.include({
      name: 'seats',
      prettyName: 'Seats used',
      billingMode: 'IN_ADVANCE',
      usageType: 'CAPACITY',
      tierBlockPolicy: 'TOP_TIER',
      billingPeriod: 'MONTHLY',
    });
    expect(usage?.blocks[0]).to.deep.include({ type: 'TOP_UP', unit: 'call' });
    expect(usage?.blocks[0]?.minTopUpCredit?.text).to.equal('5');
    expect(usage?.tiers[0]?.blocks[0]?.size.text).to.equal('0.5');
    expect(usage?.tiers[0]?.fixedPrice).to.eql({ prices: [] });
    expect(usage?.recurringPrice).to.eql({ prices: [] });
    expect(content.priceLists.childPriceLists).to.eql([{ name: 'VIP', prettyName: 'Very', plans: ['full'] }]);
  });

  it('applies the defaults of the grammar', () => {
    const { content } = parse(
      catalogXml({
        plans: `<plan name="p-m"><product>P</product><finalPhase type="EVERGREEN">
          <duration><unit>UNLIMITED</unit></duration>
          <usages><usage name="u" billingMode="IN_ARREAR" usageType="CONSUMABLE">
            <billingPeriod>MONTHLY</billingPeriod>
            <blocks><block><unit>x</unit><size>1</size><prices/></block></blocks></usage></usages>
        </finalPhase></plan>`,
      }),
    );
    const [first] = content.plans;
    expect(first).to.deep.include({
      prettyName: 'p-m',
      recurringBillingMode: null,
      effectiveDateForExistingSubscriptions: null,
      initialPhases: [],
      plansAllowedInBundle: -1,
    });
    expect(first?.finalPhase).to.deep.include({
      prettyName: null,
      duration: { unit: 'UNLIMITED', number: -1 },
      fixed: null,
      recurring: null,
    });
    expect(first?.finalPhase.usages[0]).to.deep.include({
      prettyName: 'u',
      tierBlockPolicy: 'ALL_TIERS',
      limits: [],
      tiers: [],
      fixedPrice: null,
      recurringPrice: null,
    });
    expect(first?.finalPhase.usages[0]?.blocks[0]).to.deep.include({ type: 'VANILLA', minTopUpCredit: null });

    const { products, plans, priceLists } = parse(
      catalogXml({
        products: '<product name="P"><category>BASE</category></product>',
        plans: onePhase('<fixed/>'),
      }),
    ).content;
    const none = { included: [], available: [], limits: [] };
    expect(products).to.eql([{ name: 'P', prettyName: 'P', category: 'BASE', ...none }]);
    expect(plans[0]?.finalPhase.fixed).to.eql({ type: 'ONE_TIME', price: { prices: [] } });
    expect(priceLists.defaultPriceList.prettyName).to.equal('DEFAULT');
  });

  it('applies the billing mode of the version to a plan without its own billing mode', () => {
    const own = '<recurringBillingMode>IN_ADVANCE</recurringBillingMode>';
    const modes = (more: string): string | null | undefined =>
      version({ recurringBillingMode: 'IN_ARREAR', plans: plan('p-m', 'P', { more }) }).plans[0]
        ?.recurringBillingMode;
    expect(modes('')).to.equal('IN_ARREAR');
    expect(modes(own)).to.equal('IN_ADVANCE');
  });

  it('accepts children in any order, comments and instructions anywhere, CDATA, and references in text', () => {
    const ordered = parse(catalogXml()).content;
    const reversed = parse(`<?xml version="1.0" encoding="utf-8"?>
      <!-- before --><?style none?>
      <catalog ${XSI} xsi:noNamespaceSchemaLocation="CatalogSchema.xsd " xmlns:other="urn:other">
        <priceLists><defaultPriceList name="DEFAULT"><plans><plan>p<!-- - -->-<?x?>m</plan></plans></defaultPriceList></priceLists>
        <plans>${plan('p-m', 'P')}</plans><rules>${DEFAULT_RULES}</rules>
        <products>${product('P')}</products>
        <currencies><!-- one --><currency> <![CDATA[U]]>S&#x44;
        </currency></currencies>
        <recurringBillingMode>IN_ADVANCE</recurringBillingMode>
        <catalogName>Te&#115;t</catalogName><effectiveDate>\t2024-01-01T00:00:00\r\n</effectiveDate>
      </catalog><!-- after -->`).content;
    expect(reversed).to.eql(ordered);
  });

  it('accepts schema hints, declared prefixes and 16 attributes on the root', () => {
    const declared = Array.from({ length: 13 }, (_, index) => `xmlns:n${index}="urn:${index}"`).join(' ');
    const hints = `${XSI} xsi:schemaLocation="urn:a a.xsd" xsi:noNamespaceSchemaLocation="b.xsd" ${declared}`;
    const hinted = catalogXml().replace('<catalog>', `<catalog ${hints}>`);
    expect(parse(hinted).content).to.eql(parse(catalogXml()).content);
  });

  it('decodes the five XML entities and numeric character references', () => {
    const name = '&lt;&gt;&amp;&apos;&quot;&#65;&#x1F600;';
    expect(parse(catalogXml({ catalogName: name })).content.catalogName).to.equal('<>&\'"A\u{1F600}');
    expect(
      parse(catalogXml({ plans: plan('p-m', 'P').replace('<plan', `<plan prettyName="${name}"`) })).content
        .plans[0]?.prettyName,
    ).to.equal('<>&\'"A\u{1F600}');
  });

  it('accepts an envelope with one or more versions, and ignores the name of the envelope', () => {
    const document = readCatalogXml(envelopeXml({}, { effectiveDate: '2025-01-01', catalogName: 'Other' }));
    expect(document.isEnvelope).to.equal(true);
    expect(document.versions.map(({ content }) => content.catalogName)).to.eql(['Test', 'Other']);
    expect(readCatalogXml(catalogXml()).isEnvelope).to.equal(false);
    const nameless = envelopeXml({}).replace('<catalogName>ignored</catalogName>', '');
    expect(readCatalogXml(nameless).versions).to.have.length(1);
    expect(fault('<catalogs><versions/></catalogs>')).to.equal(
      '1:11 Element "versions" has no element "version"',
    );
  });

  it('reads a nil value as null, but allows nil only on values', () => {
    const nil = (value: string): string =>
      catalogXml({ plans: plan('p-m', 'P', { price: `<price><currency>USD</currency>${value}</price>` }) });
    const amount = (xml: string): string | null | undefined =>
      parse(xml).content.plans[0]?.finalPhase.recurring?.price?.prices[0]?.amount?.text;

    const root = (xml: string): string => xml.replace('<catalog>', `<catalog ${XSI}>`);
    expect(amount(root(nil('<value xsi:nil="true"/>')))).to.equal(undefined);
    expect(amount(root(nil('<value xsi:nil="false">3</value>')))).to.equal('3');
    expect(amount(nil(`<value xsi:nil="1" ${XSI}/>`))).to.equal(undefined);
    expect(fault(root(nil('<value xsi:nil="true">3</value>')))).to.include('is nil and must be empty');
    expect(fault(root(nil('<value xsi:nil="yes"/>')))).to.include('neither true nor false');
    expect(fault(root(nil('<value/>')))).to.include(
      'Element "value": an empty value is not a decimal number',
    );
    expect(fault(nil('<value xsi:nil="true"/>'))).to.include('unbound namespace prefix');
    expect(fault(root(catalogXml().replace('<catalogName>', '<catalogName xsi:nil="true">')))).to.include(
      'Foreign attribute "xsi:nil"',
    );
  });

  describe('text decoder', () => {
    const text = `<?xml version="1.0"?>${catalogXml({ catalogName: 'Café 日本 𝒳' })}`;
    const names = (bytes: Uint8Array): string[] =>
      readCatalogXml(bytes).versions.map(({ content }) => content.catalogName);
    const utf16 = (isLittleEndian: boolean, source = text): Uint8Array => {
      const view = new DataView(new ArrayBuffer(source.length * 2 + 2));
      [...`\uFEFF${source}`]
        .join('')
        .split('')
        .forEach((unit, index) => {
          view.setUint16(index * 2, unit.charCodeAt(0), isLittleEndian);
        });
      return new Uint8Array(view.buffer);
    };

    it('accepts UTF-8 with and without a byte order mark, and UTF-16 with a byte order mark', () => {
      const utf8 = new TextEncoder();
      for (const bytes of [utf8.encode(text), utf8.encode(`\uFEFF${text}`), utf16(true), utf16(false)])
        expect(names(bytes)).to.eql(['Café 日本 𝒳']);
      expect(readCatalogXml(`\uFEFF${text}`).versions).to.have.length(1);
      const declared = text.replace('?>', ' encoding="UTF-16"?>');
      expect(names(utf16(true, declared))).to.have.length(1);
      expect(readCatalogXml(declared).versions).to.have.length(1);
    });

    it('rejects invalid bytes and declarations of other encodings', () => {
      const latin1 = Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);
      expect(fault(latin1)).to.equal(
        '1:1 The document is not valid UTF-8; send UTF-8, or UTF-16 with a byte order mark',
      );
      expect(fault(utf16(true).slice(0, -1))).to.include('is not valid UTF-16LE');
      expect(fault(utf16(true).slice(2)), 'UTF-16 without mark').to.be.a('string');
      for (const encoding of ['ISO-8859-1', 'UTF-16', 'UTF-7', 'windows-1252']) {
        const bytes = new TextEncoder().encode(text.replace('?>', ` encoding="${encoding}"?>`));
        expect(fault(bytes)).to.match(/^1:1 The declared encoding .* does not match the document/);
      }
    });
  });

  describe('scalar parser', () => {
    const withPrice = (amount: string): string =>
      catalogXml({ plans: plan('p-m', 'P', { price: price('USD', amount) }) });
    const accepted = [
      '0',
      '-0',
      '10',
      '75.00',
      '.5',
      '5.',
      '+3.1',
      '-2.50',
      '007',
      '0000000000000000123',
      '999999999999999.999999999',
    ];
    const refused = [
      '',
      '.',
      '-',
      '1e3',
      '1,5',
      '1 0',
      '0x1F',
      'NaN',
      'Infinity',
      '1234567890123456',
      '0.1234567891',
      '--1',
      '١',
    ];

    for (const amount of accepted)
      it(`accepts ${amount} as a decimal without changing its digits`, () => {
        const entry = parse(withPrice(amount)).content.plans[0]?.finalPhase.recurring?.price?.prices[0];
        expect(entry?.amount?.text).to.equal(amount);
        expect(entry?.amount?.value.toNumber()).to.equal(Number(amount));
        expect(entry?.amount?.value.isNegative()).to.equal(Number(amount) < 0);
      });
    for (const amount of refused)
      it(`rejects "${amount}" as a decimal`, () =>
        expect(fault(withPrice(amount))).to.match(/Element "value": .* is not a decimal number/));

    const dates: readonly (readonly [text: string, instant: string])[] = [
      ['2013-02-08T00:00:00+00:00', '2013-02-08T00:00:00.000Z'],
      ['2024-06-01T10:00', '2024-06-01T10:00:00.000Z'],
      ['2024-06-01T10:00:00.123Z', '2024-06-01T10:00:00.123Z'],
      ['2024-06-01', '2024-06-01T00:00:00.000Z'],
      ['  2024-06-01T10:00:00-05:00\n', '2024-06-01T15:00:00.000Z'],
    ];
    for (const [text, instant] of dates)
      it(`accepts ${JSON.stringify(text)} as a date`, () =>
        expect(formatInstant(parse(catalogXml({ effectiveDate: text })).content.effectiveDate)).to.equal(
          instant,
        ));
    for (const text of ['', 'today', '2024-02-30', '2024-01-01T25:00:00Z', '20240101', '1704067200000'])
      it(`rejects ${JSON.stringify(text)} as a date`, () =>
        expect(fault(catalogXml({ effectiveDate: text }))).to.include('Element "effectiveDate"'));

    it('rejects invalid values of types other than decimals and dates', () => {
      const wrong: readonly (readonly [string, string])[] = [
        [catalogXml({ catalogName: ' ' }), 'Element "catalogName": an empty value is not a text'],
        [catalogXml({ currencies: ['usd'] }), 'Element "currency": "usd" is not a currency code'],
        [
          catalogXml({ recurringBillingMode: 'LATER' }),
          '"LATER" is not a billing mode (IN_ADVANCE, IN_ARREAR)',
        ],
        [catalogXml({ products: product('P', { category: 'base' }) }), '"base" is not a product category'],
        [catalogXml({ plans: plan('p-m', 'P', { period: 'YEARLY' }) }), '"YEARLY" is not a billing period'],
        [
          catalogXml({ plans: plan('p-m', 'P', { initialPhases: phase('FREE') }) }),
          '"FREE" is not a phase type',
        ],
        [
          catalogXml({
            plans: plan('p-m', 'P', { more: '<plansAllowedInBundle>1.5</plansAllowedInBundle>' }),
          }),
          '"1.5" is not a whole number',
        ],
        [
          catalogXml({
            plans: plan('p-m', 'P', { more: '<plansAllowedInBundle>2147483648</plansAllowedInBundle>' }),
          }),
          '"2147483648" is not a whole number of 32 bits',
        ],
        [catalogXml({ rules: DEFAULT_RULES.replace('IMMEDIATE', 'NOW') }), '"NOW" is not a policy'],
        ...(
          [
            ['createAlignment', 'CHANGE_OF_PLAN', '"CHANGE_OF_PLAN" is not a create alignment'],
            ['changeAlignment', 'ACCOUNT', '"ACCOUNT" is not a change alignment'],
            ['billingAlignment', 'START_OF_BUNDLE', '"START_OF_BUNDLE" is not a billing alignment'],
          ] as const
        ).map(([rule, value, message]): readonly [string, string] => [
          catalogXml({
            rules: `<${rule}><${rule}Case><alignment>${value}</alignment></${rule}Case></${rule}>`,
          }),
          message,
        ]),
        [
          catalogXml({ plans: onePhase('', '<unit>FORTNIGHTS</unit>') }),
          '"FORTNIGHTS" is not a time unit (DAYS, WEEKS, MONTHS, YEARS, UNLIMITED)',
        ],
        [
          catalogXml({ plans: onePhase('', '<unit>DAYS</unit><number>1.0</number>') }),
          '"1.0" is not a whole number',
        ],
        [
          catalogXml({ plans: onePhase('<fixed type="MONTHLY"/>') }),
          '"MONTHLY" is not a fixed type (ONE_TIME)',
        ],
        ...(
          [
            ['billingMode="LATER" usageType="CAPACITY"', '', '"LATER" is not a billing mode'],
            [
              'billingMode="IN_ARREAR" usageType="PEAK"',
              '',
              '"PEAK" is not a usage type (CONSUMABLE, CAPACITY)',
            ],
            [
              'billingMode="IN_ARREAR" usageType="CAPACITY" tierBlockPolicy="ANY"',
              '',
              '"ANY" is not a tier block policy (ALL_TIERS, TOP_TIER)',
            ],
            [
              'billingMode="IN_ARREAR" usageType="CAPACITY"',
              '<blocks><block type="CUBE"/></blocks>',
              '"CUBE" is not a block type (VANILLA, TOP_UP, TIERED)',
            ],
          ] as const
        ).map(([attributes, body, message]): readonly [string, string] => [
          catalogXml({ plans: onePhase(`<usages><usage name="u" ${attributes}>${body}</usage></usages>`) }),
          message,
        ]),
      ];
      for (const [xml, message] of wrong) expect(fault(xml)).to.include(message);
    });
  });

  describe('document structure check', () => {
    const rows: Readonly<Record<string, readonly [document: string, fault: string]>> = {
      'a missing root': ['', '1:1 document must contain a root element.'],
      'a blank document': [' \n ', '2:1 document must contain a root element.'],
      'an unknown root': ['<shop/>', '1:1 Unknown root element "shop"; expected "catalog" or "catalogs"'],
      'two roots': [`${catalogXml()}<catalog/>`, 'documents may contain only one root.'],
      'text after the root': [`${catalogXml()} x`, 'text data outside of root node.'],
      'an unknown element': ['<catalog>\n  <shop/></catalog>', '2:3 Unknown element "shop" in "catalog"'],
      'an element named like a prototype member': [
        '<catalog><constructor/></catalog>',
        '1:10 Unknown element "constructor" in "catalog"',
      ],
      'an attribute named like a prototype member': [
        '<catalog __proto__="x"/>',
        '1:1 Unknown attribute "__proto__" of "catalog"',
      ],
      'a nested rule': [
        `<catalog><rules><changePolicy><changePolicy/></changePolicy></rules></catalog>`,
        '1:31 Unknown element "changePolicy" in "changePolicy"',
      ],
      'a child of a text element': [
        '<catalog><catalogName><b/></catalogName></catalog>',
        '1:23 Unknown element "b" in "catalogName"',
      ],
      'an unknown attribute': ['<catalog lang="en"/>', '1:1 Unknown attribute "lang" of "catalog"'],
      'an attribute of a text element': [
        '<catalog><catalogName x="1"/></catalog>',
        '1:10 Unknown attribute "x" of "catalogName"',
      ],
      'a missing attribute': [
        '<catalog><units><unit/></units></catalog>',
        '1:17 Element "unit" lacks the attribute "name"',
      ],
      'a repeated attribute': [
        '<catalog><units><unit name="a" name="b"/></units></catalog>',
        'duplicate attribute: name.',
      ],
      'a missing element': ['<catalog></catalog>', '1:1 Element "catalog" lacks the element "effectiveDate"'],
      'a repeated element': [
        '<catalog><units/><units/></catalog>',
        '1:18 Element "units" is repeated in "catalog"',
      ],
      'text in a container': [
        '<catalog><units>none</units></catalog>',
        '1:10 Element "units" must not contain text',
      ],
      'CDATA in a container': [
        '<catalog><units><![CDATA[x]]></units></catalog>',
        '1:10 Element "units" must not contain text',
      ],
      'a default namespace': [
        '<catalog xmlns="urn:x"/>',
        '1:1 A default namespace is not accepted; elements must not be in a namespace',
      ],
      'a prefixed element': [
        '<catalog xmlns:c="urn:x"><c:units/></catalog>',
        '1:26 Element "c:units" is in a namespace; remove its prefix',
      ],
      'a prefixed root': [
        '<c:catalog xmlns:c="urn:x"/>',
        '1:1 Element "c:catalog" is in a namespace; remove its prefix',
      ],
      'a foreign attribute': [
        '<catalog xmlns:c="urn:x" c:a="1"/>',
        '1:1 Foreign attribute "c:a" of "catalog"',
      ],
      'an xml:lang attribute': ['<catalog xml:lang="en"/>', '1:1 Foreign attribute "xml:lang" of "catalog"'],
      'a declaration below the root': [
        '<catalog><units xmlns:c="urn:x"/></catalog>',
        '1:10 Foreign attribute "xmlns:c" of "units"',
      ],
      'a schema hint below the root': [
        `<catalog ${XSI}><units xsi:schemaLocation="a b"/></catalog>`,
        'Foreign attribute "xsi:schemaLocation" of "units"',
      ],
      'overlapping tags': [
        '<catalog><units></catalog></units>',
        '1:17 The end tag "catalog" does not close "units"',
      ],
      'an unclosed tag': ['<catalog><units>', 'unclosed tag: units'],
      'an unclosed attribute': ['<catalog a="', 'unexpected end.'],
      'an unquoted attribute': ['<catalog a=1/>', 'unquoted attribute value.'],
      'a bare ampersand': [
        '<catalog><catalogName>A & B</catalogName></catalog>',
        '1:25 This "&" does not begin a reference; write &amp;',
      ],
      'a control character': [
        '<catalog><catalogName>\u0001</catalogName></catalog>',
        'disallowed character.',
      ],
      'a control character of XML 1.1': [
        '<?xml version="1.1"?><catalog><catalogName>&#1;</catalogName></catalog>',
        'malformed character entity.',
      ],
      'half a surrogate pair': [
        '<catalog><catalogName>\uD800</catalogName></catalog>',
        '1:23 Half a surrogate pair is not a character',
      ],
      'a tiered block of another type': [
        '<catalog><plans><plan name="a"><finalPhase type="TRIAL"><usages><usage name="u" billingMode="IN_ARREAR" usageType="CAPACITY"><tiers><tier><blocks><tieredBlock type="TOP_UP"/>',
        'is not the type of a tiered block (TIERED, VANILLA)',
      ],
      'both names of a condition': [
        '<catalog><rules><priceList><priceListCase><product>a</product><fromProduct>a</fromProduct><toPriceList>b</toPriceList></priceListCase></priceList></rules></catalog>',
        '1:28 Elements "fromProduct" and "product" of "priceListCase" have the same meaning; keep one',
      ],
    };
    for (const [title, [document, expected]] of Object.entries(rows))
      it(`rejects ${title} at its position`, () => expect(fault(document)).to.include(expected));

    it('reports only the first of several errors', () =>
      expect(fault(`<catalog>${versionXml()}<shop/><shop/></catalog>`)).to.include('Unknown element "shop"'));
  });
});
