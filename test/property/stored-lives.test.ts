import { expect } from 'chai';
import fc from 'fast-check';
import {
  addDays,
  BillingError,
  decimal,
  formatInstant,
  formatLocalDate,
  type Instant,
  instant,
  type LocalDate,
  localDateOf,
  type RequestedDate,
  timeZone,
  type Uuid,
} from '../../lib/index.ts';
import { eachDatabase } from '../support/databases.ts';
import { openEngine, type TestEngine } from '../support/engine.ts';
import { expectExplained } from '../support/explained-amount.ts';
import { storedRuns } from './runs.ts';
import { documentsOf, planName } from './subscription-shelf.ts';
import { type AskedDay, type LifeScript, type LifeStep, lifeScripts } from './subscription-steps.ts';

const msPerDay = 86_400_000;
const start = Date.parse('2024-01-01T00:00:00Z');

/** A script played by the engine on a database: what is stored is checked after everything that happens. */
class StoredLife {
  readonly script: LifeScript;
  readonly engine: TestEngine;
  #accountId: Uuid | undefined;
  #subscriptionId: Uuid | undefined;

  constructor(script: LifeScript, engine: TestEngine) {
    this.script = script;
    this.engine = engine;
  }

  async begin(): Promise<void> {
    const { script } = this;
    const { acme } = this.engine;
    const account = await acme.createAccount({
      currency: 'USD',
      timeZone: timeZone(script.zone),
      billCycleDayLocal: script.accountDay,
    });
    this.#accountId = account.id;
    const made = await acme.createSubscription(
      {
        accountId: account.id,
        planName: this.#planAt(script.plan),
        billCycleDayLocal: script.billCycleDay,
        quantity: script.quantity,
      },
      { billingDate: this.#asked(script.billing) },
    );
    this.#subscriptionId = made.subscriptionId;
    await this.#check();
  }

  /** What is refused is none of this test's business: the rules have tests of their own. */
  async take(step: LifeStep): Promise<void> {
    try {
      await this.#play(step);
    } catch (error) {
      if (!(error instanceof BillingError)) throw error;
    }
    await this.#check();
  }

  /** What every item has in its explanation makes its amount. */
  async explained(): Promise<void> {
    const { acme } = this.engine;
    const accountId = this.#given(this.#accountId);
    const invoices = await acme.invoices.ofAccount({ accountId, withItems: true });
    for (const { id } of invoices.flatMap(({ items }) => items)) {
      expectExplained(await acme.invoices.explain(id));
    }
  }

  async #check(): Promise<void> {
    await this.engine.settle();
    const account = this.#given(this.#accountId);
    const tags = await this.engine.acme.tags.ofAccount(account);
    expect(tags, 'the account is not parked').to.deep.equal([]);
    expect(await this.engine.acme.invoices.verifyCoverage(account)).to.deep.equal([]);
  }

  async #play(step: LifeStep): Promise<unknown> {
    const { acme, clock } = this.engine;
    const id = this.#given(this.#subscriptionId);
    switch (step.do) {
      case 'PASS':
        clock.set(formatInstant(instant(this.#now + step.days * msPerDay + step.seconds * 1_000)));
        return;
      case 'RUN': {
        const targetDate = addDays(this.#today, step.daysAhead);
        return acme.generateInvoice({ accountId: this.#given(this.#accountId), targetDate });
      }
      case 'ADJUST':
        return this.#adjust(step.index, step.percent);
      case 'VOID':
        return this.#void(step.index);
      case 'AUTOMATIC':
        return;
      case 'ACCOUNT_DAY':
        return acme.updateAccount(this.#given(this.#accountId), {
          changes: { billCycleDayLocal: step.day === 0 ? null : step.day },
          treatNullAsReset: true,
        });
      case 'CHANGE':
        return acme.subscriptions.changePlan(id, {
          planName: this.#planAt(step.plan),
          phaseType: step.phaseType,
          billCycleDayLocal: step.billCycleDay,
          quantity: step.quantity,
          requestedDate: this.#asked(step.when),
          billingPolicy: step.policy,
        });
      case 'CANCEL':
        return acme.subscriptions.cancel(id, {
          requestedDate: this.#asked(step.when),
          entitlementPolicy: step.service,
          billingPolicy: step.policy,
          useRequestedDateForBilling: step.isForBilling,
        });
      case 'UNCANCEL':
        return acme.subscriptions.uncancel(id);
      case 'UNDO':
        return acme.subscriptions.undoChangePlan(id);
      case 'BILL_CYCLE_DAY':
        return acme.subscriptions.changeBillCycleDay(id, {
          billCycleDayLocal: step.day,
          effectiveFromDate: this.#asked(step.from),
          allowPastDate: step.isForced,
        });
      case 'QUANTITY':
        return acme.subscriptions.changeQuantity(id, {
          quantity: step.quantity,
          effectiveFromDate: this.#asked(step.from),
          allowPastDate: step.isForced,
        });
      case 'BLOCK':
        return this.#block(step);
      default:
        throw new Error(`${formatLocalDate(this.#today)}: no such step`);
    }
  }

  async #block(step: Extract<LifeStep, { do: 'BLOCK' }>): Promise<void> {
    const { acme } = this.engine;
    const accountId = this.#given(this.#accountId);
    const subscriptionId = this.#given(this.#subscriptionId);
    const { bundleId } = await acme.getSubscription(subscriptionId);
    const ids = { ACCOUNT: accountId, SUBSCRIPTION_BUNDLE: bundleId, SUBSCRIPTION: subscriptionId };
    await acme.blocking.add(
      { type: step.on, id: ids[step.on] },
      {
        service: step.service,
        stateName: step.name,
        isBlockBilling: step.isBlocked,
        requestedDate: this.#asked(step.from),
      },
    );
  }

  async #adjust(index: number, percent: number): Promise<void> {
    const accountId = this.#given(this.#accountId);
    const invoices = await this.engine.acme.invoices.ofAccount({ accountId, withItems: true });
    const charges = invoices.flatMap(({ items }) => items).filter(({ itemType }) => itemType === 'RECURRING');
    const charge = charges[index % Math.max(1, charges.length)];
    if (charge === undefined) return;
    const amount = decimal(charge.amount.times(percent).dividedBy(100).toFixed(2));
    const { id: invoiceItemId, invoiceId } = charge;
    await this.engine.acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId, amount });
  }

  async #void(index: number): Promise<void> {
    const accountId = this.#given(this.#accountId);
    const invoices = await this.engine.acme.invoices.ofAccount({ accountId });
    const invoice = invoices[index % Math.max(1, invoices.length)];
    if (invoice !== undefined) await this.engine.acme.invoices.void(invoice.id);
  }

  get #now(): Instant {
    return this.engine.clock.now();
  }

  get #today(): LocalDate {
    return localDateOf(this.#now, timeZone(this.script.zone));
  }

  #planAt(index: number): string {
    return planName(index % this.script.shelf.plans.length);
  }

  #asked(day: AskedDay): RequestedDate | null {
    if (day === null) return null;
    const date = addDays(this.#today, day.days);
    return day.second === null ? { date } : { at: instant(date * msPerDay + day.second * 1_000) };
  }

  #given<T>(value: T | undefined): T {
    if (value === undefined) throw new Error('the life has not begun');
    return value;
  }
}

eachDatabase((_kind, open) => {
  describe('the stored life of a subscription', () => {
    it('is billed by windows as it is by the whole history', async () => {
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
              'org.service.subscription.align.effectiveDateForExistingSubscriptions':
                script.alignsPriceChanges,
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
        { numRuns: storedRuns, interruptAfterTimeLimit: 3_600_000 },
      );
    }).timeout(0);
  });
});
