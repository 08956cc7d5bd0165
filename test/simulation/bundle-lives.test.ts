import fc from 'fast-check';
import type { Decimal, RequestedDate, Uuid } from '../../lib/index.ts';
import {
  addDays,
  BillingError,
  decimal,
  formatDecimal,
  formatInstant,
  formatLocalDate,
  instant,
  localDateOf,
  timeZone,
} from '../../lib/index.ts';
import { expectExplained } from '../support/explained-amount.ts';
import { anyDatabase, expect, openEngine, storedRuns, type TestEngine } from '../support/index.ts';
import type { RequestDay, Script, Step } from '../support/lives/bundle-steps.ts';
import { chargedDays, pausesInRows, scripts, statesAllowedBy } from '../support/lives/bundle-steps.ts';

const zone = timeZone('UTC');
const msPerDay = 86_400_000;
const start = '2024-01-15T08:00:00Z';

class StoredBundle {
  readonly engine: TestEngine;
  /** Whether time passes day by day or in one step. */
  readonly walks: boolean;
  readonly #accounts: Uuid[] = [];
  readonly #bundles: Uuid[] = [];

  constructor(engine: TestEngine, walks: boolean) {
    this.engine = engine;
    this.walks = walks;
  }

  async begin({ base, billCycleDay }: Script): Promise<void> {
    const { acme } = this.engine;
    for (const billCycleDayLocal of [billCycleDay, 9])
      this.#accounts.push((await acme.createAccount({ currency: 'USD', billCycleDayLocal })).id);
    const accountId = this.#accountAt(0);
    const made = await acme.createSubscription({ accountId, planName: base, bundleExternalKey: 'key' });
    this.#bundles.push(made.bundleId);
    await this.#check();
  }

  /** Rejections are ignored: other tests cover the rules. */
  async take(step: Step): Promise<string> {
    let outcome = 'done';
    try {
      await this.#play(step);
    } catch (error) {
      if (!(error instanceof BillingError)) throw error;
      outcome = String(error.code);
    }
    await this.#check();
    return outcome;
  }

  async explained(): Promise<void> {
    const { acme } = this.engine;
    for (const accountId of this.#accounts) {
      const invoices = await acme.invoices.ofAccount({ accountId, withItems: true });
      for (const { id } of invoices.flatMap(({ items }) => items))
        expectExplained(await acme.invoices.explain(id));
    }
  }

  async seen(): Promise<readonly string[]> {
    return (await Promise.all(this.#accounts.map((id) => this.#seenOf(id)))).flat();
  }

  async #seenOf(accountId: Uuid): Promise<readonly string[]> {
    const { acme } = this.engine;
    const bundles = await acme.subscriptions.bundlesOfAccount(accountId);
    const invoices = await acme.invoices.ofAccount({ accountId, withItems: true });
    const billed = new Map<Uuid, Decimal>();
    const items = invoices.flatMap((invoice) => invoice.items);
    const subscriptionOf = new Map(items.map(({ id, subscriptionId }) => [id, subscriptionId]));
    for (const { subscriptionId, linkedItemId, amount } of items) {
      const of = subscriptionId ?? (linkedItemId && subscriptionOf.get(linkedItemId));
      if (of) billed.set(of, (billed.get(of) ?? decimal('0')).plus(amount));
    }
    return bundles.flatMap(({ subscriptions }) =>
      subscriptions.flatMap((one) => [
        [
          one.planName,
          one.phaseType,
          one.state,
          one.cancelled?.at.toISOString(),
          one.billingEnd?.at.toISOString(),
          one.chargedThrough?.at.toISOString(),
          one.billCycleDayLocal,
          one.quantity,
          formatDecimal(billed.get(one.subscriptionId) ?? decimal('0')),
        ].join(' '),
        ...one.events.map(
          ({ eventType, effective, plan, phase }) =>
            `  ${eventType} ${effective.at.toISOString()} ${plan} ${phase}`,
        ),
      ]),
    );
  }

  /** Ends derived from a base until they are stored. */
  async #ends(): Promise<readonly string[]> {
    return (await this.seen()).filter((line) => line.startsWith('  STOP_'));
  }

  async #pass(days: number): Promise<void> {
    const { clock } = this.engine;
    const leap = this.walks ? 1 : days;
    for (let passed = 0; passed < days; passed += leap) {
      clock.set(formatInstant(instant(clock.now() + leap * msPerDay)));
      if (this.walks) await this.engine.settle();
    }
  }

  async #check(): Promise<void> {
    const { acme } = this.engine;
    const derived = await this.#ends();
    await this.engine.settle();
    expect(await this.#ends(), 'what is derived is what is stored').to.eql(derived);
    for (const account of this.#accounts) {
      expect(await acme.tags.ofAccount(account), 'the account is not parked').to.eql([]);
      expect(await acme.invoices.verifyCoverage(account)).to.eql([]);
      await this.#checkReported(account);
    }
  }

  /** Rows imply the subscription's state, and pauses of several days are not charged. */
  async #checkReported(accountId: Uuid): Promise<void> {
    const { acme, clock } = this.engine;
    const bundles = await acme.subscriptions.bundlesOfAccount(accountId);
    const charged = chargedDays(await acme.invoices.ofAccount({ accountId, withItems: true }));
    for (const one of bundles.flatMap(({ subscriptions }) => subscriptions)) {
      expect(statesAllowedBy(one, clock.now()), one.planName ?? '').to.include(one.state);
      for (const [from, until] of pausesInRows(one, clock.now())) {
        const days = charged.get(one.subscriptionId) ?? [];
        const wrong = days.filter((day) => day >= from && day < until).map(formatLocalDate);
        expect(wrong, `${one.planName} is charged while it is paused`).to.eql([]);
      }
    }
  }

  async #play(step: Step): Promise<unknown> {
    const { acme } = this.engine;
    switch (step.do) {
      case 'PASS':
        return this.#pass(step.days);
      case 'ADD': {
        const bundleId = this.#bundles.at(-1) ?? null;
        const accountId = this.#accountAt(this.#bundles.length - 1);
        const dates = {
          entitlementDate: this.#requestedDateOf(step.when),
          billingDate: this.#requestedDateOf(step.when),
        };
        return acme.createSubscription({ accountId, planName: step.plan, bundleId }, dates);
      }
      case 'CHANGE': {
        const one = await this.#subscription(step.subject);
        const planName = one.productCategory === 'BASE' ? step.base : step.addOn;
        return acme.subscriptions.changePlan(one.subscriptionId, {
          planName,
          requestedDate: step.policy === null ? this.#requestedDateOf(step.when) : null,
          billingPolicy: step.policy,
        });
      }
      case 'CANCEL': {
        const { subscriptionId } = await this.#subscription(step.subject);
        return acme.subscriptions.cancel(subscriptionId, {
          requestedDate: this.#requestedDateOf(step.when),
          entitlementPolicy: step.service,
          billingPolicy: step.policy,
          useRequestedDateForBilling: step.isForBilling,
        });
      }
      case 'UNCANCEL':
        return acme.subscriptions.uncancel((await this.#subscription(step.subject)).subscriptionId);
      case 'UNDO':
        return acme.subscriptions.undoChangePlan((await this.#subscription(step.subject)).subscriptionId);
      case 'BILL_CYCLE_DAY':
        return acme.subscriptions.changeBillCycleDay(
          (await this.#subscription(step.subject)).subscriptionId,
          {
            billCycleDayLocal: step.day,
            effectiveFromDate: this.#requestedDateOf(step.when),
            allowPastDate: true,
          },
        );
      case 'QUANTITY':
        return acme.subscriptions.changeQuantity((await this.#subscription(step.subject)).subscriptionId, {
          quantity: step.quantity,
          effectiveFromDate: this.#requestedDateOf(step.when),
          allowPastDate: true,
        });
      case 'PAUSE':
        return acme.blocking.pauseBundle(this.#bundleAt(step.bundle), {
          requestedDate: this.#requestedDateOf(step.when),
        });
      case 'RESUME':
        return acme.blocking.resumeBundle(this.#bundleAt(step.bundle), {
          requestedDate: this.#requestedDateOf(step.when),
        });
      case 'BLOCK': {
        const { subscriptionId, bundleId, accountId } = await this.#subscription(step.subject);
        const id = { ACCOUNT: accountId, SUBSCRIPTION_BUNDLE: bundleId, SUBSCRIPTION: subscriptionId }[
          step.on
        ];
        const { service, name, isBlockBilling, isBlockEntitlement } = step;
        return acme.blocking.add(
          { type: step.on, id },
          {
            service,
            stateName: name,
            isBlockBilling,
            isBlockEntitlement,
            requestedDate: this.#requestedDateOf(step.when),
          },
        );
      }
      case 'TRANSFER': {
        if (this.#bundles.length > 1) return undefined;
        const bundleId = await acme.bundles.transfer(this.#bundleAt(0), {
          accountId: this.#accountAt(1),
          requestedDate: this.#requestedDateOf(step.when === null ? null : { days: step.when, second: null }),
          billingPolicy: step.policy,
          bcdTransfer: step.bcd,
        });
        this.#bundles.push(bundleId);
        return bundleId;
      }
    }
  }

  async #subscription(index: number) {
    const bundles = await Promise.all(
      this.#accounts.map((id) => this.engine.acme.subscriptions.bundlesOfAccount(id)),
    );
    const all = bundles.flat().flatMap(({ subscriptions }) => subscriptions);
    const one = all[index % all.length];
    if (one === undefined) throw new Error('there is no subscription');
    return one;
  }

  #accountAt(index: number): Uuid {
    return given(this.#accounts[index]);
  }

  #bundleAt(index: number): Uuid {
    return given(this.#bundles[index % this.#bundles.length]);
  }

  #requestedDateOf(day: RequestDay | null): RequestedDate | null {
    if (day === null) return null;
    const date = addDays(localDateOf(this.engine.clock.now(), zone), day.days);
    return day.second === null ? { date } : { at: instant(date * msPerDay + day.second * 1_000) };
  }
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is none');
  return value;
}

anyDatabase.describe('stored random bundle histories', (open) => {
  async function play(script: Script, walks: boolean): Promise<readonly string[]> {
    const engine = await openEngine(open, {
      now: start,
      configuration: { 'org.service.invoice.maxDailyNumberOfItemsSafetyBound': -1 },
    });
    try {
      const bundle = new StoredBundle(engine, walks);
      await bundle.begin(script);
      const outcomes: string[] = [];
      for (const step of script.steps) outcomes.push(await bundle.take(step));
      outcomes.push(await bundle.take({ do: 'PASS', days: 62 }));
      await bundle.explained();
      return [outcomes.join(), ...(await bundle.seen())];
    } finally {
      await engine.close();
    }
  }

  it('match their derived state, are billed the same from windows, and do not depend on the size of clock steps', async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        const jumped = await play(script, false);
        expect(await play(script, true)).to.eql(jumped);
      }),
      { numRuns: Math.ceil(storedRuns / 4), interruptAfterTimeLimit: 3_600_000 },
    );
  }).timeout(0);
});
