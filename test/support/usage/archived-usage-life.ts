import { formatDecimal, SystemTag, type Uuid } from '../../../lib/index.ts';
import type { OpenDatabase } from '../databases.ts';
import { itemLines, openEngine, type TestEngine } from '../engine.ts';
import type { InvoiceView } from '../plain-views.ts';
import { usageCatalog } from './usage-catalog.ts';

export type MeteredPlan = 'sms-payg' | 'api-std' | 'team-cap';

const plans: readonly MeteredPlan[] = ['sms-payg', 'api-std', 'team-cap'];
const units = { 'sms-payg': ['sms'], 'api-std': ['calls'], 'team-cap': ['members', 'mbps'] } as const;

/** A customer with three subscriptions whose usage is recorded, billed, maybe archived, and later corrected. */
export class ArchivedUsageLife {
  readonly engine: TestEngine;
  readonly accountId: Uuid;
  readonly subscriptionOf: Readonly<Record<MeteredPlan, Uuid>>;

  private constructor(engine: TestEngine, accountId: Uuid, subscriptionOf: Record<MeteredPlan, Uuid>) {
    this.engine = engine;
    this.accountId = accountId;
    this.subscriptionOf = subscriptionOf;
  }

  /** Starts on 2026-01-01 in New York. Nothing is paid, so that any invoice can be voided. */
  static async begin(open: OpenDatabase, configuration: Readonly<Record<string, string>> = {}) {
    const engine = await openEngine(open, {
      now: '2026-01-01T05:00:00Z',
      catalog: usageCatalog,
      configuration,
    });
    const account = await engine.payingAccount({
      currency: 'USD',
      billCycleDayLocal: 1,
      timeZone: 'America/New_York',
    });
    await engine.acme.tags.add({ type: 'ACCOUNT', id: account.id }, [SystemTag.AUTO_PAY_OFF]);
    const subscriptionOf: Partial<Record<MeteredPlan, Uuid>> = {};
    for (const planName of plans) {
      const subscription = await engine.acme.createSubscription({ accountId: account.id, planName });
      subscriptionOf[planName] = subscription.subscriptionId;
    }
    await engine.settle();
    return new ArchivedUsageLife(engine, account.id, subscriptionOf as Record<MeteredPlan, Uuid>);
  }

  /** `99 sms 2026-04-01 k1`. The tracking id defaults to the text. */
  async use(plan: MeteredPlan, text: string): Promise<void> {
    const [amount = '', unitType = '', recordDate = '', trackingId = text] = text.split(' ');
    const unitUsageRecords = [{ unitType, usageRecords: [{ recordDate, amount }] }];
    const subscriptionId = this.subscriptionOf[plan];
    await this.engine.acme.recordUsage({ subscriptionId, trackingId, unitUsageRecords });
  }

  /** Uses some days of every month from January to May, as days and instants. */
  async liveToJune(): Promise<void> {
    for (const month of ['01', '02', '03', '04', '05']) {
      for (const plan of plans) {
        for (const unit of units[plan]) {
          for (const [day, amount] of [
            ['03', 7],
            ['10', 70],
            ['10T14:30:00Z', 11],
            ['28T23:00:00-05:00', 5],
          ] as const) {
            await this.use(
              plan,
              `${amount + Number(month)} ${unit} 2026-${month}-${day} ${month}/${day}/${unit}`,
            );
          }
        }
      }
    }
    for (const time of ['12T14:59:59Z', '12T15:00:00Z', '14', '14T14:00:00Z', '14T16:00:00Z'])
      await this.use('sms-payg', `101 sms 2026-02-${time}`);
    await this.engine.acme.usage.void(this.subscriptionOf['sms-payg'], '02/03/sms');
    await this.engine.runTo('2026-02-10T15:00:00Z');
    // Splits the billed intervals of January and February.
    await this.engine.acme.subscriptions.changePlan(this.subscriptionOf['api-std'], { planName: 'api-plus' });
    for (const [at, isBlocked] of [
      ['2026-02-12T15:00:00Z', true],
      ['2026-02-14T15:00:00Z', false],
    ] as const) {
      await this.engine.runTo(at);
      await this.block(isBlocked);
    }
    for (const month of ['03', '04', '05', '06']) await this.engine.runTo(`2026-${month}-01T06:00:00Z`);
    await this.engine.acme.usage.void(this.subscriptionOf['sms-payg'], '01/03/sms');
    await this.run('2026-06-01');
  }

  async block(isBlocked: boolean): Promise<void> {
    const id = this.subscriptionOf['sms-payg'];
    const state = { service: 'hold', stateName: isBlocked ? 'HELD' : 'FREE' };
    const blocks = { isBlockBilling: isBlocked, isBlockEntitlement: isBlocked, isBlockChange: false };
    await this.engine.acme.blocking.add({ type: 'SUBSCRIPTION', id }, { ...state, ...blocks });
    await this.engine.settle();
  }

  async run(targetDate: string): Promise<void> {
    await this.engine.acme.invoices
      .generate({ accountId: this.accountId, targetDate })
      .catch(() => undefined);
    await this.engine.settle();
  }

  async setLookBack(periods: number): Promise<void> {
    const settings = JSON.stringify({ 'org.service.invoice.readMaxRawUsagePreviousPeriod': periods });
    await this.engine.acme.keyValues.add('PER_TENANT_CONFIG', settings);
  }

  async voidInvoices(month: string): Promise<void> {
    for (const { id, items, status } of await this.#invoices()) {
      const isOfMonth = items.some(({ startDate }) => String(startDate).startsWith(`2026-${month}`));
      if (isOfMonth && status === 'COMMITTED') await this.engine.acme.invoices.void(id);
    }
  }

  /** One line per invoice, with its tracking ids and explanations. */
  async invoiceLines(): Promise<readonly string[]> {
    const lines: string[] = [];
    for (const invoice of await this.#invoices()) {
      const { acme } = this.engine;
      const { trackingIds } = await acme.getInvoice(invoice.id);
      const texts = await Promise.all(
        invoice.items
          .filter(({ itemType }) => itemType === 'USAGE')
          .map(async ({ id }) => (await acme.invoices.explain(id)).text),
      );
      lines.push([invoice.status, ...itemLines(invoice), ...trackingIds.toSorted(), ...texts].join('\n'));
    }
    return lines;
  }

  /** The usage of all units between two dates or times. */
  async used(startDate: string, endDate: string): Promise<readonly string[]> {
    const lines: string[] = [];
    for (const plan of plans) {
      const request = { startDate, endDate };
      const { rolledUpUnits } = await this.engine.acme.usage.rollUp(this.subscriptionOf[plan], request);
      lines.push(...rolledUpUnits.map(({ unitType, amount }) => `${unitType} ${formatDecimal(amount)}`));
    }
    return lines;
  }

  async #invoices(): Promise<readonly InvoiceView[]> {
    const all = await this.engine.invoicesOf(this.accountId);
    return all.toSorted((a, b) => a.invoiceNumber - b.invoiceNumber);
  }
}
