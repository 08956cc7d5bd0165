import type { UsageStretch } from '../../lib/ports/storage/index.ts';
import { eachDatabase, expect } from '../support/index.ts';
import { sharedStorage } from '../support/storage/opened-storage.ts';
import { badPlans, plansOf, withPostgresql } from '../support/storage/statement-plans.ts';
import { invoice, newId, ownerOf, subscription } from '../support/storage/stored-records.ts';
import { dayAt, instantAt, point, submission, usageInterval } from '../support/storage/stored-usage.ts';

const SUBSCRIPTIONS = 400;
const DAYS = 60;
const CHUNK = 2_000;

eachDatabase.describe('usage query plans on populated tables', (open, kind) => {
  const opened = sharedStorage(kind, open);
  let made = 0;
  let billed: Awaited<ReturnType<typeof fillBilled>>;
  before(async () => {
    for (let left = 10; left > 0; left -= 1) await record(CHUNK);
    billed = await fillBilled();
    if (opened.database.kind === 'postgresql')
      await withPostgresql(opened.database.url, (client) => client.query('analyze'));
  });

  const record = (count: number) => {
    const lines = Array.from({ length: count }, () => {
      made += 1;
      const at = point(`u${made % 5}`, '1.5', made % DAYS, made % 24);
      return submission(`k${made}`, [at], { subscriptionRecordId: 1 + (made % SUBSCRIPTIONS) });
    });
    return opened.storage.recordUsage(opened.tenant, lines);
  };
  /** Inserts one subscription with usage per account, billed monthly. */
  const fillBilled = async () => {
    const accounts = await opened.newAccounts(SUBSCRIPTIONS);
    const month = (index: number) => ({ at: instantAt(30 * index), date: dayAt(30 * index) });
    const all = accounts.map((each) => {
      const owner = ownerOf(each);
      const own = subscription(owner);
      const invoices = Array.from({ length: 12 }, () => invoice(owner));
      const intervals = invoices.map(({ id: invoiceId }, index) =>
        usageInterval({
          accountRecordId: owner.accountRecordId,
          subscriptionId: own.id,
          start: month(index),
          end: month(index + 1),
          invoiceId,
          consumed: [{ unit: 'u1', localDate: dayAt(index), part: 'ALL', after: 0, upTo: 30 }],
        }),
      );
      return { own, invoices, intervals };
    });
    const subscriptions = all.map(({ own }) => own);
    const intervals = all.flatMap((each) => each.intervals);
    await opened.write(async (session) => {
      await session.subscriptions.insertSubscriptions(subscriptions);
      await session.invoices.insertInvoices(all.flatMap(({ invoices }) => invoices));
      await session.usage.insertIntervals(intervals);
      await session.invoices.saveCursors(
        subscriptions.map(({ id, accountRecordId }) => ({
          accountRecordId,
          subscriptionId: id,
          settledThrough: dayAt(0),
          dirtyFrom: null,
          nextDueDate: null,
          catalogRevision: 1,
          itemsDate: null,
          itemsCount: 0,
          ongoing: null,
          usage: { from: dayAt(10), settings: '2', looked: { through: dayAt(50), mark: 7 } },
        })),
      );
    });
    return { accounts, subscriptions, intervals };
  };
  const walks = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    opened.bound();
    await work();
    const statements = opened.bound();
    expect(statements).not.to.have.length(0);
    // The units table is small, so scanning it is fine.
    const found = await badPlans(opened.database, statements);
    return found.filter((plan) => !/(Seq Scan on bw_usage_units|SCAN bw_usage_units)/.test(plan));
  };

  for (const count of [1, 20, CHUNK])
    it(`use the keys to record points, ${count} at a time`, async () =>
      expect(await walks(() => record(count))).to.eql([]));

  it('find a recorded submission by its tracking id', async () => {
    made = 0;
    expect(await walks(() => record(20))).to.eql([]);
    made = 20_000;
  });

  it('read only the rows of the days in a roll-up, and read points only for cut days (usage §11)', async () => {
    const stretch: UsageStretch = {
      start: instantAt(3, 5),
      end: instantAt(40, 7),
      wholeDays: { first: dayAt(4), last: dayAt(39) },
      cutDays: [dayAt(3), dayAt(40)],
    };
    for (const unit of [null, 'u1']) {
      const sums = () => opened.reading.usage.sums({ subscriptionRecordId: 7, stretches: [stretch], unit });
      expect(await walks(sums)).to.eql([]);
      opened.bound();
      await sums();
      const lines = (await plansOf(opened.database, opened.bound())).flatMap(({ plan }) => plan);
      const reads = {
        sqlite: [
          /bw_usage_days|SEARCH d USING PRIMARY KEY \(tenant_record_id=\? AND subscription_record_id=\? AND local_date>\? AND local_date<\?/,
          /SEARCH p USING PRIMARY KEY \(tenant_record_id=\? AND subscription_record_id=\? AND local_date=\?/,
        ],
        postgresql: [
          /Index Cond: .*subscription_record_id = .*local_date >= /,
          /Index Cond: .*subscription_record_id = .*local_date = /,
        ],
      }[kind];
      for (const read of reads)
        expect(
          lines.filter((line) => read.test(line)),
          lines.join('\n'),
        ).not.to.eql([]);
    }
  });

  it('read only the points of the requested days for hourly sums (usage §3.3)', async () => {
    const stretches = [3, 4, 40].map((day) => ({
      day: dayAt(day),
      start: instantAt(day, 2),
      end: instantAt(day, 20),
    }));
    for (const unit of [null, 'u1']) {
      const hours = () => opened.reading.usage.hourSums({ subscriptionRecordId: 7, stretches, unit });
      expect(await walks(hours)).to.eql([]);
    }
  });

  it('use indexes for late usage, sums, parts of days and billed usage in a run (usage §11)', async () => {
    const some = billed.subscriptions.slice(100, 103);
    const own = some.map((_, index) => ({ subscriptionRecordId: 101 + index }));
    const reads = () =>
      opened.read(async (session) => {
        const due = await session.invoices.dueCursors(
          billed.accounts.slice(100, 103).map(({ id }) => ({
            accountId: id,
            targetDate: dayAt(0),
            catalogRevision: 1,
            usageSettings: '2',
          })),
        );
        expect(due, 'subscriptions with other points than seen').to.have.length(3);
        await session.usage.intervals(some.map(({ id }) => ({ subscriptionId: id, from: dayAt(300) })));
        await session.usage.days(
          own.map((each) => ({ ...each, from: dayAt(30), dates: [dayAt(3), dayAt(8)] })),
        );
        await session.usage.pieces(
          own.map((each) => ({
            ...each,
            unit: 'u1',
            localDate: dayAt(40),
            bounds: [instantAt(40), instantAt(40, 6), instantAt(41)],
            ordinals: [1],
          })),
        );
        await session.usage.billedOn(billed.intervals[100]?.invoiceId ?? newId());
      });
    expect(await walks(reads)).to.eql([]);
    opened.bound();
    await reads();
    const lines = (await plansOf(opened.database, opened.bound())).flatMap(({ plan }) => plan);
    // The reads have separate conditions: between the days that the last run read, and from a date on.
    expect(
      lines.filter((line) => /local_date ?>=? ?/.test(line)),
      lines.join('\n'),
    ).not.to.eql([]);
  });

  it('find the tracking ids of an invoice by its billed points (usage §7.6)', async () => {
    const ids = billed.intervals.slice(100, 110).flatMap(({ invoiceId }) => invoiceId ?? []);
    const points = billed.subscriptions.slice(100, 110).map(({ id }) => ({
      subscriptionId: id,
      ranges: [{ unit: 'u1', localDate: dayAt(8), part: 'ALL' as const, after: 0, upTo: 30 }],
    }));
    const found = await walks(() =>
      opened.read(async (session) => {
        await session.usage.trackingIds(ids, () => 100);
        await session.usage.trackingIdsOfPoints(points, 100);
        for (const id of ids.slice(0, 1))
          await session.usage.pageOfTrackingIds(id, { offset: 0, limit: -10 });
      }),
    );
    expect(found).to.eql([]);
  });

  it('read only the archived days, and use the key for reads of the archive (usage §11.4)', async () => {
    const many = Array.from({ length: 280 }, (_, index) => ({
      subscriptionRecordId: 120 + index,
      before: dayAt(DAYS),
    }));
    const archive = (requests: typeof many) =>
      opened.write(async (session) => {
        const days = await session.usage.lockOpenDays(requests, 1_000);
        expect(days).not.to.have.length(0);
        const pieces = days.map((day) => ({ ...day, part: 'ALL' as const, after: 0, upTo: day.count }));
        await session.usage.archive(
          days.map((day, index) => ({ ...day, pieces: pieces.slice(index, index + 1) })),
        );
      });
    await archive(many.slice(1));
    if (opened.database.kind === 'postgresql')
      await withPostgresql(opened.database.url, (client) => client.query('analyze'));
    expect(await walks(() => archive(many.slice(0, 1)))).to.eql([]);
    const reads = () =>
      opened.read(async (session) => {
        await session.usage.archivedDays(310, [dayAt(8), dayAt(9)]);
        const day = { subscriptionRecordId: 310, unit: 'u4', localDate: dayAt(9) };
        await session.usage.pieces([{ ...day, bounds: [], ordinals: [1] }]);
      });
    expect(await walks(reads)).to.eql([]);
  });

  it('read only the days of a voided submission', async () => {
    const voiding = () => opened.writing.usage.voidSubmission(1 + (77 % SUBSCRIPTIONS), 'k77');
    expect(await walks(voiding)).to.eql([]);
  });
});
