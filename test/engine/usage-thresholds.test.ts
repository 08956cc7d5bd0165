import type { UsageSource, Uuid } from '../../lib/index.ts';
import { purgeThresholdAnnouncements } from '../../lib/invoicing/index.ts';
import { formatInstant, instant } from '../../lib/values/time/index.ts';
import type { TestEngine } from '../support/index.ts';
import { anyDatabase, eachDatabase, expect, expectCode, openEngine, rowsOf } from '../support/index.ts';
import { usageCatalog } from '../support/usage/usage-catalog.ts';

const EVENTS = `
  select payload, record_id from bw_queue_entries where topic = 'USAGE_THRESHOLD'
  union all
  select payload, record_id from bw_queue_history where topic = 'USAGE_THRESHOLD'
  order by record_id`;
const LOOKS = `select topic from bw_queue_entries where topic = 'usage-service:threshold-queue'`;

const lines = (count: number) => Array.from({ length: count }, (_each, index) => index);

/** An engine with a subscription for each plan, under usage terms. */
class Stage {
  engine!: TestEngine;
  accountId!: Uuid;
  readonly #subscriptions = new Map<string, Uuid>();
  #recorded = 0;

  async begin(
    open: Parameters<typeof openEngine>[0],
    terms: object | null,
    { plans = ['api-std'], configuration = {}, usageSources = [] }: Begun = {},
  ): Promise<void> {
    this.engine = await openEngine(open, {
      now: '2026-04-01T00:00:00Z',
      catalog: usageCatalog,
      configuration,
      usageSources,
    });
    if (terms !== null) await this.upload(terms);
    const account = await this.engine.payingAccount({ currency: 'USD', billCycleDayLocal: 1 });
    this.accountId = account.id;
    for (const planName of plans) {
      const created = await this.engine.acme.createSubscription({ accountId: account.id, planName });
      this.#subscriptions.set(planName, created.subscriptionId);
    }
    await this.engine.settle();
  }

  upload(terms: object): Promise<void> {
    return this.engine.acme.keyValues.add('USAGE_TERMS', JSON.stringify(terms));
  }

  usage(text: string, planName = 'api-std') {
    const [amount = '', unitType = '', recordDate = ''] = text.split(' ');
    this.#recorded += 1;
    return {
      subscriptionId: this.subscriptionId(planName),
      trackingId: `t${this.#recorded}`,
      unitUsageRecords: [{ unitType, usageRecords: [{ recordDate, amount }] }],
    };
  }

  subscriptionId(planName = 'api-std'): Uuid {
    return this.#subscriptions.get(planName) ?? ('' as Uuid);
  }

  async use(text: string, planName?: string): Promise<void> {
    await this.engine.settle(this.engine.acme.recordUsage(this.usage(text, planName)));
  }

  async announcements(): Promise<readonly string[]> {
    const rows = await rowsOf(this.engine.database, EVENTS);
    return rows.map(({ payload }) => {
      const { metaData } = typeof payload === 'string' ? JSON.parse(payload) : payload;
      const { usageName, unitType, currency, threshold, reached, startDate, endDate } = metaData;
      return `${usageName} ${unitType ?? currency} ${threshold}: ${reached}, ${startDate}..${endDate}`;
    });
  }
}

interface Begun {
  readonly plans?: readonly string[];
  readonly configuration?: Readonly<Record<string, string>>;
  readonly usageSources?: readonly UsageSource[];
}

eachDatabase.describe('usage thresholds (usage §12.1)', (open) => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });

  it('are reported once per period, whether they limit a quantity or a cost', async () => {
    await stage.begin(open, {
      'std-usage': {
        freeQuantity: { calls: 4 },
        thresholds: { quantity: { calls: [10, '5'] }, amount: { USD: 3, EUR: 1 } },
      },
    });
    await stage.use('4 calls 2026-04-10');
    expect(await stage.announcements()).to.eql([]);
    await stage.use('1 calls 2026-04-11');
    await stage.use('1 calls 2026-04-11');
    await stage.use('6 calls 2026-04-12');
    await stage.use('6 calls 2026-04-13');
    const april = [
      'std-usage calls 5: 5, 2026-04-01..2026-05-01',
      'std-usage calls 10: 12, 2026-04-01..2026-05-01',
      'std-usage USD 3: 8, 2026-04-01..2026-05-01',
    ];
    expect(await stage.announcements()).to.eql(april);
    await stage.engine.runTo('2026-05-01T00:00:00Z');
    await stage.use('5.5 calls 2026-05-01');
    expect(await stage.announcements()).to.eql([...april, 'std-usage calls 5: 5.5, 2026-05-01..2026-06-01']);
  });

  it('are reported once even if many calls record usage simultaneously, line by line or in bulk', async () => {
    await stage.begin(open, { 'std-usage': { thresholds: { quantity: { calls: [1, 50] } } } });
    const { acme } = stage.engine;
    await Promise.all(
      lines(20).map((index) =>
        index % 4 === 0
          ? acme.usage.recordAll([stage.usage('1 calls 2026-04-10'), stage.usage('3 calls 2026-04-10')])
          : acme.recordUsage(stage.usage('2 calls 2026-04-11')),
      ),
    );
    await stage.engine.settle();
    const announcements = await stage.announcements();
    expect(announcements.map((each) => each.split(':')[0])).to.eql([
      'std-usage calls 1',
      'std-usage calls 50',
    ]);
    expect(await rowsOf(stage.engine.database, LOOKS)).to.eql([]);
  });

  it('are not reported again after usage is voided or recorded again', async () => {
    await stage.begin(open, { 'std-usage': { thresholds: { quantity: { calls: 5 } } } });
    await stage.use('5 calls 2026-04-10');
    await stage.engine.acme.usage.void(stage.subscriptionId(), 't1');
    await stage.use('6 calls 2026-04-10');
    expect(await stage.announcements()).to.eql(['std-usage calls 5: 5, 2026-04-01..2026-05-01']);
  });

  it('are deleted after their period plus the retention time of the queue history', async () => {
    await stage.begin(open, { 'std-usage': { thresholds: { quantity: { calls: 5 } } } });
    const starts = async () => {
      const rows = await rowsOf(
        stage.engine.database,
        'select starts_at from bw_usage_thresholds order by 1',
      );
      return rows.map(({ starts_at }) => formatInstant(instant(Number(starts_at))).slice(0, 10));
    };
    const purge = () => purgeThresholdAnnouncements(stage.engine, 30 * 24 * 3_600_000);
    await stage.use('5 calls 2026-04-10');
    await purgeThresholdAnnouncements(stage.engine, 0);
    await stage.use('1 calls 2026-04-11');
    await stage.engine.runTo('2026-06-30T00:00:00Z');
    await stage.use('5 calls 2026-06-30');
    // The period of April ends on June 1 at the latest.
    await stage.engine.runTo('2026-07-01T00:00:00Z');
    await purge();
    expect(await starts()).to.eql(['2026-04-01', '2026-06-01']);
    await stage.engine.runTo('2026-07-01T00:00:01Z');
    await purge();
    expect(await starts()).to.eql(['2026-06-01']);
    await stage.use('1 calls 2026-04-10');
    expect(await stage.announcements(), 'each once').to.eql([
      'std-usage calls 5: 5, 2026-04-01..2026-05-01',
      'std-usage calls 5: 5, 2026-06-01..2026-07-01',
    ]);
  });
});

anyDatabase.describe('usage thresholds in evaluations (usage §12.1)', (open) => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });

  it('have one scheduled evaluation for each subscription, and only if the tenant defines thresholds', async () => {
    const looks = async () => (await rowsOf(stage.engine.database, `${LOOKS}`)).length;
    const marks = async () => (await rowsOf(stage.engine.database, 'select * from bw_usage_marks')).length;
    await stage.begin(open, { 'std-usage': { percentOff: 10 } }, { plans: ['api-std', 'sms-payg'] });
    await stage.use('500 calls 2026-04-10');
    expect([await looks(), await marks()]).to.eql([0, 0]);
    await stage.upload({ 'std-usage': { thresholds: { amount: { USD: '0.5' } } } });
    await stage.use('1 calls 2026-04-10');
    await stage.use('1 sms 2026-04-10', 'sms-payg');
    expect([await looks(), await marks()]).to.eql([0, 2]);
    expect(await stage.announcements()).to.eql(['std-usage USD 0.5: 501, 2026-04-01..2026-05-01']);
    await stage.engine.acme.keyValues.delete('USAGE_TERMS');
    await stage.upload({});
    await stage.use('1 sms 2026-04-11', 'sms-payg');
    const versions = await rowsOf(stage.engine.database, 'select version from bw_usage_marks order by 1');
    expect(versions.map(({ version }) => Number(version))).to.eql([1, 1]);
  });

  it('apply to usage recorded at the end of a past period, and to the billed part of that period', async () => {
    await stage.begin(open, { 'std-usage': { thresholds: { quantity: { calls: [5, 9] } } } });
    await stage.use('5 calls 2026-04-10');
    await stage.engine.acme.recordUsage(stage.usage('4 calls 2026-04-30'));
    await stage.engine.runTo('2026-05-01T00:00:00Z');
    expect((await stage.announcements()).at(-1)).to.equal('std-usage calls 9: 9, 2026-04-01..2026-05-01');
    await stage.use('100 calls 2026-04-30');
    expect(await stage.announcements()).to.have.length(2);
  });

  it('apply to the peak of CAPACITY usage, and to free usage even if items of amount 0 are dropped', async () => {
    await stage.begin(
      open,
      {
        'team-usage': { thresholds: { quantity: { mbps: 100 }, amount: { USD: 5 } } },
        'std-usage': { freeQuantity: { calls: 10 }, thresholds: { quantity: { calls: 8 } } },
      },
      {
        plans: ['team-cap', 'api-std'],
        configuration: { 'org.service.invoice.disable.usage.zero.amount': 'true' },
      },
    );
    await stage.use('99 mbps 2026-04-10', 'team-cap');
    await stage.use('101 mbps 2026-04-10', 'team-cap');
    await stage.use('8 calls 2026-04-10');
    expect(await stage.announcements()).to.eql([
      'team-usage mbps 100: 101, 2026-04-01..2026-05-01',
      'team-usage USD 5: 5, 2026-04-01..2026-05-01',
      'std-usage calls 8: 8, 2026-04-01..2026-05-01',
    ]);
  });

  it('are evaluated again if usage is recorded during an evaluation', async () => {
    let recordsMeanwhile: (() => Promise<unknown>) | null = null;
    const nothingOfIts = async () => {
      const meanwhile = recordsMeanwhile;
      recordsMeanwhile = null;
      await meanwhile?.();
      return null;
    };
    const source: UsageSource = {
      name: 'meters of others',
      getUsageForAccount: nothingOfIts,
      getUsageForSubscription: async () => null,
    };
    const terms = { 'std-usage': { thresholds: { quantity: { calls: [1, 5] } } } };
    await stage.begin(open, terms, { usageSources: [source] });
    recordsMeanwhile = () => stage.engine.acme.recordUsage(stage.usage('4 calls 2026-04-10'));
    await stage.use('1 calls 2026-04-10');
    expect(await stage.announcements()).to.eql([
      'std-usage calls 1: 1, 2026-04-01..2026-05-01',
      'std-usage calls 5: 5, 2026-04-01..2026-05-01',
    ]);
  });

  it('are compared with the values of a usage source that has data for the account', async () => {
    const records = [{ amount: '7', unitType: 'calls', instant: '2026-04-02T00:00:00Z' }];
    const readUsage = async () =>
      records.map((each) => ({ ...each, subscriptionId: stage.subscriptionId() }));
    const source: UsageSource = {
      name: 'meters',
      getUsageForAccount: readUsage,
      getUsageForSubscription: readUsage,
    };
    const terms = { 'std-usage': { thresholds: { quantity: { calls: [1, 5, 9] } } } };
    await stage.begin(open, terms, { usageSources: [source] });
    await stage.use('100 calls 2026-04-10');
    expect(await stage.announcements()).to.eql([
      'std-usage calls 1: 7, 2026-04-01..2026-05-01',
      'std-usage calls 5: 7, 2026-04-01..2026-05-01',
    ]);
  });

  it('are not reported if the tenant has defined none, or if its only document was rejected as invalid', async () => {
    await stage.begin(open, null);
    const wrong = {
      'std-usage': { thresholds: { quantity: { calls: [0, 'x'] }, amount: { ABC: 1 }, cost: 1 } },
    };
    await expectCode(stage.upload(wrong), 'INVALID_PARAMETER');
    await stage.use('500 calls 2026-04-10');
    expect(await stage.announcements()).to.eql([]);
  });
});
