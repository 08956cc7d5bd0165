import { taxPlugin } from '../../../examples/tax-plugin.ts';
import {
  type Account,
  BillingError,
  type Decimal,
  decimal,
  SystemTag,
  type Uuid,
} from '../../../lib/index.ts';
import { minorUnits } from '../../../lib/values/money/index.ts';
import type { OpenDatabase } from '../databases.ts';
import { openEngine, type TestEngine } from '../engine.ts';
import {
  type TaxedScript,
  type TaxedStep,
  type TaxedStepOf,
  taxedCatalog,
  taxedTerms,
} from './taxed-steps.ts';

const CHARGES: ReadonlySet<string> = new Set(['RECURRING', 'FIXED', 'USAGE', 'EXTERNAL_CHARGE']);
const BEGIN = '2024-01-01T08:00:00Z';

interface Held {
  readonly id: Uuid;
  readonly startDay: string;
  planName: string;
}

/** A history with a tax plugin, played on one database. */
export class TaxedLife {
  readonly engine: TestEngine;
  /** The account, and the parent that pays its invoices. */
  readonly accountIds: readonly Uuid[];
  readonly #script: TaxedScript;
  readonly #subscriptions: Held[] = [];
  /** Each object has one tag at most. */
  readonly #tagged = new Set<Uuid>();
  #uses = 0;
  #day = new Date(BEGIN);

  private constructor(engine: TestEngine, script: TaxedScript, accountIds: readonly Uuid[]) {
    this.engine = engine;
    this.#script = script;
    this.accountIds = accountIds;
  }

  static async begin(open: OpenDatabase, script: TaxedScript): Promise<TaxedLife> {
    const { buyer, currency, payer } = script;
    const engine = await openEngine(open, {
      now: BEGIN,
      catalog: null,
      invoicePlugins: [taxPlugin(async () => buyer)],
      configuration: { 'org.service.invoice.creditNotes': 'true' },
    });
    await engine.acme.uploadCatalog(taxedCatalog);
    await engine.acme.keyValues.add('USAGE_TERMS', JSON.stringify(taxedTerms));
    const input = { currency, billCycleDayLocal: 1 } as const;
    const accounts: Pick<Account, 'id'>[] = [];
    if (payer === 'parent') {
      const parent = await engine.payingAccount(input);
      const child = { ...input, parentAccountId: parent.id, isPaymentDelegatedToParent: true };
      accounts.push(await engine.acme.createAccount(child), parent);
    } else {
      accounts.push(
        await (payer === 'itself' ? engine.payingAccount(input) : engine.acme.createAccount(input)),
      );
    }
    return new TaxedLife(
      engine,
      script,
      accounts.map(({ id }) => id),
    );
  }

  async play(): Promise<void> {
    await this.#start(this.#accountId, { planName: this.#script.firstPlan, quantity: 1 });
    for (const [days, each] of this.#script.steps) {
      this.#day = daysAfter(this.#day, days);
      await this.engine.runTo(this.#day.toISOString());
      await this.#take(each);
      await this.engine.settle();
    }
    // Bills the remaining usage, and commits the summaries of a parent.
    await this.engine.runTo(daysAfter(this.#day, 32).toISOString());
  }

  async #take(each: TaxedStep): Promise<void> {
    const { acme } = this.engine;
    switch (each.kind) {
      case 'start':
        return this.#start(this.#accountOf(each), each);
      case 'charge':
      case 'credit': {
        const items = [{ amount: this.#amountOf(each.units) }];
        const request = { accountId: this.#accountOf(each), items, autoCommit: true };
        if (each.kind === 'credit') await acme.invoices.addCredits(request);
        else await acme.invoices.addCharges(request);
        return;
      }
      case 'use':
        return this.#use(each);
      case 'adjust':
        return this.#adjust(each);
      case 'refund':
        return this.#refund(each);
      case 'change':
      case 'quantity':
      case 'cancel':
        return this.#edit(each);
      case 'drafts':
        return this.#toggle({ type: 'ACCOUNT', id: this.#accountId }, SystemTag.AUTO_INVOICING_DRAFT);
      default:
        return this.#changeInvoice(each);
    }
  }

  get #accountId(): Uuid {
    const [accountId] = this.accountIds;
    if (accountId === undefined) throw new Error('the life has no account');
    return accountId;
  }

  /** Returns the account of a step: in a family, mostly the child. */
  #accountOf(each: { readonly pick: number }): Uuid {
    const parentId = this.accountIds[1];
    return parentId !== undefined && each.pick % 4 === 0 ? parentId : this.#accountId;
  }

  /** Returns an amount in the smallest unit of the currency. */
  #amountOf(units: number): Decimal {
    return decimal(units).dividedBy(10 ** minorUnits(this.#script.currency));
  }

  async #start(accountId: Uuid, { planName, quantity }: Pick<TaxedStepOf<'start'>, 'planName' | 'quantity'>) {
    const request = { accountId, planName, quantity };
    const { subscriptionId: id } = await this.engine.acme.createSubscription(request);
    this.#subscriptions.push({ id, startDay: dayOf(this.#day), planName });
  }

  async #edit(each: TaxedStepOf<'change' | 'quantity' | 'cancel'>): Promise<void> {
    const { subscriptions } = this.engine.acme;
    const held = pickFrom(this.#subscriptions, each.pick);
    if (held === undefined) return;
    if (each.kind === 'cancel') {
      this.#subscriptions.splice(this.#subscriptions.indexOf(held), 1);
      await subscriptions.cancel(held.id, { billingPolicy: 'IMMEDIATE' });
    } else if (each.kind === 'change') {
      await subscriptions.changePlan(held.id, { planName: each.planName, billingPolicy: 'IMMEDIATE' });
      held.planName = each.planName;
    } else await subscriptions.changeQuantity(held.id, { quantity: each.quantity });
  }

  /** Records calls, possibly on days that are already billed or had another plan. */
  async #use({ calls, daysAgo, pick }: TaxedStepOf<'use'>): Promise<void> {
    const metered = this.#subscriptions.filter(({ planName }) => planName === 'meter');
    const held = pickFrom(metered, pick);
    if (held === undefined) return;
    const day = dayOf(daysAfter(this.#day, -daysAgo));
    const recordDate = day < held.startDay ? held.startDay : day;
    this.#uses += 1;
    await this.engine.acme.recordUsage({
      subscriptionId: held.id,
      trackingId: `use ${this.#uses}`,
      unitUsageRecords: [{ unitType: 'calls', usageRecords: [{ recordDate, amount: `${calls}` }] }],
    });
  }

  async #toggle(
    object: { readonly type: 'ACCOUNT' | 'INVOICE'; readonly id: Uuid },
    tag: Uuid,
  ): Promise<void> {
    const { tags } = this.engine.acme;
    if (this.#tagged.delete(object.id)) await tags.remove(object, [tag]);
    else {
      this.#tagged.add(object.id);
      await tags.add(object, [tag]);
    }
  }

  async #invoices() {
    const { invoices } = this.engine.acme;
    const lists = await Promise.all(
      this.accountIds.map((accountId) => invoices.ofAccount({ accountId, withItems: true })),
    );
    return lists.flat();
  }

  async #changeInvoice({ kind, pick }: TaxedStepOf<'void' | 'write-off' | 'commit'>): Promise<void> {
    const { invoices } = this.engine.acme;
    const all = await this.#invoices();
    const invoice = pickFrom(
      all.filter(({ status }) => (status === 'DRAFT') === (kind === 'commit')),
      pick,
    );
    if (invoice === undefined) return;
    if (kind === 'commit') await invoices.commit(invoice.id);
    else if (kind === 'write-off')
      await this.#toggle({ type: 'INVOICE', id: invoice.id }, SystemTag.WRITTEN_OFF);
    // Paid, repaired and used invoices cannot be voided.
    else await unlessRejected(invoices.void(invoice.id), [4028, 4032, 4033]);
  }

  async #charges() {
    return (await this.#invoices()).flatMap(({ items }) =>
      items
        .filter(({ itemType, repairable }) => CHARGES.has(itemType) && repairable.greaterThan(0))
        .map((charge) => ({ charge, items })),
    );
  }

  async #adjust({ pick, percent }: TaxedStepOf<'adjust'>): Promise<void> {
    const found = pickFrom(await this.#charges(), pick);
    if (found === undefined) return;
    const { id: invoiceItemId, accountId, invoiceId, repairable } = found.charge;
    const amount = this.#shareOf(repairable, percent);
    await this.engine.acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId, amount });
  }

  /** Refunds part of a paid charge with its tax; the sandbox gateway accepts it. */
  async #refund({ pick, percent }: TaxedStepOf<'refund'>): Promise<void> {
    const { acme } = this.engine;
    const found = pickFrom(await this.#charges(), pick);
    if (found === undefined) return;
    const { id: invoiceItemId, invoiceId, repairable } = found.charge;
    const [paid] = await acme.payments.invoicePaymentsOfInvoice(invoiceId);
    const paymentId = paid?.id;
    if (paymentId === undefined) return;
    const amount = this.#shareOf(repairable, percent).toFixed();
    const adjustments = [{ invoiceItemId, amount }];
    // The payment can have less left than the charge.
    await unlessRejected(acme.invoicePayments.refund({ paymentId, isAdjusted: true, adjustments }), [4906]);
  }

  #shareOf(amount: Decimal, percent: number): Decimal {
    const share = amount.times(percent).dividedBy(100).toDecimalPlaces(minorUnits(this.#script.currency));
    return share.isZero() ? amount : share;
  }
}

/** Awaits an operation that may be rejected with one of these codes. */
async function unlessRejected(work: Promise<unknown>, codes: readonly number[]): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof BillingError) || !codes.includes(error.code)) throw error;
  }
}

function pickFrom<T>(list: readonly T[], chosen: number): T | undefined {
  return list[chosen % Math.max(list.length, 1)];
}

function daysAfter(day: Date, days: number): Date {
  return new Date(day.getTime() + days * 86_400_000);
}

function dayOf(day: Date): string {
  return day.toISOString().slice(0, 10);
}
