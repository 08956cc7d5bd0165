import { expect } from 'chai';
import fc from 'fast-check';
import type { LocalDate, RequestedDate, Uuid } from '../../lib/index.ts';
import {
  addDays,
  BillingError,
  decimal,
  formatInstant,
  instant,
  localDateOf,
  timeZone,
} from '../../lib/index.ts';
import { expectExplained } from '../support/explained-amount.ts';
import { eachDatabase, isLongRun, openEngine, storedRuns, type TestEngine } from '../support/index.ts';
import { addOnName, documentsOf, planName } from '../support/lives/subscription-shelf.ts';
import {
  type AccountStep,
  type AddOnCall,
  type BlockStep,
  type LifeScript,
  type LifeStep,
  lifeScripts,
  type RequestDay,
  type SubscriptionCall,
  type TransferCall,
} from '../support/lives/subscription-steps.ts';
import type { Account } from '../support/plain-views.ts';

const msPerDay = 86_400_000;
const start = Date.parse('2024-01-01T00:00:00Z');

class StoredLife {
  readonly script: LifeScript;
  readonly engine: TestEngine;
  readonly #accounts: Account[] = [];
  /** In creation order. */
  readonly #subscriptionIds: Uuid[] = [];

  constructor(script: LifeScript, engine: TestEngine) {
    this.script = script;
    this.engine = engine;
  }

  async begin(): Promise<void> {
    const { script } = this;
    const { acme } = this.engine;
    for (const [zone, day] of [
      [script.zone, script.accountDay],
      [script.otherZone, script.otherDay],
    ] as const) {
      const parts = { currency: 'USD', timeZone: timeZone(zone), billCycleDayLocal: day };
      this.#accounts.push(await acme.createAccount(parts));
    }
    const account = given(this.#accounts[0]);
    const made = await acme.createSubscription(
      {
        accountId: account.id,
        planName: planName(script.plan % script.shelf.plans.length),
        billCycleDayLocal: script.billCycleDay,
        quantity: script.quantity,
      },
      { billingDate: this.#requestedDateOf(script.billing, account) },
    );
    this.#subscriptionIds.push(made.subscriptionId);
    await this.#check();
  }

  /** Rejections are ignored: other tests cover the rules. */
  async take(step: LifeStep): Promise<void> {
    try {
      await this.#play(step);
    } catch (error) {
      if (!(error instanceof BillingError)) throw error;
    }
    await this.#check();
  }

  async explained(): Promise<void> {
    const { acme } = this.engine;
    for (const { id: accountId } of this.#accounts) {
      const invoices = await acme.invoices.ofAccount({ accountId, withItems: true });
      for (const { id } of invoices.flatMap(({ items }) => items))
        expectExplained(await acme.invoices.explain(id));
    }
  }

  async #check(): Promise<void> {
    await this.engine.settle();
    for (const { id } of this.#accounts) {
      expect(await this.engine.acme.tags.ofAccount(id), 'the account is not parked').to.eql([]);
      expect(await this.engine.acme.invoices.verifyCoverage(id)).to.eql([]);
    }
  }

  async #play(step: LifeStep): Promise<unknown> {
    const { clock } = this.engine;
    switch (step.do) {
      case 'PASS':
        clock.set(formatInstant(instant(clock.now() + step.days * msPerDay + step.seconds * 1_000)));
        return;
      case 'AUTOMATIC':
        return;
      case 'ADD_ON':
        return this.#addOn(step);
      case 'TRANSFER':
        return this.#transfer(step);
      case 'BLOCK':
        return this.#block(step);
      case 'RUN':
      case 'ADJUST':
      case 'VOID':
      case 'ACCOUNT_DAY':
        return this.#onAccount(step);
      default:
        return this.#onSubscription(step);
    }
  }

  async #onAccount(step: AccountStep) {
    const { acme } = this.engine;
    const account = await this.#accountOf(this.#subject(step.subject));
    const { id: accountId } = account;
    switch (step.do) {
      case 'RUN':
        return acme.generateInvoice({
          accountId,
          targetDate: addDays(this.#todayOf(account), step.daysAhead),
        });
      case 'ADJUST':
        return this.#adjust(accountId, step);
      case 'VOID':
        return this.#void(accountId, step.index);
      case 'ACCOUNT_DAY':
        return acme.updateAccount(accountId, {
          changes: { billCycleDayLocal: step.day === 0 ? null : step.day },
          treatNullAsReset: true,
        });
    }
  }

  async #onSubscription(step: SubscriptionCall): Promise<unknown> {
    const { subscriptions } = this.engine.acme;
    const { plans, addOns } = this.script.shelf;
    const id = this.#subject(step.subject);
    const account = await this.#accountOf(id);
    switch (step.do) {
      case 'CHANGE': {
        const { productCategory } = await this.engine.acme.getSubscription(id);
        const isAddOn = productCategory === 'ADD_ON';
        return subscriptions.changePlan(id, {
          planName: isAddOn ? addOnName(step.plan % addOns.length) : planName(step.plan % plans.length),
          phaseType: step.phaseType,
          billCycleDayLocal: step.billCycleDay,
          quantity: step.quantity,
          requestedDate: this.#requestedDateOf(step.when, account),
          billingPolicy: step.policy,
        });
      }
      case 'CANCEL':
        return subscriptions.cancel(id, {
          requestedDate: this.#requestedDateOf(step.when, account),
          entitlementPolicy: step.service,
          billingPolicy: step.policy,
          useRequestedDateForBilling: step.isForBilling,
        });
      case 'UNCANCEL':
        return subscriptions.uncancel(id);
      case 'UNDO':
        return subscriptions.undoChangePlan(id);
      case 'BILL_CYCLE_DAY':
        return subscriptions.changeBillCycleDay(id, {
          billCycleDayLocal: step.day,
          effectiveFromDate: this.#requestedDateOf(step.from, account),
          allowPastDate: step.isForced,
        });
      case 'QUANTITY':
        return subscriptions.changeQuantity(id, {
          quantity: step.quantity,
          effectiveFromDate: this.#requestedDateOf(step.from, account),
          allowPastDate: step.isForced,
        });
    }
  }

  async #addOn(step: AddOnCall): Promise<void> {
    const { acme } = this.engine;
    const { bundleId, accountId } = await acme.getSubscription(this.#lastId);
    const account = given(this.#accounts.find(({ id }) => id === accountId));
    const { subscriptionId } = await acme.createSubscription(
      {
        accountId,
        bundleId,
        planName: addOnName(step.plan % this.script.shelf.addOns.length),
        billCycleDayLocal: step.billCycleDay,
        quantity: step.quantity,
      },
      {
        entitlementDate: this.#requestedDateOf(step.service, account),
        billingDate: this.#requestedDateOf(step.billing, account),
      },
    );
    this.#subscriptionIds.push(subscriptionId);
  }

  async #transfer({ when, policy, bcd }: TransferCall): Promise<void> {
    const { acme } = this.engine;
    const { bundleId, accountId } = await acme.getSubscription(this.#lastId);
    const source = given(this.#accounts.find(({ id }) => id === accountId));
    const target = given(this.#accounts.find(({ id }) => id !== accountId));
    const begun = await acme.bundles.transfer(bundleId, {
      accountId: target.id,
      requestedDate: this.#requestedDateOf(when, source),
      billingPolicy: policy,
      bcdTransfer: bcd,
    });
    const bundles = await acme.subscriptions.bundlesOfAccount(target.id);
    const made = given(bundles.find((each) => each.bundleId === begun)).subscriptions;
    this.#subscriptionIds.push(...made.map(({ subscriptionId }) => subscriptionId));
  }

  async #block(step: BlockStep): Promise<void> {
    const { acme } = this.engine;
    const { subscriptionId, bundleId, accountId } = await acme.getSubscription(this.#subject(step.subject));
    const ids = { ACCOUNT: accountId, SUBSCRIPTION_BUNDLE: bundleId, SUBSCRIPTION: subscriptionId };
    const account = await this.#accountOf(subscriptionId);
    await acme.blocking.add(
      { type: step.on, id: ids[step.on] },
      {
        service: step.service,
        stateName: step.name,
        isBlockBilling: step.isBlocked,
        requestedDate: this.#requestedDateOf(step.from, account),
      },
    );
  }

  async #adjust(accountId: Uuid, { index, percent }: { readonly index: number; readonly percent: number }) {
    const invoices = await this.engine.acme.invoices.ofAccount({ accountId, withItems: true });
    const charges = invoices.flatMap(({ items }) => items).filter(({ itemType }) => itemType === 'RECURRING');
    const charge = charges[index % Math.max(1, charges.length)];
    if (charge === undefined) return;
    const amount = decimal(charge.amount.times(percent).dividedBy(100).toFixed(2));
    const { id: invoiceItemId, invoiceId } = charge;
    await this.engine.acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId, amount });
  }

  async #void(accountId: Uuid, index: number): Promise<void> {
    const invoices = await this.engine.acme.invoices.ofAccount({ accountId });
    const invoice = invoices[index % Math.max(1, invoices.length)];
    if (invoice !== undefined) await this.engine.acme.invoices.void(invoice.id);
  }

  #subject(index: number): Uuid {
    return given(this.#subscriptionIds[index % this.#subscriptionIds.length]);
  }

  get #lastId(): Uuid {
    return given(this.#subscriptionIds.at(-1));
  }

  async #accountOf(subscriptionId: Uuid): Promise<Account> {
    const { accountId } = await this.engine.acme.getSubscription(subscriptionId);
    return given(this.#accounts.find(({ id }) => id === accountId));
  }

  #todayOf(account: Account): LocalDate {
    return localDateOf(this.engine.clock.now(), account.timeZone);
  }

  #requestedDateOf(day: RequestDay, account: Account): RequestedDate | null {
    if (day === null) return null;
    const date = addDays(this.#todayOf(account), day.days);
    return day.second === null ? { date } : { at: instant(date * msPerDay + day.second * 1_000) };
  }
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is none');
  return value;
}

eachDatabase.describe('stored random subscription histories', (open, kind) => {
  it('are billed the same from windows as from the full history', async () => {
    await fc.assert(
      fc.asyncProperty(lifeScripts, async (script) => {
        const [first, ...later] = documentsOf(script.shelf);
        const engine = await openEngine(open, {
          now: new Date(start + script.referenceSecond * 1_000).toISOString(),
          catalog: first ?? null,
          configuration: {
            'org.service.features.account.allowBCDUpdate': true,
            'org.service.invoice.inArrear.mode': script.isGreedy ? 'GREEDY' : 'DEFAULT',
            'org.service.invoice.proration.fixed.days': script.fixedDays,
            'org.service.invoice.maxDailyNumberOfItemsSafetyBound': -1,
            'org.service.subscription.align.effectiveDateForExistingSubscriptions': script.alignsPriceChanges,
          },
        });
        try {
          for (const document of later) await engine.acme.uploadCatalog(document);
          const life = new StoredLife(script, engine);
          await life.begin();
          for (const step of script.steps) await life.take(step);
          await life.take({ do: 'PASS', days: 62, seconds: 0 });
          await life.explained();
        } finally {
          await engine.close();
        }
      }),
      {
        numRuns: isLongRun || kind === 'sqlite' ? storedRuns : storedRuns / 2,
        interruptAfterTimeLimit: 3_600_000,
      },
    );
  }).timeout(0);
});
