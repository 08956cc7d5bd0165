import { readSubmission, type SubmittedUsage } from '../../../lib/usage/recording/read-submission.ts';
import { errorOfFault } from '../../../lib/usage/recording/recording-faults.ts';
import { formatInstant, formatLocalDate } from '../../../lib/values/time/index.ts';
import { decimal, expect, formatDecimal, parseExactJson } from '../../support/unit.ts';

const id = '0190163d-8694-739b-aea5-966c26f8ad91';

const record = { recordDate: '2026-04-01', amount: '5' };

function submission(own: SubmittedUsage = {}): SubmittedUsage {
  return {
    subscriptionId: id,
    trackingId: 't1',
    unitUsageRecords: [{ unitType: 'sms', usageRecords: [record] }],
    ...own,
  };
}

function ofRecord(own: object, unitType: unknown = 'sms'): SubmittedUsage {
  return submission({ unitUsageRecords: [{ unitType, usageRecords: [{ ...record, ...own }] }] });
}

interface Rules {
  readonly negativeAmounts?: boolean;
}

function reading(given: SubmittedUsage, { negativeAmounts = false }: Rules = {}) {
  return readSubmission(given, { negativeAmounts });
}

function faultOf(given: SubmittedUsage, rules?: Rules): string {
  const read = reading(given, rules);
  return 'fault' in read ? `${read.fault.code} ${read.fault.facts.field}` : 'none';
}

function firstRecord(given: SubmittedUsage, rules?: Rules) {
  const read = reading(given, rules);
  if ('fault' in read) throw new Error(read.fault.message);
  return read.usage.records[0];
}

describe('usage submission reader', () => {
  it('returns the records of all units in order', () => {
    const read = reading(
      submission({
        subscriptionId: id.toUpperCase(),
        unitUsageRecords: [
          { unitType: 'sms', usageRecords: [record, { recordDate: '2026-04-02', amount: '7' }] },
          { unitType: 'calls', usageRecords: [{ recordDate: '2026-04-03', amount: decimal('1.5') }] },
        ],
      }),
    );
    if ('fault' in read) throw new Error(read.fault.message);
    expect(read.usage.subscriptionId).to.equal(id);
    expect(read.usage.trackingId).to.equal('t1');
    expect(read.usage.records.map(({ unit, amount }) => `${unit} ${amount}`)).to.eql([
      'sms 5',
      'sms 7',
      'calls 1.5',
    ]);
  });

  for (const { given, fault } of [
    { given: null, fault: 'MALFORMED ' },
    { given: [], fault: 'MALFORMED ' },
    { given: 'sms', fault: 'MALFORMED ' },
    { given: submission({ subscriptionId: null }), fault: 'MISSING_FIELD subscriptionId' },
    { given: submission({ subscriptionId: '' }), fault: 'MISSING_FIELD subscriptionId' },
    { given: submission({ subscriptionId: 'x' }), fault: 'MALFORMED subscriptionId' },
    { given: submission({ subscriptionId: 5 }), fault: 'MALFORMED subscriptionId' },
    { given: submission({ unitUsageRecords: null }), fault: 'MISSING_FIELD unitUsageRecords' },
    { given: submission({ unitUsageRecords: [] }), fault: 'MISSING_FIELD unitUsageRecords' },
    { given: submission({ unitUsageRecords: {} }), fault: 'MALFORMED unitUsageRecords' },
    { given: submission({ unitUsageRecords: [null] }), fault: 'MISSING_FIELD unitUsageRecords[0]' },
    { given: submission({ unitUsageRecords: ['sms'] }), fault: 'MALFORMED unitUsageRecords[0]' },
    { given: ofRecord({}, ''), fault: 'MISSING_FIELD unitUsageRecords[0].unitType' },
    { given: ofRecord({}, null), fault: 'MISSING_FIELD unitUsageRecords[0].unitType' },
    { given: ofRecord({}, {}), fault: 'MALFORMED unitUsageRecords[0].unitType' },
    { given: ofRecord({}, 'x'.repeat(256)), fault: 'MALFORMED unitUsageRecords[0].unitType' },
    { given: ofRecord({}, 'a\u0000b'), fault: 'MALFORMED unitUsageRecords[0].unitType' },
    {
      given: submission({ unitUsageRecords: [{ unitType: 'sms' }] }),
      fault: 'MISSING_FIELD unitUsageRecords[0].usageRecords',
    },
    {
      given: submission({ unitUsageRecords: [{ unitType: 'sms', usageRecords: [] }] }),
      fault: 'MISSING_FIELD unitUsageRecords[0].usageRecords',
    },
    {
      given: ofRecord({ recordDate: null }),
      fault: 'MISSING_FIELD unitUsageRecords[0].usageRecords[0].recordDate',
    },
    { given: ofRecord({ amount: null }), fault: 'MISSING_FIELD unitUsageRecords[0].usageRecords[0].amount' },
    { given: submission({ trackingId: 'x'.repeat(129) }), fault: 'MALFORMED trackingId' },
    { given: submission({ trackingId: '\ud800' }), fault: 'MALFORMED trackingId' },
  ] as const)
    it(`rejects ${JSON.stringify(given)?.slice(0, 90)} with ${fault}`, () =>
      expect(faultOf(given as SubmittedUsage)).to.equal(fault));

  it('reports missing fields before invalid values (usage §2.1 checks 2 and 3)', () => {
    const given = submission({
      subscriptionId: 'x',
      unitUsageRecords: [
        { unitType: 'sms', usageRecords: [{ recordDate: 'x', amount: 'x' }] },
        { unitType: 'sms', usageRecords: [{ recordDate: '2026-04-01' }] },
      ],
    });
    expect(faultOf(given)).to.equal('MISSING_FIELD unitUsageRecords[1].usageRecords[0].amount');
  });

  it('accepts strings of the maximum length, and numbers as strings', () => {
    expect(faultOf(ofRecord({}, 'x'.repeat(255)))).to.equal('none');
    expect(faultOf(submission({ trackingId: 'x'.repeat(128) }))).to.equal('none');
    expect(firstRecord(ofRecord({}, decimal(7)))?.unit).to.equal('7');
    expect(faultOf(ofRecord({}, decimal('1e9999')))).to.equal('MALFORMED unitUsageRecords[0].unitType');
  });

  it('lets the engine assign a missing tracking id (usage §1.1)', () => {
    for (const trackingId of [undefined, null, '']) {
      const read = reading(submission({ trackingId }));
      expect('usage' in read && read.usage.trackingId).to.equal(undefined);
    }
  });

  for (const [given, shown] of [
    ['2026-04-01', 'date 2026-04-01'],
    ['2013-9-2', 'date 2013-09-02'],
    ['2024-02-29', 'date 2024-02-29'],
    ['2026-04-01T06:00:00Z', 'at 2026-04-01T06:00:00.000Z'],
    ['2026-04-01T06:00:00', 'at 2026-04-01T06:00:00.000Z'],
    ['2026-04-01T06', 'at 2026-04-01T06:00:00.000Z'],
    ['2026-04-01T00:30:00-04:00', 'at 2026-04-01T04:30:00.000Z'],
    ['2026-04-01T00:30:00 04:00', 'at 2026-03-31T20:30:00.000Z'],
    ['2026-04-01T06:00:00.123999Z', 'at 2026-04-01T06:00:00.123Z'],
    ['9999-12-31', 'date 9999-12-31'],
    [decimal(1_775_000_000_000), 'at 2026-03-31T23:33:20.000Z'],
    [{ at: 1_775_000_000_000 }, 'at 2026-03-31T23:33:20.000Z'],
    [{ date: 20_544 }, 'date 2026-04-01'],
  ] as const)
    it(`reads the record date ${JSON.stringify(given)} as ${shown} (usage §2.3)`, () => {
      const date = firstRecord(ofRecord({ recordDate: given }))?.recordDate;
      if (date === undefined) throw new Error('no record');
      expect('at' in date ? `at ${formatInstant(date.at)}` : `date ${formatLocalDate(date.date)}`).to.equal(
        shown,
      );
    });

  for (const recordDate of [
    'x',
    '2026-02-29',
    '2026-13-01',
    '0000-01-01',
    '10000-01-01',
    '2026-04-01T24:00:00Z',
    '2026-04-01T06:60:00Z',
    '2026-04-01 06:00:00',
    '2026-04-01T06:00:00+99:00',
    true,
    [2026, 4, 1],
    decimal('1.5'),
    decimal('1e30'),
    {},
    { at: 1.5 },
    { date: 'x' },
    { date: 1e15 },
  ])
    it(`rejects the record date ${JSON.stringify(recordDate)} (usage §2.3)`, () =>
      expect(faultOf(ofRecord({ recordDate }))).to.equal(
        'INVALID_DATE unitUsageRecords[0].usageRecords[0].recordDate',
      ));

  for (const [literal, amount] of [
    ['0', '0'],
    ['-0', '0'],
    ['5', '5'],
    ['"5"', '5'],
    ['"5.0"', '5'],
    ['1e3', '1000'],
    ['111111111.111111111', '111111111.111111111'],
    ['99999999999999999999', '99999999999999999999'],
    ['"99999999999999999999.999999999"', '99999999999999999999.999999999'],
    ['0.000000001', '0.000000001'],
    ['1.1000000000000', '1.1'],
    ['"00000000000000000000000001"', '1'],
    ['1e-9', '0.000000001'],
  ] as const)
    it(`reads the amount ${literal} exactly (usage §2.4)`, () => {
      const read = firstRecord(ofRecord({ amount: parseExactJson(literal) }));
      expect(read && formatDecimal(read.amount)).to.equal(amount);
    });

  for (const literal of [
    '100000000000000000000',
    '1e20',
    '1e400',
    '"1e400"',
    '"1e99999"',
    '0.0000000001',
    '1.0000000001',
    '"NaN"',
    '"Infinity"',
    '"x"',
    '"0x10"',
    '"1,5"',
    '" "',
    'true',
    '[]',
    '{}',
    '-1',
    '"-0.000000001"',
  ])
    it(`rejects the amount ${literal} (usage §2.4)`, () =>
      expect(faultOf(ofRecord({ amount: parseExactJson(literal) }))).to.equal(
        'INVALID_AMOUNT unitUsageRecords[0].usageRecords[0].amount',
      ));

  it('rejects amounts that are not finite decimals, such as NaN and JavaScript numbers', () => {
    const nan = decimal(0).div(0);
    for (const amount of [nan, decimal(1).div(0), Number.NaN, 0.1, 5])
      expect(faultOf(ofRecord({ amount }))).to.match(/^INVALID_AMOUNT/);
  });

  it('accepts negative amounts if the tenant allows them (usage §2.4 rule 3)', () => {
    const read = firstRecord(ofRecord({ amount: '-5.5' }), { negativeAmounts: true });
    expect(read && formatDecimal(read.amount)).to.equal('-5.5');
  });

  it('reports the error, its path and the invalid value', () => {
    const read = reading(ofRecord({ amount: '-5' }));
    if ('usage' in read) throw new Error('was read');
    const error = errorOfFault(read.fault);
    expect(error.code).to.equal(60_003);
    expect(error.message).to.equal(
      'SubscriptionUsageRecord unitUsageRecords[0].usageRecords[0].amount is negative; to undo usage, void the ' +
        'submission that recorded it: "-5"',
    );
  });
});

describe('point limit of usage submissions', () => {
  const ofUnits = (points: readonly number[]): SubmittedUsage =>
    submission({
      unitUsageRecords: points.map((count) => ({
        unitType: 'sms',
        usageRecords: Array.from({ length: count }, () => record),
      })),
    });

  it('accepts 10,000 points across all units (usage §2.1 check 3)', () => {
    expect(reading(ofUnits([5_000, 5_000]))).to.have.property('usage');
    const read = reading(ofUnits([5_000, 5_000, 1]));
    expect('fault' in read && read.fault).to.deep.include({
      code: 'MALFORMED',
      message:
        'SubscriptionUsageRecord unitUsageRecords has more than 10000 points; send them under several tracking ids',
    });
  });
});
