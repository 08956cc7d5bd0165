import { ErrorCode, formatDecimal, type UsageGranularity } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, expectCode } from '../support/index.ts';
import type { InvoiceItemView } from '../support/plain-views.ts';
import { UsageStage, type UsageStageOptions, type UsageStageStart } from '../support/usage/usage-stage.ts';

const unknown = '11111111-1111-4111-8111-111111111111';

eachDatabaseByTurns.describe('usage timelines, tracking ids and current costs', (open) => {
  let stage: UsageStage;

  async function begin(start: UsageStageStart, options: UsageStageOptions = {}): Promise<void> {
    stage = await UsageStage.begin(open, start, options);
  }

  const shown = async (granularity: UsageGranularity, bounds: string, unitType: string | null = null) => {
    const { usage } = stage.engine.acme;
    const [startDate = '', endDate = ''] = bounds.split('/');
    const found = await usage.timeline(stage.subscriptionId, { startDate, endDate, granularity, unitType });
    for (const one of found) {
      // Each part must equal the roll-up of its dates.
      const part = { startDate: { at: one.startDate }, endDate: { at: one.endDate } };
      const same = await usage.rollUp(stage.subscriptionId, { ...part, unitType });
      expect(one).to.eql(same);
    }
    return found.map(({ startDate: from, endDate: to, rolledUpUnits }) => {
      const units = rolledUpUnits.map((each) => `${each.unitType} ${formatDecimal(each.amount)}`);
      return `${from.toISOString().slice(0, 16)}/${to.toISOString().slice(0, 16)} ${units.join(', ')}`;
    });
  };

  it('contain local hours, days and months with points, by unit (usage §3.3)', async () => {
    const account = { timeZone: 'America/New_York' };
    await begin({ planName: 'sms-payg', from: '2026-10-01T04:00:00Z' }, { account });
    await stage.use('5 sms 2026-10-30');
    await stage.use('2 sms 2026-11-01T04:30:00Z');
    await stage.use('3 sms 2026-11-01T05:30:00Z');
    await stage.use('4 calls 2026-11-01T05:59:59.999Z');
    await stage.use('7 sms 2026-11-01T06:30:00Z');
    await stage.use('8 sms 2026-11-02T04:59:59Z', 'late');
    await stage.use('100 sms 2026-11-02T06:00:00Z', 'void');
    await stage.engine.acme.usage.void(stage.subscriptionId, 'void');
    expect(await shown('DAY', '2026-10-01/2026-12-01')).to.eql([
      '2026-10-30T04:00/2026-10-31T04:00 sms 5',
      '2026-11-01T04:00/2026-11-02T05:00 calls 4, sms 20',
    ]);
    expect(await shown('MONTH', '2026-10-01/2026-12-01', 'sms')).to.eql([
      '2026-10-01T04:00/2026-11-01T04:00 sms 5',
      '2026-11-01T04:00/2026-12-01T05:00 sms 20',
    ]);
    // The clock shows the hour from 1:00 twice.
    expect(await shown('HOUR', '2026-10-30/2026-11-02T05:00:00Z')).to.eql([
      '2026-10-30T04:00/2026-10-30T05:00 sms 5',
      '2026-11-01T04:00/2026-11-01T05:00 sms 2',
      '2026-11-01T05:00/2026-11-01T06:00 calls 4, sms 3',
      '2026-11-01T06:00/2026-11-01T07:00 sms 7',
      '2026-11-02T04:00/2026-11-02T05:00 sms 8',
    ]);
    expect(await shown('HOUR', '2026-11-01T05:15:00Z/2026-11-01T05:45:00Z')).to.eql([
      '2026-11-01T05:15/2026-11-01T05:45 sms 3',
    ]);
    expect(await shown('DAY', '2026-10-01/2026-12-01', 'fax')).to.eql([]);
    expect(await shown('HOUR', '2026-10-01/2026-10-01')).to.eql([]);
  });

  it('reject an end before the start, too many parts and an unknown subscription (usage §3.3)', async () => {
    await begin({ planName: 'sms-payg', from: '2026-04-01' });
    const { usage } = stage.engine.acme;
    const backwards = { startDate: '2026-05-01', endDate: '2026-04-01' };
    await expectCode(usage.timeline(stage.subscriptionId, backwards), 'INVALID_PARAMETER');
    const long = { startDate: '2020-01-01', endDate: '2030-01-01', granularity: 'HOUR' } as const;
    await expectCode(usage.timeline(stage.subscriptionId, long), 'INVALID_PARAMETER');
    const { SUBSCRIPTION_INVALID_SUBSCRIPTION_ID } = ErrorCode;
    const { startDate, endDate } = long;
    for (const call of [
      () => usage.timeline(unknown, { startDate, endDate }),
      () => usage.unbilled(unknown, { startDate, endDate }),
      () => usage.rated(unknown),
    ])
      await expectCode(call(), SUBSCRIPTION_INVALID_SUBSCRIPTION_ID);
    await expectCode(usage.unbilled(stage.subscriptionId, backwards), 'INVALID_PARAMETER');
  });

  it('list all tracking ids of an invoice, page by page (usage §7.6)', async () => {
    await begin({ planName: 'api-std', from: '2026-04-01' }, { unpaid: true });
    for (const day of ['05', '02', '03']) await stage.use(`1 calls 2026-04-${day}`, `t${day}`);
    await stage.use('1 calls 2026-05-01', 'next');
    await stage.runTo('2026-05-01');
    const { id } = await stage.last();
    const { invoices } = stage.engine.acme;
    expect(await invoices.trackingIds(id, { offset: 0, limit: 2 })).to.eql({
      rows: ['t05', 't02'],
      total: 3,
      max: 3,
    });
    expect(await invoices.trackingIds(id, { offset: 2, limit: 2 })).to.deep.include({ rows: ['t03'] });
    expect(await invoices.trackingIds(id, { offset: 3, limit: 2 })).to.deep.include({ rows: [], total: 3 });
    await invoices.void(id);
    expect(await invoices.trackingIds(id, { offset: 0, limit: 2 })).to.deep.include({ rows: [], total: 0 });
    await expectCode(invoices.trackingIds(unknown, { offset: 0, limit: 1 }), 'INVOICE_NOT_FOUND');
  });
});

/** Formats `2026-04-01..2026-05-01 sms-usage 5.9`. */
function lineOf({ startDate, endDate, usageName, amount }: InvoiceItemView): string {
  const [start, end] = [startDate, endDate].map((date) => date && date);
  return `${start}..${end} ${usageName} ${formatDecimal(amount)}`;
}

eachDatabaseByTurns.describe('current usage costs', (open) => {
  let stage: UsageStage;

  async function begin(start: UsageStageStart, options: UsageStageOptions = {}): Promise<void> {
    stage = await UsageStage.begin(open, start, options);
  }

  async function rated(targetDate?: string): Promise<readonly string[]> {
    const request = targetDate === undefined ? {} : { targetDate };
    return (await stage.engine.acme.usage.rated(stage.subscriptionId, request)).map(lineOf);
  }

  it('match a dry run at the end of the current period, and store nothing (usage §3.3)', async () => {
    await begin({ planName: 'club', from: '2026-03-13' }, { bcd: 13 });
    await stage.use('6 videos 2026-03-15');
    await stage.runTo('2026-03-20');
    expect(await rated()).to.eql(['2026-03-13..2026-04-13 club-usage 11']);
    const [item] = await stage.engine.acme.usage.rated(stage.subscriptionId);
    const foreseen = (await stage.dryRun('2026-04-13'))?.items.find(({ itemType }) => itemType === 'USAGE');
    expect(item).to.deep.include({ itemDetails: foreseen?.itemDetails, amount: foreseen?.amount });
    const before = await stage.lines();
    await stage.use('7 videos 2026-04-12T23:59:59Z');
    expect(await rated()).to.eql(['2026-03-13..2026-04-13 club-usage 18']);
    expect(await stage.lines()).to.eql(before);
    await stage.runTo('2026-04-13');
    expect((await stage.lines()).at(-1)).to.contain('USAGE 2026-03-13..2026-04-13 18');
    expect(await rated()).to.eql(['2026-04-13..2026-05-13 club-usage 0']);
    expect(await rated('2026-06-13')).to.eql(['2026-05-13..2026-06-13 club-usage 0']);
  });

  it('end with a planned cancellation, and are empty once all usage is billed (usage §3.3)', async () => {
    await begin({ planName: 'sms-payg', from: '2026-04-01' });
    await stage.use('50 sms 2026-04-02');
    await stage.runTo('2026-04-10');
    const { subscriptions } = stage.engine.acme;
    await subscriptions.cancel(stage.subscriptionId, {
      requestedDate: '2026-04-16T00:00:00Z',
      useRequestedDateForBilling: true,
    });
    await stage.use('300 sms 2026-04-16T00:00:00Z');
    expect(await rated()).to.eql(['2026-04-01..2026-04-16 sms-usage 11.8']);
    await stage.runTo('2026-04-16', '2026-04-17');
    expect((await stage.lines()).at(-1)).to.equal('USAGE 2026-04-01..2026-04-16 11.8');
    expect(await rated()).to.eql([]);
  });

  it('include late usage of billed periods and unbilled usage of a former plan (usage §3.3)', async () => {
    await begin({ planName: 'api-std', from: '2026-01-01' });
    await stage.use('10 calls 2026-01-10');
    await stage.runTo('2026-02-01');
    await stage.use('5 calls 2026-01-20');
    await stage.use('2 calls 2026-02-02');
    await stage.runTo('2026-02-05');
    expect(await rated()).to.eql([
      '2026-01-01..2026-02-01 std-usage 5',
      '2026-02-01..2026-03-01 std-usage 2',
    ]);
  });

  it('are calculated for each section at the end of its own period (usage §3.3)', async () => {
    await begin({ planName: 'two-lengths', from: '2026-01-01' });
    await stage.use('3 calls 2026-01-10');
    await stage.use('4 members 2026-01-11');
    await stage.runTo('2026-01-15');
    expect(await rated()).to.eql([
      '2026-01-01..2026-02-01 two-calls-usage 3',
      '2026-01-01..2026-04-01 members-usage 8',
    ]);
    await stage.runTo('2026-02-01', '2026-02-02');
    expect(await rated()).to.eql([
      '2026-02-01..2026-03-01 two-calls-usage 0',
      '2026-01-01..2026-04-01 members-usage 8',
    ]);
  });
});
