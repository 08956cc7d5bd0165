import { formatDecimal, SystemTag, type Uuid } from '../../lib/index.ts';
import { purgeInvoiceAnnouncements } from '../../lib/invoicing/index.ts';
import { anyDatabase, eachDatabase, expect, openEngine, rowsOf, type TestEngine } from '../support/index.ts';

const BEGINS = '2024-08-01T06:00:00Z';
const LEAD = 'org.service.invoice.dryRunNotificationSchedule';
const NOTICES = 'invoice-service:invoice-notification-queue';

const stored = (columns: string, condition: string) => `
  select ${columns}, record_id from bw_queue_entries where ${condition}
  union all
  select ${columns}, record_id from bw_queue_history where ${condition}
  order by record_id`;

/** Returns the content of each INVOICE_NOTIFICATION, in order: `2024-09-01T06:00:00.000Z USD 19.95`. */
async function notices({ database }: TestEngine): Promise<readonly string[]> {
  const rows = await rowsOf(database, stored('payload', `topic = 'INVOICE_NOTIFICATION'`));
  return rows.map(({ payload }) => {
    const { metaData } = typeof payload === 'string' ? JSON.parse(payload) : payload;
    return `${metaData.targetDate} ${metaData.currency} ${metaData.amountOwed}`;
  });
}

const scheduled = async ({ database }: TestEngine) =>
  (await rowsOf(database, stored('topic', `topic = '${NOTICES}'`))).length;

const SEPTEMBER = '2024-09-01T06:00:00.000Z USD 19.95';

/** An account with notices seven days ahead, billed on the first of the month. */
class Stage {
  engine!: TestEngine;
  accountId!: Uuid;

  async begin(open: Parameters<typeof openEngine>[0], options: Begun = {}): Promise<void> {
    const { lead = '7d', ...rest } = options;
    this.engine = await openEngine(open, { now: BEGINS, configuration: { [LEAD]: lead }, ...rest });
    this.accountId = (await this.engine.payingAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
  }

  async subscribe(planName = 'solo-now'): Promise<void> {
    await this.engine.settle(this.engine.acme.createSubscription({ accountId: this.accountId, planName }));
  }

  configure(lead: string): Promise<void> {
    return this.engine.acme.keyValues.add('PER_TENANT_CONFIG', JSON.stringify({ [LEAD]: lead }));
  }
}

type Begun = Partial<Pick<Parameters<typeof openEngine>[1], 'pushSender' | 'testMode' | 'trace'>> & {
  readonly lead?: string;
};

eachDatabase.describe('invoice notices (invoicing §8.1)', (open) => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });

  it('are sent once per invoice, with date and amount, at the configured time before the invoice date', async () => {
    await stage.begin(open);
    await stage.subscribe();
    await stage.engine.runTo('2024-08-25T05:59:59Z');
    expect(await notices(stage.engine)).to.eql([]);
    await stage.engine.runTo('2024-08-25T06:00:00Z');
    expect(await notices(stage.engine)).to.eql([SEPTEMBER]);
    await stage.engine.runTo('2024-09-01T06:00:00Z');
    const invoices = await stage.engine.acme.invoices.ofAccount({ accountId: stage.accountId });
    expect(invoices.map(({ amount }) => formatDecimal(amount))).to.eql(['19.95', '19.95']);
    await stage.engine.runTo('2024-10-01T06:00:00Z');
    expect(await notices(stage.engine)).to.eql([SEPTEMBER, '2024-10-01T06:00:00.000Z USD 19.95']);
  });

  it('are deleted once their date is older than the retention period of the queue history', async () => {
    await stage.begin(open);
    await stage.subscribe();
    await stage.engine.runTo('2024-08-25T06:00:00Z');
    await stage.engine.runTo('2024-09-24T06:00:00Z');
    const dates = async () => {
      const rows = await rowsOf(
        stage.engine.database,
        'select cast(target_date as text) as date from bw_told_invoices order by 1',
      );
      return rows.map(({ date }) => date);
    };
    expect(await dates()).to.eql(['2024-09-01', '2024-10-01']);
    const retentionMs = 21 * 24 * 3_600_000;
    await purgeInvoiceAnnouncements(stage.engine, retentionMs);
    expect(await dates()).to.have.length(2);
    await stage.engine.runTo('2024-09-25T06:00:00Z');
    await purgeInvoiceAnnouncements(stage.engine, retentionMs);
    expect(await dates()).to.eql(['2024-10-01']);
  });

  it('are not repeated by a run that finds the same invoice date again', async () => {
    await stage.begin(open);
    await stage.subscribe();
    await stage.engine.runTo('2024-08-26T00:00:00Z');
    // Bills the rest of August, and also schedules a notice for September.
    await stage.subscribe('kit-monthly');
    expect(await scheduled(stage.engine)).to.equal(2);
    await stage.engine.runTo('2024-08-31T00:00:00Z');
    expect(await notices(stage.engine)).to.eql([SEPTEMBER]);
  });
});

anyDatabase.describe('invoice notices in special cases (invoicing §8.1)', (open) => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });

  it('need the same number of SQL statements for many accounts as for one account', async () => {
    const statements: string[] = [];
    await stage.begin(open, { trace: (statement) => statements.push(statement) });
    await stage.subscribe();
    const reading = async (when: string): Promise<number> => {
      statements.length = 0;
      await stage.engine.runTo(when);
      return statements.filter(
        (text) =>
          /^\s*(select|with)/i.test(text) &&
          /bw_subscription_events|bw_invoicing_states|bw_coverage|row_number/.test(text),
      ).length;
    };
    const one = await reading('2024-08-25T06:00:00Z');
    for (let count = 0; count < 5; count += 1) {
      stage.accountId = (await stage.engine.payingAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
      await stage.subscribe();
    }
    await stage.engine.runTo('2024-09-01T06:00:00Z');
    expect(one).to.be.greaterThan(2);
    expect(await reading('2024-09-24T06:00:00Z')).to.equal(one);
    expect((await notices(stage.engine)).filter((each) => each.startsWith('2024-10'))).to.have.length(6);
  });

  it('are still sent for the other accounts if the dry run of one account fails', async () => {
    await stage.begin(open);
    await stage.subscribe();
    const other = await stage.engine.payingAccount({ currency: 'USD', billCycleDayLocal: 1 });
    await stage.engine.subscribe({ accountId: other.id, planName: 'solo-now' });
    const broken = `update bw_subscription_events set plan_name = 'gone' where account_record_id = ${other.recordId}`;
    await rowsOf(stage.engine.database, broken);
    stage.engine.clock.set('2024-08-25T06:00:00Z');
    // The test does not wait for the pauses after errors.
    while ((await notices(stage.engine)).length === 0) await stage.engine.billing.settle({ timeoutMs: 50 });
    expect(await notices(stage.engine)).to.eql([SEPTEMBER]);
    const live = `select account_record_id as account, error_count as errors from bw_queue_entries where topic = '${NOTICES}'`;
    const [failed, ...others] = await rowsOf(stage.engine.database, live);
    expect([Number(failed?.account), others.length]).to.eql([other.recordId, 0]);
    expect(Number(failed?.errors)).to.be.greaterThan(0);
  });

  it('are neither sent nor stored by default', async () => {
    await stage.begin(open, { lead: '0s' });
    await stage.subscribe();
    await stage.engine.runTo('2024-10-02T00:00:00Z');
    expect(await scheduled(stage.engine)).to.equal(0);
    expect(await notices(stage.engine)).to.eql([]);
  });

  it('are sent immediately if the notice time has already passed when the invoice date becomes known', async () => {
    await stage.begin(open, { lead: '60d' });
    await stage.subscribe();
    expect(await notices(stage.engine)).to.eql([SEPTEMBER]);
  });

  it('contain the balance after credit, and are not sent if credit covers the balance', async () => {
    await stage.begin(open);
    await stage.subscribe();
    const { accountId } = stage;
    const credit = (amount: string) =>
      stage.engine.acme.invoices.addCredits({ accountId, items: [{ amount: amount }], autoCommit: true });
    await credit('5');
    await stage.engine.runTo('2024-08-26T00:00:00Z');
    expect(await notices(stage.engine)).to.eql(['2024-09-01T06:00:00.000Z USD 14.95']);
    await credit('100');
    await stage.engine.runTo('2024-09-26T00:00:00Z');
    expect(await notices(stage.engine)).to.have.length(1);
  });

  it('are not sent for an account that automatic runs skip, or after the setting is removed', async () => {
    await stage.begin(open);
    await stage.subscribe();
    const tags = stage.engine.acme.tags;
    await tags.add({ type: 'ACCOUNT', id: stage.accountId }, [SystemTag.AUTO_INVOICING_OFF]);
    await stage.engine.runTo('2024-08-26T00:00:00Z');
    await tags.remove({ type: 'ACCOUNT', id: stage.accountId }, [SystemTag.AUTO_INVOICING_OFF]);
    await stage.engine.runTo('2024-09-02T00:00:00Z');
    await stage.configure('0s');
    await stage.engine.runTo('2024-09-26T00:00:00Z');
    expect(await scheduled(stage.engine)).to.equal(2);
    expect(await notices(stage.engine)).to.eql([]);
  });

  it('cover the first invoice of a subscription that starts later', async () => {
    await stage.begin(open);
    const { accountId } = stage;
    const date = '2024-09-01';
    const request = { entitlementDate: date, billingDate: date };
    await stage.engine.subscribe({ accountId, planName: 'solo-now' }, request);
    expect(await notices(stage.engine)).to.eql([]);
    await stage.engine.runTo('2024-08-25T06:00:00Z');
    expect(await notices(stage.engine)).to.eql([SEPTEMBER]);
  });

  it("reach the tenant's callback without an invoice id, because there is no invoice yet", async () => {
    const bodies: string[] = [];
    const pushSender = {
      resolve: async () => ['127.0.0.1'],
      send: async ({ body }: { readonly body: string }) => {
        bodies.push(body);
        return { status: 200 };
      },
    };
    await stage.begin(open, { pushSender, testMode: true });
    await stage.subscribe();
    await stage.engine.acme.keyValues.add('PUSH_NOTIFICATION_CB', 'http://127.0.0.1:1/cb');
    await stage.engine.runTo('2024-08-25T06:00:00Z');
    const last = JSON.parse(bodies.at(-1) ?? '{}');
    expect(last).to.eql({
      eventType: 'INVOICE_NOTIFICATION',
      accountId: stage.accountId,
      objectType: 'INVOICE',
      objectId: null,
      metaData: '{"targetDate":"2024-09-01T06:00:00.000Z","amountOwed":19.95,"currency":"USD"}',
    });
  });
});
