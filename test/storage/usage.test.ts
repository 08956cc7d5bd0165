import type { UsageStretch } from '../../lib/ports/storage/index.ts';
import type { UsageSubmission } from '../../lib/records/index.ts';
import { formatDecimal } from '../../lib/values/money/index.ts';
import { formatLocalDate } from '../../lib/values/time/index.ts';
import { eachDatabaseAndOneByOne, expect } from '../support/index.ts';
import { freshStorage } from '../support/storage/opened-storage.ts';
import { author, oddText } from '../support/storage/stored-records.ts';
import {
  areNumberedWithoutGaps,
  dayAt,
  daysOfPoints,
  instantAt,
  point,
  recordSubmissions,
  storedDays,
  storedPoints,
  submission,
} from '../support/storage/stored-usage.ts';

eachDatabaseAndOneByOne.describe('usage storage', (open, kind) => {
  const opened = freshStorage(kind, open);

  const record = (...submissions: readonly UsageSubmission[]) => recordSubmissions(opened, submissions);
  const voidOf = (trackingId: string, subscriptionRecordId = 1) =>
    opened.writing.usage.voidSubmission(subscriptionRecordId, trackingId);
  const sumsOf = async (
    stretches: readonly UsageStretch[],
    unit: string | null = null,
    subscriptionRecordId = 1,
  ): Promise<readonly unknown[]> => {
    const sums = await opened.reading.usage.sums({ subscriptionRecordId, stretches, unit });
    return sums.map((each) => each.map((sum) => `${sum.unit} ${formatDecimal(sum.amount)}`));
  };
  const wholeDays = (first: number, last: number): UsageStretch => ({
    start: instantAt(first),
    end: instantAt(last + 1),
    wholeDays: { first: dayAt(first), last: dayAt(last) },
    cutDays: [],
  });
  const partOf = (day: number, fromHour: number, toHour: number): UsageStretch => ({
    start: instantAt(day, fromHour),
    end: instantAt(day, toHour),
    wholeDays: null,
    cutDays: [dayAt(day)],
  });
  const expectDaysOfPoints = async () => {
    const points = await storedPoints(opened.database);
    expect(areNumberedWithoutGaps(points)).to.equal(true);
    expect(await storedDays(opened.database)).to.eql(daysOfPoints(points));
    return points;
  };

  it('stores the first submission with a tracking id, then reports a duplicate or a conflict (usage §2.5)', async () => {
    const five = submission('k1', [point('sms', '5')]);
    const six = submission('k1', [point('sms', '6')]);
    expect(await record(five, five, six)).to.eql(['ACCEPTED', 'DUPLICATE', 'CONFLICT']);
    expect(await record(five, six, submission('k2', [point('sms', '1')]))).to.eql([
      'DUPLICATE',
      'CONFLICT',
      'ACCEPTED',
    ]);
    expect(await record(submission('k1', [point('sms', '8')], { subscriptionRecordId: 2 }))).to.eql([
      'ACCEPTED',
    ]);
    expect(await record()).to.eql([]);
    const points = await expectDaysOfPoints();
    expect(points.map(({ bucket, amount }) => `${bucket} ${amount}`.replace(/^\d+: /, ''))).to.eql([
      '1 2026-04-01 sms 5',
      '1 2026-04-01 sms 1',
      '2 2026-04-01 sms 8',
    ]);
  });

  it('keeps amounts and sums exact to 20 integer and 9 decimal digits, including negative amounts (usage §2.4)', async () => {
    const amounts = [
      '99999999999999999999.999999999',
      '0.000000001',
      '-3.5',
      '0',
      '11111111111.111111111',
      '-40',
    ];
    await record(...amounts.map((amount, index) => submission(`k${index}`, [point('u', amount, 0, index)])));
    expect(await sumsOf([wholeDays(0, 0), partOf(0, 0, 2), partOf(0, 1, 3), partOf(0, 5, 6)])).to.eql([
      ['u 100000000011111111067.611111111'],
      ['u 100000000000000000000'],
      ['u -3.499999999'],
      ['u -40'],
    ]);
    await expectDaysOfPoints();
    await voidOf('k0');
    await expectDaysOfPoints();
    for (const key of ['k4', 'k1', 'k3']) await voidOf(key);
    await expectDaysOfPoints();
    expect(await sumsOf([wholeDays(0, 0), partOf(0, 0, 24)])).to.eql([['u -43.5'], ['u -43.5']]);
  });

  it('returns sums of days and parts of days by unit, without empty sums (usage §3.1)', async () => {
    await record(
      submission('k1', [
        point('b', '1', 0, 3),
        point('a', '2', 0, 5),
        point('b', '10', 1),
        point(oddText, '4', 2, 9),
      ]),
      submission('k2', [point('b', '100', 2, 4), point('b', '1000', 3)]),
      submission('k1', [point('b', '7777', 1)], { subscriptionRecordId: 2 }),
    );
    const stretch: UsageStretch = {
      start: instantAt(0, 4),
      end: instantAt(2, 9),
      wholeDays: { first: dayAt(1), last: dayAt(1) },
      cutDays: [dayAt(0), dayAt(2)],
    };
    const all = [wholeDays(0, 3), stretch, partOf(0, 0, 3), wholeDays(7, 9)];
    expect(await sumsOf(all)).to.eql([[`${oddText} 4`, 'a 2', 'b 1111'], ['a 2', 'b 110'], [], []]);
    expect(await sumsOf(all, 'b')).to.eql([['b 1111'], ['b 110'], [], []]);
    for (const unit of ['unknown', '\0']) expect(await sumsOf(all, unit)).to.eql([[], [], [], []]);
    expect(await sumsOf([])).to.eql([]);
    expect(await sumsOf([wholeDays(0, 3)], null, 3)).to.eql([[]]);
  });

  it('excludes points only once if they are voided repeatedly, and keeps their tracking id reserved (usage §2.2)', async () => {
    const first = submission('k1', [point('sms', '5', 0, 9), point('sms', '50', 1), point('mms', '2', 0)]);
    await record(first, submission('k2', [point('sms', '3', 0, 2)]));
    expect(await voidOf('k1')).to.equal('VOID');
    expect(await voidOf('k1')).to.equal('VOID');
    expect(await voidOf('k3')).to.equal('UNKNOWN');
    expect(await voidOf('\0')).to.equal('UNKNOWN');
    expect(await voidOf('k1', 2)).to.equal('UNKNOWN');
    expect(await sumsOf([wholeDays(0, 1), partOf(0, 0, 24)])).to.eql([['sms 3'], ['sms 3']]);
    expect(await record(first)).to.eql(['DUPLICATE']);
    await record(submission('k4', [point('sms', '1', 0, 5)]));
    const points = await expectDaysOfPoints();
    expect(
      points.filter(({ bucket }) => bucket.endsWith(': 1 2026-04-01 sms')).map(({ ordinal }) => ordinal),
    ).to.eql([1, 2, 3]);
  });

  it('keeps tenants separate, including their tracking ids and units', async () => {
    const other = await opened.newTenant();
    expect(await record(submission('k1', [point('sms', '5')]))).to.eql(['ACCEPTED']);
    expect(
      await recordSubmissions({ storage: opened.storage, tenant: other }, [
        submission('k1', [point('sms', '6')]),
      ]),
    ).to.eql(['ACCEPTED']);
    expect(await sumsOf([wholeDays(0, 0), partOf(0, 0, 1)])).to.eql([['sms 5'], ['sms 5']]);
    await opened.storage.write(other, author(), (session) => session.usage.voidSubmission(1, 'k1'));
    expect(await sumsOf([wholeDays(0, 0), partOf(0, 0, 1)])).to.eql([['sms 5'], ['sms 5']]);
  });

  it('exports all days of an account in order, and no days of other accounts (accounts §16)', async () => {
    const days = (subscriptionRecordId: number, accountRecordId: number) =>
      Array.from({ length: 700 }, (_, day) =>
        submission(`k${day}`, [point('a', '1', day), point('b', `${day}`, day)], {
          subscriptionRecordId,
          accountRecordId,
        }),
      );
    await record(...days(1, 7), ...days(2, 7), ...days(3, 8));
    const rows = await opened.read(async (session) => {
      const table = session.exports.tablesOfAccount(7).find(({ name }) => name === 'usage_days');
      const places = ['local_date', 'subscription_record_id', 'unit_record_id'].map((column) =>
        table?.columns.findIndex(({ name }) => name === column),
      );
      const found: string[] = [];
      for await (const batch of table?.rows() ?? []) {
        for (const row of batch) found.push(places.map((place) => row[place ?? -1]).join(' '));
      }
      return found;
    });
    const expected = Array.from({ length: 2_800 }, (_, index) =>
      [formatLocalDate(dayAt(Math.floor(index / 4))), 1 + (Math.floor(index / 2) % 2), 1 + (index % 2)].join(
        ' ',
      ),
    );
    expect(rows).to.eql(expected);
  });

  it('stores many lines with repeated tracking ids and points of many days together', async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => {
      const points = [0, 1].map((more) =>
        point(`u${index % 7}`, `${index}.25`, (index + more) % 5, index % 24),
      );
      return submission(`k${index % 2_900}`, points, { subscriptionRecordId: 1 + (index % 10) });
    });
    const outcomes = await record(...lines);
    expect(outcomes.filter((outcome) => outcome === 'ACCEPTED')).to.have.length(2_900);
    expect(new Set(outcomes.slice(2_900))).to.eql(new Set(['CONFLICT']));
    expect(await expectDaysOfPoints()).to.have.length(5_800);
    expect(new Set(await record(...lines.slice(0, 2_900)))).to.eql(new Set(['DUPLICATE']));
  });
});
