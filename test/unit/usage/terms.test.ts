import type { UsageSection } from '../../../lib/records/index.ts';
import { rateUsage } from '../../../lib/usage/rating/rate-usage.ts';
import type { PeriodShare } from '../../../lib/usage/rating/rated-usage.ts';
import { passedThresholds, readUsageTerms, termsOf } from '../../../lib/usage/rating/usage-terms.ts';
import { errorOf, valueOrError } from '../../support/assertions.ts';
import { day } from '../../support/invoicing/billing-events.ts';
import { asCurrency, BillingError, decimal, ErrorCode, expect, formatDecimal } from '../../support/unit.ts';
import { consumable, duoTopUsage, smsUsage, teamUsage } from '../../support/usage/sections.ts';

const USD = asCurrency('USD');

interface HostInput {
  readonly section: UsageSection;
  readonly used: Readonly<Record<string, string>>;
  readonly terms: object;
}

/** Section, usage and terms; the amount, then the name and amount of each line of the terms. */
type Case = readonly [UsageSection, used: string, terms: object, expected: string];

function rated({ section, used, terms }: HostInput, share: PeriodShare | null = null) {
  const quantities = new Map(Object.entries(used).map(([unit, amount]) => [unit, decimal(amount)]));
  const document = readUsageTerms(JSON.stringify({ [section.name]: terms }));
  const own = termsOf(document, section.name, day('2026-05-01'));
  return rateUsage({ section, quantities, currency: USD, overflow: 'CAP', terms: own, share });
}

/** Two blocks of tier 1 cost 5.90, with tier fees of 1 and 7. */
const smsWithFees = {
  ...smsUsage,
  tiers: smsUsage.tiers.map((tier, index) => ({ ...tier, flatFee: decimal(index === 0 ? '1' : '7') })),
};
const duoTopWithFees = {
  ...duoTopUsage,
  tiers: duoTopUsage.tiers.map((tier, index) => ({ ...tier, flatFee: decimal(index + 1) })),
};

const cases: Readonly<Record<string, Case>> = {
  'deduct a percentage': [smsUsage, 'sms 199', { percentOff: 10 }, '5.31; percent off -0.59'],
  'exclude free units, up to the used quantity': [
    smsUsage,
    'sms 199',
    { freeQuantity: { sms: 100, faxes: 5 } },
    '2.95; free of sms 0',
  ],
  'charge nothing below the free quantity': [
    smsUsage,
    'sms 99.5',
    { freeQuantity: { sms: '100' } },
    '0; free of sms 0',
  ],
  'raise the amount to a minimum': [
    smsUsage,
    'sms 199',
    { minimumAmount: { USD: '20', EUR: '30' } },
    '20; minimum amount 14.1',
  ],
  'apply a minimum without usage': [smsUsage, '', { minimumAmount: { USD: 20 } }, '20; minimum amount 20'],
  'limit the amount to a maximum': [
    smsUsage,
    'sms 5325',
    { maximumAmount: { USD: '50' } },
    '50; maximum amount -9.25',
  ],
  'ignore bounds in another currency': [smsUsage, 'sms 5325', { maximumAmount: { EUR: '50' } }, '59.25'],
  'apply the percentage before the bounds': [
    smsUsage,
    'sms 5325',
    { percentOff: '50', minimumAmount: { USD: '40' }, maximumAmount: { USD: '45' } },
    '40; percent off -29.625; minimum amount 10.375',
  ],
  'charge the fee of each used tier': [
    smsWithFees,
    'sms 1001',
    { tierFlatFee: true },
    '43.45; flat fee 1; flat fee 7',
  ],
  'charge no fee for an unused tier': [smsWithFees, 'sms 0', { tierFlatFee: true }, '0'],
  'charge the fees of the reached tiers with TOP_TIER': [
    duoTopWithFees,
    'FOO 76, BAR 101',
    { tierFlatFee: true },
    '9625; flat fee 2; flat fee 3',
  ],
  'charge no fees unless the terms enable them': [smsWithFees, 'sms 199', {}, '5.9'],
  'reduce and bound the price of a CAPACITY tier': [
    teamUsage,
    'members 10, mbps 101',
    { percentOff: 20, minimumAmount: { USD: '4.5' } },
    '4.5; section price 5; percent off -1; minimum amount 0.5',
  ],
  'subtract free units from a peak': [
    teamUsage,
    'members 10, mbps 101',
    { freeQuantity: { mbps: 1 } },
    '1; section price 1; free of mbps 0',
  ],
};

function faultsOf(text: string): readonly string[] {
  const error = valueOrError(() => readUsageTerms(text));
  if (!(error instanceof BillingError)) return [];
  expect(error.code).to.equal(ErrorCode.INVALID_PARAMETER);
  return error.facts.errors as readonly string[];
}

describe('usage section terms (usage §12)', () => {
  for (const [what, [section, usage, terms, expected]] of Object.entries(cases))
    it(what, () => {
      const used = Object.fromEntries(
        usage
          .split(', ')
          .filter(Boolean)
          .map((each) => each.split(' ')),
      );
      const result = rated({ section, used, terms });
      const agreed = result.lines.flatMap((line) =>
        'blockSize' in line && line.blockSize.isZero() ? [`${line.unit} ${formatDecimal(line.amount)}`] : [],
      );
      expect([formatDecimal(result.amount), ...agreed].join('; ')).to.equal(expected);
    });

  it('apply no minimum to a period within one day', () => {
    const given = { section: smsUsage, used: {}, terms: { minimumAmount: { USD: 20 } } };
    expect(formatDecimal(rated(given, { days: 0, totalDays: 30 }).amount)).to.equal('0');
  });

  it('prorate the minimum of a short period by days, rounded to the minor unit of the currency', () => {
    const given = { section: smsUsage, used: {}, terms: { minimumAmount: { USD: 5 } } };
    const short = rated(given, { days: 11, totalDays: 30 });
    expect(formatDecimal(short.amount)).to.equal('1.83');
    expect(short.minimum).to.eql({ base: decimal(5), days: 11, totalDays: 30 });
    expect(
      formatDecimal(rated({ ...given, used: { sms: '1' } }, { days: 11, totalDays: 30 }).amount),
    ).to.equal('2.95');
  });

  it('use the entry in force when the period begins', () => {
    const terms = readUsageTerms(
      JSON.stringify({
        a: [
          { effectiveDate: '2026-05-01', percentOff: 5 },
          { percentOff: 1 },
          { effectiveDate: '2026-06-01' },
        ],
      }),
    );
    const off = (date: string, name = 'a') => String(termsOf(terms, name, day(date))?.percentOff ?? 'none');
    expect(['2026-04-30', '2026-05-01', '2026-05-31', '2026-06-01'].map((date) => off(date))).to.eql([
      '1',
      '5',
      '5',
      'none',
    ]);
    expect(off('2026-05-01', 'b')).to.equal('none');
  });

  it('are rejected with one list of all errors in a document', () => {
    const document = {
      a: { percentOff: 0, minimumAmount: { USD: '5.001', XXX: 1 }, free: 1 },
      b: [
        { effectiveDate: '2026-02-30', tierFlatFee: 'yes' },
        { effectiveDate: '2026-05-01', freeQuantity: { sms: -1 } },
        { effectiveDate: '2026-05-01', maximumAmount: { USD: 1 }, minimumAmount: { USD: 2 } },
      ],
      c: 'half',
      d: { percentOff: '101', maximumAmount: [] },
    };
    expect(faultsOf(JSON.stringify(document))).to.eql([
      '"a".free is not a known term',
      '"a".percentOff is not above 0 and at most 100',
      '"a".minimumAmount.USD has more decimals than USD',
      '"a".minimumAmount.XXX is not a currency',
      '"b"[0].effectiveDate is not a date (yyyy-MM-dd)',
      '"b"[0].tierFlatFee is neither true nor false',
      '"b"[1].freeQuantity.sms is not a decimal of at least 0',
      '"b"[2].minimumAmount.USD is above the maximum',
      '"b" has two entries with the same effective date',
      '"c" is not an object',
      '"d".percentOff is not above 0 and at most 100',
      '"d".maximumAmount is not an object',
    ]);
    for (const text of ['', '[]', 'null', '{', '"x"'])
      expect(faultsOf(text), text).to.eql(['The document is not a JSON object of usage names']);
    expect(faultsOf('{}')).to.eql([]);
    expect(faultsOf('{"a":{"percentOff":1e400}}')).to.eql(['"a".percentOff is not a decimal of at least 0']);
  });

  it('list thresholds in ascending order, one or more per unit and currency', () => {
    const thresholds = { quantity: { sms: [100, '80.5'], fax: '1' }, amount: { USD: [20, 5] } };
    const terms = termsOf(readUsageTerms(JSON.stringify({ a: { thresholds } })), 'a', day('2026-05-01'));
    expect(
      terms && [...terms.thresholds.quantity].map(([unit, bounds]) => [unit, bounds.map(String)]),
    ).to.eql([
      ['sms', ['80.5', '100']],
      ['fax', ['1']],
    ]);
    expect(terms?.thresholds.amount.get(USD)?.map(String)).to.eql(['5', '20']);
  });

  it('are rejected with one list of all threshold errors', () => {
    const document = {
      a: { thresholds: { quantity: { sms: [1, 0, 'x', '1.0'] }, amount: { XXX: 1, USD: [] }, cost: 1 } },
      b: { thresholds: { quantity: { sms: Array.from({ length: 101 }, (_each, index) => index + 1) } } },
      c: { thresholds: [1] },
    };
    expect(faultsOf(JSON.stringify(document))).to.eql([
      '"a".thresholds.cost is neither quantity nor amount',
      '"a".thresholds.quantity.sms[1] is not above 0',
      '"a".thresholds.quantity.sms[2] is not a decimal of at least 0',
      '"a".thresholds.quantity.sms has a threshold twice',
      '"a".thresholds.amount.XXX is not a currency',
      '"a".thresholds.amount.USD has 0 thresholds; 1 to 100 are allowed',
      '"b".thresholds.quantity.sms has 101 thresholds; 1 to 100 are allowed',
      '"c".thresholds is not an object',
    ]);
  });

  it('count a threshold as passed at its exact bound, by quantity or by cost in the currency', () => {
    const thresholds = { quantity: { sms: [10, 20], fax: 1 }, amount: { USD: ['5.9', 6], EUR: 1 } };
    const terms = termsOf(readUsageTerms(JSON.stringify({ a: { thresholds } })), 'a', day('2026-05-01'));
    const passed = (sms: string, amount: string) =>
      terms === null
        ? []
        : passedThresholds(terms.thresholds, {
            quantities: new Map([['sms', decimal(sms)]]),
            amount: decimal(amount),
            currency: USD,
          }).map(({ measure, measured, bound, reached }) => `${measure} ${measured} ${bound} ${reached}`);
    expect(passed('9.999999999', '5.89')).to.eql([]);
    expect(passed('10', '5.9')).to.eql(['QUANTITY sms 10 10', 'AMOUNT USD 5.9 5.9']);
    expect(passed('20.5', '0')).to.eql(['QUANTITY sms 10 20.5', 'QUANTITY sms 20 20.5']);
  });

  it('do not affect the price if they are absent', () => {
    const section = consumable('plain', [[['sms', '100', '10', '2.95']]]);
    const quantities = new Map([['sms', decimal('199')]]);
    const result = rateUsage({ section, quantities, currency: USD, overflow: 'CAP' });
    expect([result.lines.length, formatDecimal(result.amount)]).to.eql([1, '5.9']);
  });
});

describe('usage terms documents', () => {
  const refusalOf = (text: string) => errorOf(() => readUsageTerms(text));

  it('are not read further after 1,000 errors (usage §12)', () => {
    const error = refusalOf(`{${Array.from({ length: 30_000 }, (_, index) => `"u${index}":1`)}}`);
    expect(error.facts).to.include({ count: 1_000 });
    expect(error.facts.errors).to.have.length(100);
  });

  it('contain at most 1,000 dated entries per usage, and no deep lists (usage §12)', () => {
    const error = refusalOf(`{"sms":[${Array.from({ length: 1_001 }, () => '{}')}]}`);
    expect(error.message).to.contain('"sms" has 1001 entries; at most 1000 are allowed');
    const deep = `{"sms":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(refusalOf(deep).message).to.contain('The document is not a JSON object of usage names');
  });
});
