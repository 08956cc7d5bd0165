import { formatDecimal, instant, parseLocalDate } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect } from '../support/index.ts';
import type { InvoiceItemView } from '../support/plain-views.ts';
import { UsageStage, type UsageStageOptions, type UsageStageStart } from '../support/usage/usage-stage.ts';

/** `2026-04-01..2026-05-01 sms-usage 5.9` */
function lineOf({ startDate, endDate, usageName, amount }: InvoiceItemView): string {
  const [start, end] = [startDate, endDate].map((date) => date && date);
  return `${start}..${end} ${usageName} ${formatDecimal(amount)}`;
}

eachDatabaseByTurns('what usage costs while it happens', (open) => {
  let stage: UsageStage;

  async function begin(start: UsageStageStart, options: UsageStageOptions = {}): Promise<void> {
    stage = await UsageStage.begin(open, start, options);
  }

  async function rated(targetDate?: string): Promise<readonly string[]> {
    const request = targetDate === undefined ? {} : { targetDate: parseLocalDate(targetDate) };
    return (await stage.engine.acme.usage.rated(stage.subscriptionId, request)).map(lineOf);
  }

  it('usage §3.3: is what a dry run at the end of the running period has of it, and nothing is stored', async () => {
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

  it('usage §3.3: ends with a cancellation to come, and is nothing once all is billed', async () => {
    await begin({ planName: 'sms-payg', from: '2026-04-01' });
    await stage.use('50 sms 2026-04-02');
    await stage.runTo('2026-04-10');
    const { subscriptions } = stage.engine.acme;
    await subscriptions.cancel(stage.subscriptionId, {
      requestedDate: { at: instant(Date.parse('2026-04-16T00:00:00Z')) },
      useRequestedDateForBilling: true,
    });
    await stage.use('300 sms 2026-04-16T00:00:00Z');
    expect(await rated()).to.eql(['2026-04-01..2026-04-16 sms-usage 11.8']);
    await stage.runTo('2026-04-16', '2026-04-17');
    expect((await stage.lines()).at(-1)).to.equal('USAGE 2026-04-01..2026-04-16 11.8');
    expect(await rated()).to.eql([]);
  });

  it('usage §3.3: holds what came late for billed periods, and what a change of plan has left to bill', async () => {
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

  it('usage §3.3: looks at each section at the end of its own period', async () => {
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
