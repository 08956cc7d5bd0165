import { validateVersion } from '../../../lib/catalog/index.ts';
import {
  catalogXml,
  DEFAULT_RULES,
  type DocumentParts,
  lists,
  parse,
  phase,
  plan,
  price,
  product,
  TRIAL,
} from '../../support/catalogs/catalog-document.ts';
import { rowsOf } from '../../support/rows.ts';
import { expect, type Problem } from '../../support/unit.ts';

function validate(parts: DocumentParts): ReturnType<typeof validateVersion> {
  return validateVersion(parse(catalogXml(parts)));
}

function messages(problems: readonly Problem[]): string[] {
  return problems.map((problem) => problem.message);
}

/** The document and all of its errors, in order. */
type Row = readonly [parts: DocumentParts, ...errors: (string | RegExp)[]];
type Rows = Readonly<Record<string, Row>>;

/** The message of each error, and the element whose line and column it reports. */
const PLACES: readonly (readonly [message: RegExp, element: RegExp])[] = [
  [/^Rule .*, (\w+): .* does not exist/, /^(from|to)?(Product|PriceList)$/i],
  [/^Rule priceList, case 1: price list/, /^toPriceList$/],
  [
    /the name is not an XML NCName|the name is already used by/,
    /^(unit|product|plan|usage|defaultPriceList|childPriceList)$/,
  ],
  [/: product ".*" (does not exist|is a )/, /^(product|addonProduct)$/],
  [/: plan ".*" (does not exist|is a )|lists plan ".*" twice/, /^plan$/],
  [/: unit ".*" (does not exist|is a )|has unit ".*" twice/, /^unit$/],
  [/lists itself|is not an ADD_ON|is both included and available/, /^addonProduct$/],
  [/only a BASE product can have/, /^(included|available)$/],
  [/has no recurringBillingMode|is not in any price list/, /^plan$/],
  [/effectiveDateForExistingSubscriptions .* is before/, /^effectiveDateForExistingSubscriptions$/],
  [/initial phase cannot be|needs a fixed price/, /^phase$/],
  [/more than one phase/, /^(phase|finalPhase)$/],
  [/the final phase cannot be/, /^finalPhase$/],
  [/an EVERGREEN phase must be UNLIMITED|cannot be UNLIMITED/, /^unit$/],
  [/an UNLIMITED duration cannot|number of a duration must be|is longer than/, /^number$/],
  [/a duration in \w+ needs a number/, /^duration$/],
  [/but NO_BILLING_PERIOD|but no recurring price/, /^recurring$/],
  [/not among the currencies|more than one amount/, /^currency$/],
  [/ is negative: /, /^value$/],
  [/^Usage "\w+" is .* needs tiers/, /^usage$/],
  [/^Usage "\w+" is IN_ADVANCE/, /^usage$/],
  [/needs a billing period/, /^billingPeriod$/],
  [/, tier \d+ (of a|is missing)/, /^tier$/],
  [/the size of a block/, /^size$/],
  [/max of unit|has no limit here, but/, /^max$/],
  [/needs a minTopUpCredit/, /^block$/],
  [/only a TOP_UP block/, /^minTopUpCredit$/],
  [/has max .* below min/, /^limit$/],
  [/The default price list must be named/, /^defaultPriceList$/],
  [/A child price list cannot/, /^childPriceList$/],
  [/has no default/, /^(rules|changePolicy|cancelPolicy)$/],
  [/ repeats case /, /Case$/],
  [/is not a policy of this rule/, /^policy$/],
];

function elementAt(xml: string, { line, column }: Problem): string | undefined {
  const rest = xml.split('\n')[(line ?? 0) - 1]?.slice((column ?? 0) - 1);
  return rest && /^<(\w+)/.exec(rest)?.[1];
}

function testRows(rules: Readonly<Record<string, Rows>>): void {
  for (const [rule, rows] of Object.entries(rules))
    for (const [title, [parts, ...expected]] of Object.entries(rows))
      it(`${expected.length === 0 ? 'accept' : 'reject'} ${title} (catalog ${rule})`, () => {
        const { errors } = validate(parts);
        expect(messages(errors), 'errors').to.have.length(expected.length);
        errors.forEach((problem, index) => {
          const wanted = expected[index];
          if (wanted instanceof RegExp) expect(problem.message).to.match(wanted);
          else expect(problem.message).to.equal(wanted);
          const place = PLACES.find(([message]) => message.test(problem.message));
          expect(elementAt(catalogXml(parts), problem), problem.message).to.match(place?.[1] ?? /no place/);
        });
      });
}

const ADD_ON = { category: 'ADD_ON' };
const NAME_FAULT = /the name is not an XML NCName/;
const inAdvance =
  'Usage "usg" is IN_ADVANCE, which is never billed. Use IN_ARREAR with tiers, or the recurring price of the phase';

function onePlan(parts: Parameters<typeof plan>[2]): DocumentParts {
  return { plans: plan('p-m', 'P', parts) };
}

function changePolicy(...cases: readonly string[]): DocumentParts {
  const all = cases.map((body) => `<changePolicyCase>${body}</changePolicyCase>`).join('');
  const cancel =
    '<cancelPolicy><cancelPolicyCase><policy>IMMEDIATE</policy></cancelPolicyCase></cancelPolicy>';
  return { rules: `<changePolicy>${all}</changePolicy>${cancel}` };
}

const DEFAULT_CHANGE =
  '<changePolicy><changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase></changePolicy>';

describe('catalog version validation', () => {
  it('accepts the smallest valid document', () => expect(validate({})).to.eql({ errors: [], warnings: [] }));

  it('reports the five errors of an invalid version in order (catalog W14 "Validation")', () => {
    const { errors } = validate({
      products: product('P', { available: ['P'] }),
      plans: plan('p-m', 'Q', { finalPhase: phase('EVERGREEN', { price: '1', number: 3 }) }),
      rules: `<changePolicy>
        <changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase>
        <changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase>
      </changePolicy>`,
    });
    expect(messages(errors)).to.eql([
      'Product "P" lists itself in its available products',
      'Plan "p-m": product "Q" does not exist in this version',
      'Plan "p-m", phase p-m-evergreen: an UNLIMITED duration cannot have a number, but has 3',
      'Rule changePolicy, case 2 repeats case 1',
      'Rule cancelPolicy has no default: add a last case without conditions',
    ]);
  });

  it('collects every error in section order, with phase terms last', () => {
    const twice = (rule: string, body: string): string =>
      `<${rule}>${`<${rule}Case>${body}</${rule}Case>`.repeat(2)}</${rule}>`;
    const { errors } = validate({
      products: product('P', { included: ['P'], available: ['P'] }),
      rules: [
        twice('changePolicy', '<fromProduct>P</fromProduct><policy>IMMEDIATE</policy>'),
        twice('changeAlignment', '<alignment>START_OF_BUNDLE</alignment>'),
        twice('cancelPolicy', '<product>P</product><policy>IMMEDIATE</policy>'),
        twice('createAlignment', '<alignment>START_OF_BUNDLE</alignment>'),
        twice('billingAlignment', '<alignment>ACCOUNT</alignment>'),
        twice('priceList', '<toPriceList>DEFAULT</toPriceList>'),
      ].join(''),
      plans:
        plan('a', 'a', { finalPhase: phase('EVERGREEN', { number: 1, period: 'NO_BILLING_PERIOD' }) }) +
        plan('b', 'P', {
          initialPhases: phase('EVERGREEN', { unit: 'DAYS', number: null, fixed: '' }),
          finalPhase: phase('TRIAL', { unit: 'UNLIMITED', number: null, period: 'NO_BILLING_PERIOD' }),
        }),
      priceLists: lists({ DEFAULT: ['a', 'b'] }),
    });
    expect(messages(errors)).to.eql([
      'Product "P" lists itself in its included products',
      'Product "P" lists itself in its available products',
      'Plan "a": product "a" is a plan, not a product',
      'Plan "a", phase a-evergreen: an UNLIMITED duration cannot have a number, but has 1',
      'Plan "b": an initial phase cannot be of type EVERGREEN',
      'Plan "b", phase b-evergreen: a duration in DAYS needs a number',
      'Plan "b": the final phase cannot be of type TRIAL',
      'Rule changePolicy, case 2 repeats case 1',
      'Rule changePolicy has no default: add a last case without conditions',
      'Rule changeAlignment, case 2 repeats case 1',
      'Rule cancelPolicy, case 2 repeats case 1',
      'Rule cancelPolicy has no default: add a last case without conditions',
      'Rule createAlignment, case 2 repeats case 1',
      'Rule billingAlignment, case 2 repeats case 1',
      'Rule priceList, case 2 repeats case 1',
      'Plan "b", phase b-evergreen: an EVERGREEN phase must be UNLIMITED, not in DAYS',
      'Plan "b", phase b-trial: a TRIAL phase cannot be UNLIMITED',
    ]);
  });

  it('locates each error at the affected element', () => {
    const xml = [
      '<catalog>',
      '<effectiveDate>2024-01-01</effectiveDate><catalogName>T</catalogName>',
      '<currencies/><products>',
      '  <product name="P"><category>BASE</category>',
      '    <available><addonProduct>A</addonProduct><addonProduct>B</addonProduct></available></product>',
      '  <product name="A"><category>ADD_ON</category></product>',
      '</products>',
      `<rules>${DEFAULT_RULES.replaceAll('\n', '')}</rules>`,
      '<plans>\r\n\r<plan name="p"><product>Q</product>',
      '  <finalPhase type="EVERGREEN"><duration><unit>DAYS</unit><number>0</number></duration>',
      '    <fixed><fixedPrice><price><currency>USD</currency><value>-1</value></price></fixedPrice></fixed>',
      '  </finalPhase></plan></plans>',
      '<priceLists><defaultPriceList name="DEFAULT"><plans><plan>p</plan><plan>r</plan></plans></defaultPriceList></priceLists>',
      '</catalog>',
    ].join('\n');
    const places = validateVersion(parse(xml)).errors.map(
      ({ line, column, message }) => `${line}:${column} ${message}`,
    );
    expect(places).to.eql([
      '5:46 Product "P": product "B" does not exist in this version',
      '11:16 Plan "p": product "Q" does not exist in this version',
      '12:59 Plan "p", phase p-evergreen: the number of a duration must be at least 1, not 0',
      '13:31 Plan "p", phase p-evergreen: the fixed price is in USD, which is not among the currencies of the version',
      '13:55 Plan "p", phase p-evergreen: the fixed price is negative: -1 USD',
      '15:67 Price list "DEFAULT": plan "r" does not exist in this version',
      '12:42 Plan "p", phase p-evergreen: an EVERGREEN phase must be UNLIMITED, not in DAYS',
    ]);
  });

  it('checks plain data without positions', () => {
    const { content } = parse(catalogXml({ plans: plan('p-m', 'Q') }));
    expect(validateVersion({ content }).errors).to.eql([
      { message: 'Plan "p-m": product "Q" does not exist in this version' },
    ]);
  });

  it('lists a limited number of errors and counts the rest', () => {
    const names = Array.from({ length: 1_200 }, (_, index) => `${index}p`);
    const { errors } = validate({
      plans: names.map((name) => plan(name, 'P')).join(''),
      priceLists: lists({ DEFAULT: names }),
    });
    expect(errors).to.have.length(1_001);
    expect(errors.at(-1)).to.eql({ message: '200 more errors were found' });
  });

  describe('name and reference checks', () => {
    const badNames = [
      '9lives',
      '.dot',
      '-minus',
      'a b',
      'a:b',
      'a@b',
      'a$b',
      'a%b',
      'a/b',
      'a+b',
      'a,b',
      'a;b',
      'a(b)',
      '',
    ];
    testRows({
      V1: {
        ...rowsOf(badNames, (name) => [`the invalid name "${name}"`, [{ units: [name] }, NAME_FAULT]]),
        'a name with an ampersand': [{ units: ['a&amp;b'] }, NAME_FAULT],
        'letters of any script': [{ units: ['é_1', 'Ж-2', '名.3', '_x'] }],
        'two units with the same name': [
          { units: ['u', 'u'] },
          /^Unit "u": the name is already used by a unit/,
        ],
        'a product and a plan with the same name': [
          { plans: plan('P', 'P'), priceLists: lists({ DEFAULT: ['P'] }) },
          /^Plan "P": the name is already used by a product/,
        ],
        'a duplicate plan': [
          { plans: plan('p-m', 'P') + plan('p-m', 'P') },
          /^Plan "p-m": the name is already used by a plan/,
        ],
        'a child list with the name of a unit': [
          { units: ['u'], priceLists: lists({ DEFAULT: ['p-m'], u: [] }) },
          /^Price list "u": the name is already used by a unit/,
        ],
        'a unit with the name of the default list': [
          { units: ['DEFAULT'] },
          /^Price list "DEFAULT": the name is already used by a unit/,
        ],
        'invalid names of each kind, with one error each': [
          {
            products: product('P') + product('a b'),
            plans:
              plan('p-m', 'P') +
              plan('1p', 'P', { finalPhase: phase('EVERGREEN', { usages: usage({ name: '-u' }) }) }),
            units: ['u'],
            priceLists: lists({ DEFAULT: ['p-m', '1p'], '.l': [] }),
          },
          /^Product "a b": the name is not/,
          /^Plan "1p": the name is not/,
          /^Usage "-u": the name is not/,
          /^Price list ".l": the name is not/,
        ],
        'a usage with the name of a plan': [
          {
            units: ['u'],
            ...onePlan({ finalPhase: phase('EVERGREEN', { usages: usage({ name: 'p-m' }) }) }),
          },
          /^Usage "p-m": the name is already used by a plan/,
        ],
      },
      V2: {
        'an unknown product': [
          { plans: plan('p-m', 'Q') },
          'Plan "p-m": product "Q" does not exist in this version',
        ],
        'a reference to a different kind of object': [
          { units: ['u'], plans: plan('p-m', 'u') },
          'Plan "p-m": product "u" is a unit, not a product',
        ],
        'an unknown unit in a product limit': [
          { products: product('P', { limits: '<limits><limit><unit>x</unit></limit></limits>' }) },
          'Product "P": unit "x" does not exist in this version',
        ],
        'an unknown add-on in either list of a product': [
          { products: product('P', { included: ['A', 'P-m'], available: ['B'] }) },
          'Product "P": product "A" does not exist in this version',
          'Product "P": product "P-m" does not exist in this version',
          'Product "P": product "B" does not exist in this version',
        ],
        ...rowsOf<readonly [string, UsageParts, string], Row>(
          [
            ['limits of a usage', { limits: limit('1').replaceAll('>u<', '>x<') }, 'Usage "usg"'],
            [
              'a block',
              { mode: 'IN_ADVANCE', tiers: '', blocks: plainBlock('').replace('>u<', '>x<') },
              'Usage "usg"',
            ],
            [
              'limits of a tier',
              { type: 'CAPACITY', tiers: `<tier>${limit('1').replace('>u<', '>x<')}</tier>` },
              'Usage "usg", tier 1',
            ],
            ['a tiered block', { tiers: tier([block({ unit: 'x' })]) }, 'Usage "usg", tier 1'],
          ],
          ([where, parts, owner]) => [
            `an unknown unit in ${where}`,
            [
              withUsage(parts),
              `${owner}: unit "x" does not exist in this version`,
              ...('mode' in parts ? [inAdvance] : []),
            ],
          ],
        ),
        'an unknown plan in a price list': [
          { priceLists: lists({ DEFAULT: ['p-m', 'q'] }) },
          'Price list "DEFAULT": plan "q" does not exist in this version',
        ],
        'unknown names in the conditions and result of a rule': [
          {
            rules: `${DEFAULT_RULES}
          <changeAlignment><changeAlignmentCase><toProduct>Q</toProduct><fromPriceList>VIP</fromPriceList>
            <alignment>CHANGE_OF_PLAN</alignment></changeAlignmentCase></changeAlignment>
          <priceList><priceListCase><toPriceList>P</toPriceList></priceListCase></priceList>`,
          },
          'Rule changeAlignment, case 1, fromPriceList: price list "VIP" does not exist in this version',
          'Rule changeAlignment, case 1, toProduct: product "Q" does not exist in this version',
          'Rule priceList, case 1: price list "P" is a product, not a price list',
        ],
        'unknown names in the conditions of every rule': [
          {
            rules: `
            <changePolicy><changePolicyCase><toPriceList>VIP</toPriceList><policy>ILLEGAL</policy></changePolicyCase>
              <changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase></changePolicy>
            <cancelPolicy><cancelPolicyCase><product>Q</product><policy>END_OF_TERM</policy></cancelPolicyCase>
              <cancelPolicyCase><policy>IMMEDIATE</policy></cancelPolicyCase></cancelPolicy>
            <billingAlignment><billingAlignmentCase><priceList>VIP</priceList><alignment>ACCOUNT</alignment></billingAlignmentCase></billingAlignment>
            <priceList><priceListCase><fromProduct>Q</fromProduct><toPriceList>VIP</toPriceList></priceListCase></priceList>`,
          },
          'Rule changePolicy, case 1, toPriceList: price list "VIP" does not exist in this version',
          'Rule cancelPolicy, case 1, product: product "Q" does not exist in this version',
          'Rule billingAlignment, case 1, priceList: price list "VIP" does not exist in this version',
          'Rule priceList, case 1, fromProduct: product "Q" does not exist in this version',
          'Rule priceList, case 1: price list "VIP" does not exist in this version',
        ],
        'a rule that names an object retired in this version': [
          {
            rules: `${DEFAULT_RULES}<createAlignment><createAlignmentCase><product>Oar</product>
            <alignment>START_OF_BUNDLE</alignment></createAlignmentCase></createAlignment>`,
          },
          'Rule createAlignment, case 1, product: product "Oar" does not exist in this version',
        ],
      },
    });
  });

  describe('product checks', () => {
    testRows({
      V3: {
        'a product that lists itself, with one error per list': [
          { products: product('P', { included: ['P', 'P'], available: ['P'] }) },
          'Product "P" lists itself in its included products',
          'Product "P" lists itself in its available products',
        ],
      },
      V4: {
        'add-on lists of a product that is not BASE': [
          {
            products:
              product('P') +
              product('A', ADD_ON) +
              product('B', { ...ADD_ON, included: ['A'], available: ['A'] }),
          },
          'Product "B" is ADD_ON: only a BASE product can have included products',
          'Product "B" is ADD_ON: only a BASE product can have available products',
          'Product "B": add-on "A" is both included and available',
        ],
        'add-on lists of a STANDALONE product': [
          {
            products:
              product('P') + product('A', ADD_ON) + product('S', { category: 'STANDALONE', included: ['A'] }),
          },
          'Product "S" is STANDALONE: only a BASE product can have included products',
        ],
        'add-on lists with invalid references on a product that is not BASE': [
          { products: product('P') + product('B', { ...ADD_ON, available: ['Q', 'p-m'] }) },
          'Product "B" is ADD_ON: only a BASE product can have available products',
          'Product "B": product "Q" does not exist in this version',
          'Product "B": product "p-m" is a plan, not a product',
        ],
        'an available product that is not an ADD_ON': [
          { products: product('P', { available: ['S'] }) + product('S', { category: 'STANDALONE' }) },
          'Product "P": its available product "S" is not an ADD_ON',
        ],
        'the same add-on in both lists': [
          { products: product('P', { included: ['A'], available: ['A'] }) + product('A', ADD_ON) },
          'Product "P": add-on "A" is both included and available',
        ],
      },
    });
  });

  describe('plan checks', () => {
    testRows({
      V5: {
        'a missing billing mode': [
          { recurringBillingMode: '' },
          /^Plan "p-m" recurs \(MONTHLY\) but has no recurringBillingMode/,
        ],
        'a plan with its own billing mode': [
          {
            recurringBillingMode: '',
            ...onePlan({ more: '<recurringBillingMode>IN_ARREAR</recurringBillingMode>' }),
          },
        ],
        'a missing billing mode for a plan that never recurs': [
          { recurringBillingMode: '', ...onePlan({ finalPhase: phase('EVERGREEN', { fixed: '1' }) }) },
        ],
      },
      V6: {
        'a date for existing subscriptions before the version': [
          onePlan({
            more: '<effectiveDateForExistingSubscriptions>2023-12-31</effectiveDateForExistingSubscriptions>',
          }),
          /^Plan "p-m": effectiveDateForExistingSubscriptions 2023-12-31T00:00:00.000Z is before/,
        ],
        'a date for existing subscriptions on the date of the version': [
          onePlan({
            more: '<effectiveDateForExistingSubscriptions>2024-01-01</effectiveDateForExistingSubscriptions>',
          }),
        ],
      },
      V7: {
        'an initial EVERGREEN phase': [
          onePlan({
            initialPhases: phase('EVERGREEN', { price: '1' }),
            finalPhase: phase('FIXEDTERM', { price: '1' }),
          }),
          'Plan "p-m": an initial phase cannot be of type EVERGREEN',
        ],
        ...rowsOf(['TRIAL', 'DISCOUNT'], (type) => [
          `a final phase of type ${type}`,
          [
            onePlan({ finalPhase: phase(type, { price: '1' }) }),
            `Plan "p-m": the final phase cannot be of type ${type}`,
          ],
        ]),
      },
      V8: {
        'two trial phases': [
          onePlan({ initialPhases: TRIAL + TRIAL }),
          'Plan "p-m" has more than one phase of type TRIAL',
        ],
        'an initial and a final phase of the same type': [
          onePlan({
            initialPhases: phase('FIXEDTERM', { price: '1' }),
            finalPhase: phase('FIXEDTERM', { price: '2' }),
          }),
          'Plan "p-m" has more than one phase of type FIXEDTERM',
        ],
      },
      V9: {
        'a phase with only one kind of charge': [
          {
            units: ['u'],
            ...onePlan({
              initialPhases: phase('TRIAL', { fixed: '1' }) + phase('DISCOUNT', { price: '1' }),
              finalPhase: phase('EVERGREEN', { usages: usage({}) }),
            }),
          },
        ],
        'an empty phase': [
          onePlan({ initialPhases: phase('TRIAL') }),
          'Plan "p-m", phase p-m-trial needs a fixed price, a recurring price or usages',
        ],
      },
      V10: {
        'an EVERGREEN phase that ends': [
          onePlan({ finalPhase: phase('EVERGREEN', { unit: 'MONTHS', number: 1, price: '1' }) }),
          'Plan "p-m", phase p-m-evergreen: an EVERGREEN phase must be UNLIMITED, not in MONTHS',
        ],
        'an unlimited initial phase': [
          onePlan({ initialPhases: phase('TRIAL', { unit: 'UNLIMITED', number: null, fixed: '' }) }),
          'Plan "p-m", phase p-m-trial: a TRIAL phase cannot be UNLIMITED',
        ],
        'an unlimited last phase that is not EVERGREEN': [
          onePlan({ finalPhase: phase('FIXEDTERM', { unit: 'UNLIMITED', number: null, price: '1' }) }),
          'Plan "p-m", phase p-m-fixedterm: a FIXEDTERM phase cannot be UNLIMITED',
        ],
      },
      V11: {
        'an UNLIMITED duration with a number': [
          onePlan({ finalPhase: phase('EVERGREEN', { number: 1, price: '1' }) }),
          'Plan "p-m", phase p-m-evergreen: an UNLIMITED duration cannot have a number, but has 1',
        ],
        'an UNLIMITED duration with −1': [
          onePlan({ finalPhase: phase('EVERGREEN', { number: -1, price: '1' }) }),
        ],
        'a finite duration without a number': [
          onePlan({ initialPhases: phase('TRIAL', { number: null, fixed: '' }) }),
          'Plan "p-m", phase p-m-trial: a duration in DAYS needs a number',
        ],
        'a finite duration of 0': [
          onePlan({ initialPhases: phase('TRIAL', { number: 0, fixed: '' }) }),
          'Plan "p-m", phase p-m-trial: the number of a duration must be at least 1, not 0',
        ],
        'a negative duration': [
          onePlan({ initialPhases: phase('TRIAL', { number: -2, fixed: '' }) }),
          'Plan "p-m", phase p-m-trial: the number of a duration must be at least 1, not -2',
        ],
        ...rowsOf(['DAYS', 'WEEKS', 'MONTHS', 'YEARS'], (unit) => [
          `a duration of 1 in ${unit}`,
          [onePlan({ initialPhases: phase('TRIAL', { unit, number: 1, fixed: '' }) })],
        ]),
        'a duration longer than any timeline': [
          onePlan({ initialPhases: phase('TRIAL', { unit: 'YEARS', number: 1_001, fixed: '' }) }),
          'Plan "p-m", phase p-m-trial: a duration of 1001 YEARS is longer than 1000 years',
        ],
      },
      V12: {
        'a price without a billing period': [
          onePlan({ period: 'NO_BILLING_PERIOD' }),
          'Plan "p-m", phase p-m-evergreen has a recurring price but NO_BILLING_PERIOD',
        ],
        'a billing period without a price': [
          onePlan({ finalPhase: phase('EVERGREEN', { period: 'MONTHLY' }) }),
          'Plan "p-m", phase p-m-evergreen has the billing period MONTHLY but no recurring price',
        ],
        'a phase with neither a price nor a billing period': [
          onePlan({ finalPhase: phase('EVERGREEN', { period: 'NO_BILLING_PERIOD' }) }),
        ],
      },
    });
  });

  describe('price checks', () => {
    testRows({
      V13: {
        'a negative recurring price': [
          onePlan({ price: '-0.01' }),
          'Plan "p-m", phase p-m-evergreen: the recurring price is negative: -0.01 USD',
        ],
        'a negative fixed price in an undeclared currency, with two errors': [
          onePlan({ initialPhases: phase('TRIAL', { fixed: price('EUR', '-1') }) }),
          'Plan "p-m", phase p-m-trial: the fixed price is in EUR, which is not among the currencies of the version',
          'Plan "p-m", phase p-m-trial: the fixed price is negative: -1 EUR',
        ],
        'a duplicate currency': [
          onePlan({ price: price('USD', '1') + price('USD', '1') }),
          'Plan "p-m", phase p-m-evergreen: the recurring price has more than one amount in USD',
        ],
        'invalid usage prices': [
          withUsage({
            tiers: tier([block({ prices: price('EUR', '-1') })], { recurringPrice: price('EUR', '1') }),
          }),
          'Usage "usg", tier 1: the price of unit "u" is in EUR, which is not among the currencies of the version',
          'Usage "usg", tier 1: the price of unit "u" is negative: -1 EUR',
          'Usage "usg", tier 1: the recurring price is in EUR, which is not among the currencies of the version',
        ],
        'a duplicate undeclared currency, with two errors': [
          onePlan({ price: price('EUR', '1') + price('EUR', '1') }),
          'Plan "p-m", phase p-m-evergreen: the recurring price is in EUR, which is not among the currencies of the version',
          'Plan "p-m", phase p-m-evergreen: the recurring price has more than one amount in EUR',
        ],
        'negative prices everywhere in a usage': [
          withUsage({
            blocks: plainBlock('').replace('<prices/>', `<prices>${price('USD', '-1')}</prices>`),
            tiers: tier([block()], { fixedPrice: price('USD', '-2'), recurringPrice: price('USD', '-3') }),
            prices: `<fixedPrice>${price('USD', '-4')}</fixedPrice><recurringPrice>${price('USD', '-5')}</recurringPrice>`,
          }),
          'Usage "usg": the price of unit "u" is negative: -1 USD',
          'Usage "usg", tier 1: the fixed price is negative: -2 USD',
          'Usage "usg", tier 1: the recurring price is negative: -3 USD',
          'Usage "usg": the fixed price is negative: -4 USD',
          'Usage "usg": the recurring price is negative: -5 USD',
        ],
        'a price of zero': [onePlan({ price: '-0.00' })],
        'a currency without any price': [{ currencies: ['USD', 'EUR'] }],
      },
    });
  });

  describe('usage checks', () => {
    testRows({
      V21: {
        'IN_ADVANCE CAPACITY usage': [
          withUsage({ mode: 'IN_ADVANCE', type: 'CAPACITY', limits: limit('1'), tiers: '' }),
          inAdvance,
        ],
        'IN_ADVANCE CONSUMABLE usage': [
          withUsage({ mode: 'IN_ADVANCE', tiers: '', blocks: plainBlock('') }),
          inAdvance,
        ],
      },
      V14: {
        'IN_ARREAR usage without tiers': [
          withUsage({ tiers: '' }),
          'Usage "usg" is IN_ARREAR CONSUMABLE and needs tiers',
        ],
        'an IN_ARREAR CAPACITY tier without limits': [
          withUsage({ type: 'CAPACITY' }),
          'Usage "usg", tier 1 of a CAPACITY section needs limits',
        ],
        'an IN_ARREAR CONSUMABLE tier without blocks': [
          withUsage({ tiers: tier([block()]) + tier([]) }),
          'Usage "usg", tier 2 of a CONSUMABLE section needs blocks',
        ],
      },
      V15: {
        'a block size of 0': [
          withUsage({ tiers: tier([block({ size: '0' })]) }),
          'Usage "usg", tier 1: the size of a block of unit "u" must be greater than 0, not 0',
        ],
        'a negative block size outside tiers': [
          withUsage({
            mode: 'IN_ADVANCE',
            tiers: '',
            blocks: plainBlock('').replace('<size>1<', '<size>-1<'),
          }),
          'Usage "usg": the size of a block of unit "u" must be greater than 0, not -1',
          inAdvance,
        ],
        'usage and tier limits with max below min': [
          withUsage({ type: 'CAPACITY', limits: limit('1', '2'), tiers: `<tier>${limit('3', '4')}</tier>` }),
          'Usage "usg": limit of unit "u" has max 1 below min 2',
          'Usage "usg", tier 1: limit of unit "u" has max 3 below min 4',
        ],
        'a limit with max equal to min': [
          { units: ['u'], products: product('P', { limits: limit('2', '2') }) },
        ],
        'a fractional tier maximum': [withUsage({ tiers: tier([block({ max: '0.5' })]) })],
        ...rowsOf(['0', '-2', '-0.5'], (max) => [
          `a tier maximum of ${max}`,
          [
            withUsage({ tiers: tier([block({ max })]) }),
            `Usage "usg", tier 1: max of unit "u" must be greater than 0, or -1 for no limit, not ${max}`,
          ],
        ]),
        'a TOP_UP block without a minimum credit': [
          withUsage({ mode: 'IN_ADVANCE', tiers: '', blocks: plainBlock('type="TOP_UP"') }),
          'Usage "usg": the TOP_UP block of unit "u" needs a minTopUpCredit',
          inAdvance,
        ],
        'a minimum credit in a block other than TOP_UP': [
          withUsage({
            mode: 'IN_ADVANCE',
            tiers: '',
            blocks: plainBlock('', '<minTopUpCredit>5</minTopUpCredit>'),
          }),
          'Usage "usg": only a TOP_UP block can have a minTopUpCredit, not the VANILLA block of unit "u"',
          inAdvance,
        ],
        'a limit with max below min': [
          { units: ['u'], products: product('P', { limits: limit('1', '2') }) },
          'Product "P": limit of unit "u" has max 1 below min 2',
        ],
        'a limit without max': [{ units: ['u'], products: product('P', { limits: limit('-1', '2') }) }],
      },
      V20: {
        'IN_ARREAR usage without a billing period': [
          withUsage({ period: 'NO_BILLING_PERIOD' }),
          'Usage "usg" is IN_ARREAR and needs a billing period',
        ],
        'a unit missing from a tier': [
          withUsage({ tiers: tier([block({ max: '5' }), block({ unit: 'w' })]) + tier([block()]) }),
          'Usage "usg", tier 2 is missing unit "w" of another tier',
        ],
        'a duplicate unit in a tier': [
          withUsage({ tiers: tier([block(), block()]) }),
          'Usage "usg", tier 1 has unit "u" twice',
        ],
        'an unbounded tier before the last one': [
          withUsage({ tiers: tier([block()]) + tier([block()]) }),
          'Usage "usg", tier 1: unit "u" has no limit here, but a later tier has it too',
        ],
        'missing and duplicate units in CAPACITY limits': [
          withUsage({
            type: 'CAPACITY',
            tiers: `<tier>${limit('1').replace('</limits>', '<limit><unit>u</unit><max>2</max></limit></limits>')}</tier>
            <tier>${limit('5')}</tier><tier>${limit('-1').replaceAll('>u<', '>w<')}</tier>`,
          }),
          'Usage "usg", tier 1 has unit "u" twice',
          'Usage "usg", tier 1 is missing unit "w" of another tier',
          'Usage "usg", tier 2 is missing unit "w" of another tier',
          'Usage "usg", tier 3 is missing unit "u" of another tier',
        ],
        'IN_ADVANCE usage, without further tier errors': [
          withUsage({
            mode: 'IN_ADVANCE',
            period: 'NO_BILLING_PERIOD',
            blocks: plainBlock(''),
            tiers: tier([block(), block()]),
          }),
          inAdvance,
        ],
        'an unbounded CAPACITY limit before the last tier': [
          withUsage({ type: 'CAPACITY', tiers: `<tier>${limit('-1')}</tier><tier>${limit('-1')}</tier>` }),
          'Usage "usg", tier 1: unit "u" has no limit here, but a later tier has it too',
        ],
      },
    });
  });

  describe('price list checks', () => {
    testRows({
      V16: {
        'a default list with a different name': [
          {
            priceLists:
              '<defaultPriceList name="Standard"><plans><plan>p-m</plan></plans></defaultPriceList>',
          },
          'The default price list must be named DEFAULT, not "Standard"',
        ],
        'a child list named DEFAULT': [
          { priceLists: `${lists({ DEFAULT: ['p-m'] })}<childPriceList name="DEFAULT"/>` },
          'A child price list cannot be named DEFAULT',
        ],
        'a plan in no price list': [
          { plans: plan('p-m', 'P') + plan('q-m', 'P') },
          'Plan "q-m" is not in any price list',
        ],
        'a plan in only a child list': [{ priceLists: lists({ DEFAULT: [], VIP: ['p-m'] }) }],
        'a duplicate plan in a price list': [
          { priceLists: lists({ DEFAULT: ['p-m'], VIP: ['p-m', 'p-m'] }) },
          'Price list "VIP" lists plan "p-m" twice',
        ],
      },
    });
  });

  describe('rule checks', () => {
    const product_ = '<fromProduct>P</fromProduct><policy>IMMEDIATE</policy>';
    testRows({
      V17: {
        'rules without a default case': [
          { rules: '' },
          'Rule changePolicy has no default: add a last case without conditions',
          'Rule cancelPolicy has no default: add a last case without conditions',
        ],
        'rules with only conditional cases': [
          changePolicy(product_),
          'Rule changePolicy has no default: add a last case without conditions',
        ],
        'a default case in any position': [changePolicy('<policy>IMMEDIATE</policy>', product_)],
      },
      V18: {
        'equal cases, in any order of their conditions': [
          changePolicy(
            '<phaseType>TRIAL</phaseType><toProduct>P</toProduct><policy>IMMEDIATE</policy>',
            '<policy>IMMEDIATE</policy>',
            '<policy>IMMEDIATE</policy><toProduct>P</toProduct><phaseType>TRIAL</phaseType>',
            '<policy>END_OF_TERM</policy><toProduct>P</toProduct><phaseType>TRIAL</phaseType>',
          ),
          'Rule changePolicy, case 3 repeats case 1',
        ],
        'equal cases in every rule': [
          {
            rules: `${DEFAULT_RULES}
            <changeAlignment>${'<changeAlignmentCase><alignment>START_OF_BUNDLE</alignment></changeAlignmentCase>'.repeat(2)}</changeAlignment>
            <createAlignment>${'<createAlignmentCase><alignment>START_OF_BUNDLE</alignment></createAlignmentCase>'.repeat(2)}</createAlignment>
            <billingAlignment>${'<billingAlignmentCase><alignment>ACCOUNT</alignment></billingAlignmentCase>'.repeat(3)}</billingAlignment>
            <priceList>${'<priceListCase><toPriceList>DEFAULT</toPriceList></priceListCase>'.repeat(2)}</priceList>`,
          },
          'Rule changeAlignment, case 2 repeats case 1',
          'Rule createAlignment, case 2 repeats case 1',
          'Rule billingAlignment, case 2 repeats case 1',
          'Rule billingAlignment, case 3 repeats case 1',
          'Rule priceList, case 2 repeats case 1',
        ],
      },
      V19: {
        'the START_OF_TERM policy for a change': [
          changePolicy('<policy>START_OF_TERM</policy>'),
          'Rule changePolicy, case 1: START_OF_TERM is not a policy of this rule',
        ],
        'the ILLEGAL policy for a change': [changePolicy('<policy>ILLEGAL</policy>')],
        ...rowsOf(['START_OF_TERM', 'ILLEGAL'], (policy) => [
          `the ${policy} policy for a cancellation`,
          [
            {
              rules: `${DEFAULT_CHANGE}<cancelPolicy><cancelPolicyCase><policy>${policy}</policy></cancelPolicyCase></cancelPolicy>`,
            },
            `Rule cancelPolicy, case 1: ${policy} is not a policy of this rule`,
          ],
        ]),
      },
    });
  });

  describe('with warnings', () => {
    it('reports that units beyond the last tier are free', () => {
      const { errors, warnings } = validate(
        withUsage({ tiers: tier([block({ max: '5' }), block({ unit: 'w' })]) }),
      );
      expect(errors).to.eql([]);
      const warning =
        'Plan "p-m", usage "usg": the last tier limits "u"; usage beyond the limit is not charged';
      expect(messages(warnings)).to.eql([warning]);
      const capacity = { type: 'CAPACITY', tiers: `<tier>${limit('5')}</tier><tier>${limit('9')}</tier>` };
      expect(messages(validate(withUsage(capacity)).warnings)).to.eql([warning]);
      const bounded = withUsage({ tiers: tier([block({ max: '5' })]) + tier([block()]) });
      expect(validate(bounded).warnings, 'the last tier alone').to.eql([]);
    });

    it('reports a price that lacks a currency of another price in the section', () => {
      const { errors, warnings } = validate({
        ...withUsage({
          tiers: tier([block({ max: '5', prices: price('USD', '1') + price('EUR', '1') })]) + tier([block()]),
        }),
        currencies: ['USD', 'EUR'],
      });
      expect(errors).to.eql([]);
      const free = withUsage({ tiers: tier([block({ max: '5' })]) + tier([block({ prices: '' })]) });
      expect(validate(free).warnings, 'an empty price is zero in every currency').to.eql([]);
      expect(messages(warnings)).to.eql([
        'Plan "p-m", usage "usg": a price has no amount in EUR, but another of its prices does',
      ]);
    });
  });
});

interface UsageParts {
  readonly name?: string;
  readonly mode?: string;
  readonly type?: string;
  readonly period?: string;
  readonly tiers?: string;
  readonly blocks?: string;
  readonly limits?: string;
  /** Prices of the whole section. */
  readonly prices?: string;
}

function withUsage(parts: UsageParts): DocumentParts {
  return { units: ['u', 'w'], ...onePlan({ finalPhase: phase('EVERGREEN', { usages: usage(parts) }) }) };
}

/** An IN_ARREAR CONSUMABLE section of unit `u` with one unbounded tier. */
function usage(parts: UsageParts): string {
  const { name = 'usg', mode = 'IN_ARREAR', type = 'CONSUMABLE', period = 'MONTHLY', blocks = '' } = parts;
  const { tiers = tier([block()]), limits = '', prices = '' } = parts;
  const attributes = `name="${name}" billingMode="${mode}" usageType="${type}"`;
  return `<usage ${attributes}><billingPeriod>${period}</billingPeriod>${limits}<blocks>${blocks}</blocks><tiers>${tiers}</tiers>${prices}</usage>`;
}

interface TierPrices {
  readonly fixedPrice?: string;
  readonly recurringPrice?: string;
}

function tier(blocks: readonly string[], prices: TierPrices = {}): string {
  const priced = Object.entries(prices).map(([name, each]) => `<${name}>${each}</${name}>`);
  return `<tier><blocks>${blocks.join('')}</blocks>${priced.join('')}</tier>`;
}

function block(parts: { unit?: string; size?: string; prices?: string; max?: string } = {}): string {
  const { unit = 'u', size = '1', prices = price('USD', '1'), max = '-1' } = parts;
  return `<tieredBlock><unit>${unit}</unit><size>${size}</size><prices>${prices}</prices><max>${max}</max></tieredBlock>`;
}

function plainBlock(attributes: string, more = ''): string {
  return `<block ${attributes}><unit>u</unit><size>1</size><prices/>${more}</block>`;
}

function limit(max: string, min = '-1'): string {
  return `<limits><limit><unit>u</unit><max>${max}</max><min>${min}</min></limit></limits>`;
}
