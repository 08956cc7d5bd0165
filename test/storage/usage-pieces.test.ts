import type { UsageDaysRequest, UsageSplitRequest } from '../../lib/ports/storage/index.ts';
import type { StoredUsageInterval, UsagePiece, UsageSubmission } from '../../lib/records/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import { decimal, formatDecimal } from '../../lib/values/money/index.ts';
import { formatLocalDate } from '../../lib/values/time/index.ts';
import { eachDatabaseAndOneByOne, expect } from '../support/index.ts';
import { freshStorage } from '../support/storage/opened-storage.ts';
import { oddText } from '../support/storage/stored-records.ts';
import { dayAt, instantAt, point, submission, usageInterval } from '../support/storage/stored-usage.ts';

function told({ unit, part, after, upTo, sum, max }: UsagePiece): string {
  const which = typeof part === 'string' ? part : `${hourOf(part.from)}-${hourOf(part.to)}`;
  return `${unit} ${which} (${after}, ${upTo}] ${formatDecimal(sum)} max ${formatDecimal(max)}`;
}

function hourOf(at: number): number {
  return (at - instantAt(0)) / 3_600_000;
}

eachDatabaseAndOneByOne.describe('usage rows read by billing', (open, kind) => {
  const opened = freshStorage(kind, open);

  const record = (...submissions: readonly UsageSubmission[]) =>
    opened.storage.recordUsage(opened.tenant, submissions);
  const daysOf = async (...requests: readonly UsageDaysRequest[]) => {
    const days = await opened.reading.usage.days(requests);
    return days.map((each) =>
      each.map(
        ({ unit, localDate, count, sum, max }) =>
          `${formatLocalDate(localDate)} ${unit} ${count} ${formatDecimal(sum)} max ${max && formatDecimal(max)}`,
      ),
    );
  };
  const piecesOf = async (...requests: readonly UsageSplitRequest[]) => {
    return (await opened.reading.usage.pieces(requests)).map((each) => each.map(told));
  };

  it('include day sums since a date and for given earlier days, without voided points (usage §11.3)', async () => {
    await record(
      submission('k1', [point('sms', '5'), point('sms', '2', 1), point(oddText, '1', 1)]),
      submission('k2', [point('sms', '7', 1), point('sms', '4', 3)]),
      submission('k3', [point('sms', '9', 3)], { subscriptionRecordId: 2 }),
    );
    await opened.writing.usage.voidSubmission(1, 'k2');
    const own = { subscriptionRecordId: 1 };
    expect(
      await daysOf(
        { ...own, from: null, dates: [dayAt(3)] },
        { ...own, from: dayAt(3), dates: [dayAt(0), dayAt(0), dayAt(3), dayAt(2)] },
        { subscriptionRecordId: 2, from: dayAt(0), dates: [] },
        { subscriptionRecordId: 9, from: null, dates: [] },
      ),
    ).to.eql([
      [
        '2026-04-01 sms 1 5 max 5',
        ...['sms', oddText]
          .sort()
          .map((unit) => `2026-04-02 ${unit} ${unit === 'sms' ? '2 2 max 2' : '1 1 max 1'}`),
        '2026-04-04 sms 1 0 max null',
      ],
      ['2026-04-01 sms 1 5 max 5', '2026-04-04 sms 1 0 max null'],
      ['2026-04-04 sms 1 9 max 9'],
      [],
    ]);
    expect(await daysOf()).to.eql([]);
  });

  it('include the parts of a day that billing divides, ordered by instant and recording (usage §11.3)', async () => {
    await record(
      submission('k1', [point('sms', '1'), point('sms', '2', 0, 5), point('sms', '4', 0, 6)]),
      submission('k2', [point('sms', '8', 0, 5)]),
    );
    await record(submission('k3', [point('sms', '16'), point('sms', '32', 0, 23)]));
    await opened.writing.usage.voidSubmission(1, 'k2');
    const own = { subscriptionRecordId: 1, unit: 'sms', localDate: dayAt(0) };
    expect(
      await piecesOf(
        { ...own, bounds: [instantAt(0), instantAt(0, 6), instantAt(1)], ordinals: [4] },
        { ...own, bounds: [], ordinals: [1, 4] },
        { ...own, bounds: [], ordinals: [], unit: 'mms' },
      ),
    ).to.eql([
      [
        'sms DAY_POINTS (0, 4] 1 max 1',
        'sms DAY_POINTS (4, 6] 16 max 16',
        'sms 0-6 (0, 4] 2 max 2',
        'sms 6-24 (0, 4] 4 max 4',
        'sms 6-24 (4, 6] 32 max 32',
      ],
      ['sms ALL (0, 1] 1 max 1', 'sms ALL (1, 4] 6 max 4', 'sms ALL (4, 6] 48 max 32'],
      [],
    ]);
    expect(await piecesOf()).to.eql([]);
  });

  it('include intervals that end on or after a given date, with every field preserved (usage §1.2)', async () => {
    const subscriptionId = '00000000-0000-7000-8000-000000000001' as Uuid;
    const intervalOf = (from: number, to: number): StoredUsageInterval => ({
      ...usageInterval({
        subscriptionId,
        usageName: oddText,
        start: { at: instantAt(from), date: dayAt(from) },
        end: { at: instantAt(to, 5), date: dayAt(to) },
        itemIds: [subscriptionId],
        consumed: [{ unit: oddText, localDate: dayAt(from), part: 'ALL', after: 0, upTo: 3 }],
      }),
    });
    const amount = {
      unit: oddText,
      start: instantAt(30),
      end: instantAt(61),
      quantity: decimal('1.000000001'),
    };
    const supplied = { amounts: [amount], trackingIds: [oddText] };
    const [first, second] = [intervalOf(0, 30), { ...intervalOf(30, 61), consumed: [], supplied }];
    await opened.writing.usage.insertIntervals([first, second]);
    const read = async (from: number | null) => {
      const found = await opened.reading.usage.intervals([
        { subscriptionId, from: from === null ? null : dayAt(from) },
      ]);
      return found.map(({ start, ...own }) => ({ start, ...own }));
    };
    const facts = (list: readonly StoredUsageInterval[]) =>
      list.map(
        ({
          usageName,
          start,
          end,
          itemIds,
          consumed,
          supplied: told,
          invoiceId,
          priceIdentity,
          createdDate,
        }) => {
          return { usageName, start, end, itemIds, consumed, told, invoiceId, priceIdentity, createdDate };
        },
      );
    expect(facts(await read(null))).to.eql(facts([first, second]));
    expect(facts(await read(30))).to.eql(facts([first, second]));
    expect(facts(await read(31))).to.eql(facts([second]));
  });
});
