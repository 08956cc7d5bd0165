import { formatDecimal, parseLocalDate } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect } from '../support/index.ts';
import { UsageStage, type UsageStageOptions, type UsageStageStart } from '../support/usage/usage-stage.ts';

eachDatabaseByTurns.describe('unbilled usage', (open) => {
  let stage: UsageStage;

  async function begin(start: UsageStageStart, options: UsageStageOptions = {}): Promise<void> {
    stage = await UsageStage.begin(open, start, options);
  }

  /** Returns `2026-04-02 NOT_YET_DUE sms 5 (sms-usage)`, with the end date if it is longer than a day. */
  async function unbilled(startDate: string, endDate: string): Promise<readonly string[]> {
    const found = await stage.engine.acme.usage.unbilled(stage.subscriptionId, { startDate, endDate });
    return found.map((one) => {
      const until =
        parseLocalDate(one.endDate) - parseLocalDate(one.startDate) === 1 ? '' : `..${one.endDate}`;
      const section = one.usageName === null ? '' : ` (${one.usageName})`;
      return `${one.startDate}${until} ${one.reason} ${one.unitType} ${formatDecimal(one.amount)}${section}`;
    });
  }

  it('includes usage that is not yet due and usage that is too old to bill (usage E7 "Look-back, N = 2")', async () => {
    await begin(
      { planName: 'sms-payg', from: '2026-04-01' },
      { settings: { 'usage.unknownUnitPolicy': 'ACCEPT' } },
    );
    await stage.use('10 sms 2026-04-02');
    expect(await unbilled('2026-04-01', '2026-05-01')).to.eql(['2026-04-02 NOT_YET_DUE sms 10 (sms-usage)']);
    await stage.runTo('2026-05-01', '2026-06-01', '2026-07-01');
    expect(await unbilled('2026-01-01', '2026-12-01')).to.eql([]);
    await stage.use('100 sms 2026-04-30');
    await stage.use('199 sms 2026-05-01');
    await stage.use('50 sms 2026-07-01');
    await stage.use('1 fax 2026-07-02');
    await stage.use('0 fax 2026-07-03');
    expect(await unbilled('2026-04-01', '2026-08-01')).to.eql([
      '2026-04-30 BEYOND_LOOKBACK sms 100 (sms-usage)',
      '2026-05-01 NOT_YET_DUE sms 199 (sms-usage)',
      '2026-07-01 NOT_YET_DUE sms 50 (sms-usage)',
      '2026-07-02 UNKNOWN_UNIT fax 1',
    ]);
    expect(await unbilled('2026-04-30T12:00:00Z', '2026-07-01')).to.eql([
      '2026-05-01 NOT_YET_DUE sms 199 (sms-usage)',
    ]);
    await stage.runTo('2026-08-01');
    expect(await unbilled('2026-04-01', '2026-08-01')).to.eql([
      '2026-04-30 BEYOND_LOOKBACK sms 100 (sms-usage)',
      '2026-07-02 UNKNOWN_UNIT fax 1',
    ]);
  });

  it('has the reason AFTER_END if it is later than the instant of the cancellation (usage E12 "Cancellation at an instant")', async () => {
    await begin({ planName: 'sms-payg', from: '2026-05-01' });
    await stage.use('50 sms 2026-05-01');
    await stage.use('300 sms 2026-05-16T00:00:00Z');
    await stage.use('7 sms 2026-05-16T00:00:00.001Z');
    await stage.runTo('2026-05-10');
    await stage.use('100 sms 2026-05-20');
    await stage.engine.cancelAt(stage.subscriptionId, '2026-05-16T00:00:00Z');
    await stage.runTo('2026-05-16', '2026-05-17');
    expect(await stage.lines()).to.eql(['USAGE 2026-05-01..2026-05-16 11.8']);
    expect(await unbilled('2026-05-01', '2026-06-01')).to.eql([
      '2026-05-16 AFTER_END sms 7',
      '2026-05-20 AFTER_END sms 100',
    ]);
  });

  it('has the reason BLOCKED during a pause, and BEFORE_START before billing begins (usage E13 "Pause and resume")', async () => {
    await begin({ planName: 'api-std', from: '2026-08-01T06:00:00Z' });
    await stage.use('40 calls 2026-08-01');
    await stage.use('7 calls 2026-08-01T00:00:00Z', 'too early');
    const { blocking, getSubscription } = stage.engine.acme;
    const { bundleId } = await getSubscription(stage.subscriptionId);
    await stage.runTo('2026-09-02');
    const hold = (isBlockBilling: boolean) =>
      blocking.add(
        { type: 'SUBSCRIPTION_BUNDLE', id: bundleId },
        { service: 'fraud', stateName: String(isBlockBilling), isBlockBilling },
      );
    await hold(true);
    await stage.use('1 calls 2026-09-02');
    expect(await unbilled('2026-08-01', '2026-10-01')).to.eql([
      '2026-08-01 BEFORE_START calls 7',
      '2026-09-02 BLOCKED calls 1',
    ]);
    await stage.runTo('2026-09-05');
    await hold(false);
    await stage.use('2 calls 2026-09-05T00:00:01Z');
    await stage.runTo('2026-10-01');
    expect((await stage.lines()).at(-1)).to.equal('USAGE 2026-09-05..2026-10-01 2');
    expect(await unbilled('2026-09-01', '2026-10-01')).to.eql(['2026-09-02 BLOCKED calls 1']);
  });

  it('has the reason OVERFLOW for the part that no tier covers (usage E2 "Tiers, blocks, overflow")', async () => {
    await begin({ planName: 'sms-payg', from: '2026-04-01' });
    await stage.use('101001 sms 2026-04-10');
    expect(await unbilled('2026-04-01', '2026-05-01')).to.eql([
      '2026-04-10 NOT_YET_DUE sms 101001 (sms-usage)',
    ]);
    await stage.runTo('2026-05-01');
    const overflow = ['2026-04-01..2026-05-01 OVERFLOW sms 1 (sms-usage)'];
    expect(await unbilled('2026-04-20', '2026-04-21')).to.eql(overflow);
    expect(await unbilled('2026-05-01', '2026-06-01')).to.eql([]);
  });

  it('has the reason LATE if the tenant does not bill late usage (usage §3.3)', async () => {
    const settings = { 'invoice.usage.lateMode': 'IGNORE' };
    await begin({ planName: 'api-std', from: '2026-04-01' }, { settings });
    await stage.runTo('2026-05-01');
    await stage.use('3 calls 2026-04-10');
    await stage.runTo('2026-06-01');
    expect(await unbilled('2026-04-01', '2026-06-01')).to.eql(['2026-04-10 LATE calls 3 (std-usage)']);
  });

  it('has the reason COVERED on a day that was billed as part of a longer period (usage §3.3)', async () => {
    await begin({ planName: 'api-std', from: '2026-04-01' });
    await stage.use('3 calls 2026-04-10');
    await stage.runTo('2026-05-01', '2026-05-02');
    const { bundleId } = await stage.engine.acme.getSubscription(stage.subscriptionId);
    for (const [stateName, date] of [
      ['held', '2026-04-15'],
      ['free', '2026-04-20'],
    ] as const) {
      await stage.engine.acme.blocking.add(
        { type: 'SUBSCRIPTION_BUNDLE', id: bundleId },
        { service: 'fraud', stateName, isBlockBilling: stateName === 'held', requestedDate: date },
      );
    }
    await stage.use('4 calls 2026-04-11');
    await stage.runTo('2026-06-01');
    expect(await unbilled('2026-04-01', '2026-05-01')).to.eql(['2026-04-11 COVERED calls 4 (std-usage)']);
  });

  for (const setting of ['beyondLookback', 'readMaxRawUsagePreviousPeriod'])
    it(`includes voided usage that was charged beyond the look-back, until ${setting} allows its credit (usage §2.2 rule 3)`, async () => {
      await begin({ planName: 'api-std', from: '2026-04-01' });
      await stage.use('10 calls 2026-04-05', 'kept');
      await stage.use('7 calls 2026-04-20', 'void');
      await stage.use('5 calls 2026-06-10', 'late void');
      await stage.runTo('2026-05-01', '2026-06-01', '2026-07-01', '2026-08-01');
      await stage.engine.acme.usage.void(stage.subscriptionId, 'void');
      const shown = ['2026-04-01..2026-05-01 VOIDED_BEYOND_LOOKBACK calls -7 (std-usage)'];
      expect(await unbilled('2026-04-10', '2026-04-11')).to.eql(shown);
      expect(await unbilled('2026-05-01', '2026-08-01')).to.eql([]);
      await stage.engine.acme.usage.void(stage.subscriptionId, 'late void');
      await stage.runTo('2026-09-01');
      expect((await stage.lines()).at(-1)).to.match(/^REPAIR_ADJ 2026-06-01..2026-07-01 -5, USAGE/);
      expect(await unbilled('2026-04-01', '2026-09-01')).to.eql(shown);

      const value = setting === 'beyondLookback' ? 'NEXT_PERIOD' : '9';
      const name = setting === 'beyondLookback' ? `usage.${setting}` : setting;
      const { keyValues } = stage.engine.acme;
      await keyValues.add('PER_TENANT_CONFIG', JSON.stringify({ [`org.service.invoice.${name}`]: value }));
      const credited = await stage.run('2026-09-01');
      expect(credited.items.slice(0, 1).map(({ amount }) => formatDecimal(amount))).to.eql(['-7']);
      expect(await unbilled('2026-04-01', '2026-09-01')).to.eql([]);
      await keyValues.delete('PER_TENANT_CONFIG');
      await stage.runTo('2026-10-01');
      expect((await stage.lines()).at(-1)).to.match(/^USAGE 2026-09-01..2026-10-01 0/);
      expect(await unbilled('2026-04-01', '2026-10-01')).to.eql([]);
    });

  it('includes the usage of a void invoice until the next run (usage §3.3)', async () => {
    await begin({ planName: 'api-std', from: '2026-04-01' }, { unpaid: true });
    await stage.use('3 calls 2026-04-10');
    await stage.runTo('2026-05-01');
    expect(await unbilled('2026-04-01', '2026-05-01')).to.eql([]);
    await stage.engine.acme.invoices.void((await stage.last()).id);
    expect(await unbilled('2026-04-01', '2026-05-01')).to.eql(['2026-04-10 NOT_YET_DUE calls 3 (std-usage)']);
  });
});
