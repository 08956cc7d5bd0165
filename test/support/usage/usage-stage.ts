import type { AccountInput, Uuid } from '../../../lib/index.ts';
import { formatDecimal, parseLocalDate, SystemTag } from '../../../lib/index.ts';
import type { OpenDatabase } from '../databases.ts';
import { itemLines, openEngine, type TestEngine } from '../engine.ts';
import type { Account, InvoiceView } from '../plain-views.ts';
import { usageCatalog } from './usage-catalog.ts';

export interface UsageStageStart {
  readonly planName: string;
  /** An instant, or a date in UTC. */
  readonly from: string;
}

export interface UsageStageOptions {
  /** Of the account; default 1. */
  readonly bcd?: number;
  readonly account?: Partial<AccountInput>;
  readonly catalog?: string;
  /** Leaves invoices unpaid, so that they can be voided. */
  readonly unpaid?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  readonly invoicePlugins?: Parameters<typeof openEngine>[1]['invoicePlugins'];
  readonly trace?: (statement: string) => void;
}

interface TierLine {
  readonly tier: number;
  readonly tierUnit: string;
  readonly quantity: number;
  readonly amount?: number;
}

export class UsageStage {
  readonly engine: TestEngine;
  readonly accountId: Uuid;
  readonly subscriptionId: Uuid;

  private constructor(engine: TestEngine, account: Account, subscriptionId: Uuid) {
    this.engine = engine;
    this.accountId = account.id;
    this.subscriptionId = subscriptionId;
  }

  static async begin(
    open: OpenDatabase,
    { planName, from }: UsageStageStart,
    options: UsageStageOptions = {},
  ): Promise<UsageStage> {
    const { bcd = 1, account: input = {}, catalog = usageCatalog, unpaid = false, settings = {} } = options;
    const engine = await openEngine(open, {
      now: from.includes('T') ? from : `${from}T00:00:00Z`,
      catalog,
      configuration: Object.fromEntries(
        Object.entries(settings).map(([name, value]) => [`org.service.${name}`, value]),
      ),
      ...(options.invoicePlugins ? { invoicePlugins: options.invoicePlugins } : {}),
      ...(options.trace ? { trace: options.trace } : {}),
    });
    const account = await engine.payingAccount({ currency: 'USD', billCycleDayLocal: bcd, ...input });
    if (unpaid) await engine.acme.tags.add({ type: 'ACCOUNT', id: account.id }, [SystemTag.AUTO_PAY_OFF]);
    const { subscriptionId } = await engine.acme.createSubscription({ accountId: account.id, planName });
    await engine.settle();
    return new UsageStage(engine, account, subscriptionId);
  }

  /** `99 sms 2026-04-01`. The tracking id defaults to the text. */
  async use(text: string, trackingId = text): Promise<void> {
    const [amount = '', unitType = '', recordDate = ''] = text.split(' ');
    const unitUsageRecords = [{ unitType, usageRecords: [{ recordDate, amount }] }];
    await this.engine.acme.recordUsage({ subscriptionId: this.subscriptionId, trackingId, unitUsageRecords });
  }

  /** Runs at the start of each day. */
  async runTo(...dates: readonly string[]): Promise<void> {
    for (const date of dates) await this.engine.runTo(`${date}T00:00:00Z`);
  }

  run(targetDate: string): Promise<InvoiceView> {
    return this.engine.acme.invoices.generate({
      accountId: this.accountId,
      targetDate: parseLocalDate(targetDate),
    });
  }

  dryRun(targetDate: string): Promise<InvoiceView | null> {
    return this.engine.acme.invoices.dryRun({
      accountId: this.accountId,
      targetDate: parseLocalDate(targetDate),
    });
  }

  async invoices(): Promise<readonly InvoiceView[]> {
    const all = await this.engine.invoicesOf(this.accountId);
    return all.toSorted((a, b) => a.invoiceNumber - b.invoiceNumber);
  }

  async lines(): Promise<readonly string[]> {
    return (await this.invoices()).map((invoice) => itemLines(invoice).join(', '));
  }

  async last(): Promise<InvoiceView> {
    const invoice = (await this.invoices()).at(-1);
    if (invoice === undefined) throw new Error('no invoice');
    return this.engine.acme.getInvoice(invoice.id);
  }

  async chargedThrough(): Promise<string | null> {
    const { chargedThrough: date } = await this.engine.acme.getSubscription(this.subscriptionId);
    return date === null ? null : date.date;
  }

  /** The recorded usage as a roll-up: `calls 47`. */
  async rolledUp(startDate: string, endDate: string): Promise<string> {
    const { rolledUpUnits } = await this.engine.acme.usage.rollUp(this.subscriptionId, {
      startDate,
      endDate,
    });
    return rolledUpUnits.map(({ unitType, amount }) => `${unitType} ${formatDecimal(amount)}`).join(', ');
  }

  close(): Promise<void> {
    return this.engine.close();
  }
}

/** The USAGE items of an invoice: rate, quantity and amount. */
export function ratesOf({ items }: InvoiceView): readonly string[] {
  const shown = items.filter(({ itemType }) => itemType === 'USAGE');
  return shown.map(({ rate, quantity, amount }) =>
    [rate, quantity, amount].map((value) => (value === null ? '-' : formatDecimal(value))).join(' '),
  );
}

/** The details of its first USAGE item: `sms T1 2 (5.9)`. */
export function tierLines({ items }: InvoiceView): readonly string[] {
  const details = items.find(({ itemType }) => itemType === 'USAGE')?.itemDetails ?? '{"tierDetails":[]}';
  const { tierDetails } = JSON.parse(details) as { readonly tierDetails: readonly TierLine[] };
  return tierDetails.map(
    ({ tierUnit, tier, quantity, amount }) =>
      `${tierUnit} T${tier} ${quantity}${amount === undefined ? '' : ` (${amount})`}`,
  );
}
