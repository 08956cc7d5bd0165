import { expect } from 'chai';
import fc from 'fast-check';
import type { Uuid } from '../../lib/index.ts';
import { BillingError } from '../../lib/index.ts';
import { dayAt, minuteAt } from '../support/coupon-lives/billing-events.ts';
import { addMonths, dayOf, textOf } from '../support/coupon-lives/calendar.ts';
import { CouponModel } from '../support/coupon-lives/coupon-model.ts';
import type { ModelCoupon, ModelRedemption } from '../support/coupon-lives/discounts.ts';
import { modelCatalogXml } from '../support/coupon-lives/plans.ts';
import {
  changesBilled,
  firstFreeDay,
  hasEnded,
  Refusal,
  refusalsOfAll,
  refusalsOfRedemption,
} from '../support/coupon-lives/refusals.ts';
import { type CouponLife, couponLives, type LifeStep } from '../support/coupon-lives/scripts.ts';
import { eachDatabase, isLongRun, openEngine, type TestEngine } from '../support/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';

const START = dayOf('2024-01-05');
/** The clock supports years up to 8999. */
const LAST_START = dayOf('8980-01-01');
const MS_PER_MINUTE = 60_000;
/** Minute of the day of the account's reference time. */
const REFERENCE_MINUTE = 6 * 60;
const FIRST_MINUTE = 7 * 60;
const RUNS = isLongRun ? { sqlite: 2_000, postgresql: 500 } : { sqlite: 12, postgresql: 3 };

type StepOf<T extends LifeStep['do']> = Extract<LifeStep, { do: T }>;

let lifeCount = 0;

/** One account, played by the engine and predicted by the model. */
class PlayedLife {
  readonly engine: TestEngine;
  readonly model: CouponModel;
  readonly accountId: Uuid;
  readonly coupons: readonly ModelCoupon[];
  readonly #number: number;
  readonly #subscriptions: { readonly subscriptionId: Uuid; readonly bundleId: Uuid }[] = [];
  readonly #redemptionIds: Uuid[] = [];
  /** Minutes since 1970-01-01. */
  #now: number;

  constructor(
    engine: TestEngine,
    life: CouponLife,
    { accountId, start }: { accountId: Uuid; start: number },
  ) {
    lifeCount += 1;
    this.#number = lifeCount;
    this.engine = engine;
    this.accountId = accountId;
    this.model = new CouponModel(life.billCycleDay, start);
    this.coupons = life.coupons.map(({ terms, ...each }) => ({
      percentOff: null,
      amountOff: null,
      perQuantity: false,
      ...terms,
      ...each,
      products: each.plans === null ? each.products : null,
    }));
    this.#now = minuteAt(start, FIRST_MINUTE);
  }

  get today(): number {
    return dayAt(this.#now);
  }

  async createCoupons(): Promise<void> {
    for (const [place, { amountOff, currency, ...coupon }] of this.coupons.entries())
      await this.engine.acme.coupons.create({
        ...coupon,
        code: this.#code(place),
        amountOff: amountOff === null ? null : { [currency]: amountOff },
      });
  }

  async wait(days: number): Promise<void> {
    this.#now += days * 24 * 60 + 1;
    await this.engine.billing.settleThrough(this.engine.clock, this.#instant(this.#now));
    await this.engine.settle();
    this.model.runTo(this.today);
    await this.check('later');
  }

  async play(step: LifeStep): Promise<void> {
    if (step.do === 'CREATE') await this.create(step);
    else if (step.do === 'REMOVE') await this.#remove(step);
    else await this.#playOn(step);
    await this.check(step.do);
  }

  async create({ planName, quantity, coupons }: Omit<StepOf<'CREATE'>, 'do'>): Promise<void> {
    const { acme } = this.engine;
    const given = coupons.map((place) => this.#coupon(place));
    const request = {
      accountId: this.accountId,
      planName,
      quantity,
      coupons: coupons.map((place) => this.#code(place)),
    };
    const refusals = refusalsOfAll(given, planName, this.model.redemptions);
    const preview = await outcomeOf(acme.subscriptions.preview({ change: 'CREATE', ...request }));
    const before = await this.#invoices();
    const made = await outcomeOf(acme.createSubscription(request));
    await this.engine.settle();
    expectRefused(made, refusals);
    expect(codeOf(preview), 'refusal of the preview').to.equal(codeOf(made));
    if ('code' in made || 'code' in preview) return;
    this.#subscriptions.push(made.answer);
    const place = this.model.create(planName, quantity, this.#now);
    for (const coupon of given) this.model.redeem(this.#redemption(coupon, place, 'AT_CREATION'));
    this.model.run();
    await this.#keepRedemptions();
    await this.#expectPreviewed(preview.answer.dueNow, before);
  }

  async check(what: string): Promise<void> {
    const found = new Map<string, string[]>();
    for (const invoice of await this.#invoices()) {
      const target = String(invoice.targetDate);
      found.set(target, [...(found.get(target) ?? []), ...this.#linesOf(invoice)]);
    }
    const foreseen = [...this.model.invoices].map(([day, lines]) => [
      textOf(day),
      lines.map(withoutPlace).sort(),
    ]);
    const actual = [...found].map(([day, lines]) => [day, lines.sort()]);
    const [product, model] = [textsOf(actual), textsOf(foreseen)];
    expect(product === model, `invoices after ${what}:\n${product}\nby the model:\n${model}`).to.equal(true);
  }

  async end(): Promise<void> {
    await this.engine.acme.accounts.close(this.accountId, { cancelAllSubscriptions: true });
    await this.engine.settle();
  }

  async #playOn(step: Exclude<LifeStep, { do: 'CREATE' | 'REMOVE' }>): Promise<void> {
    const place = step.of % this.#subscriptions.length;
    if (this.#subscriptions.length === 0) return;
    if (step.do === 'REDEEM') return this.#redeem(step, place);
    const { timeline } = this.model.subscriptionAt(place);
    if (timeline.end !== null) return;
    const isResumed = step.do === 'RESUME';
    const needsService = step.do === 'CHANGE' || step.do === 'PAUSE';
    if ((isResumed && !timeline.isPaused) || (needsService && timeline.isPaused)) return;
    if (step.do === 'CHANGE') return this.#change(step, place);
    await this.#perform(step, place);
    this.model.touched(place);
    this.model.run();
  }

  async #perform(step: StepOf<'QUANTITY' | 'CANCEL' | 'PAUSE' | 'RESUME'>, place: number): Promise<void> {
    const { subscriptions, blocking } = this.engine.acme;
    const { subscriptionId, bundleId } = this.#subscription(place);
    const { timeline } = this.model.subscriptionAt(place);
    switch (step.do) {
      case 'QUANTITY':
        await this.engine.settle(subscriptions.changeQuantity(subscriptionId, { quantity: step.quantity }));
        return timeline.changeQuantity(step.quantity, this.#now);
      case 'PAUSE':
        await this.engine.settle(blocking.pauseBundle(bundleId, {}));
        return timeline.pause(this.#now);
      case 'RESUME':
        await this.engine.settle(blocking.resumeBundle(bundleId, {}));
        return timeline.resume(this.#now);
      case 'CANCEL': {
        const policies = { entitlementPolicy: 'IMMEDIATE', billingPolicy: step.policy } as const;
        await this.engine.settle(subscriptions.cancel(subscriptionId, policies));
        const { billingEnd } = await this.engine.acme.getSubscription(subscriptionId);
        return timeline.cancel(Math.floor((billingEnd?.at.getTime() ?? 0) / MS_PER_MINUTE));
      }
    }
  }

  async #change({ planName, coupons }: StepOf<'CHANGE'>, place: number): Promise<void> {
    const { subscriptions } = this.engine.acme;
    const { subscriptionId } = this.#subscription(place);
    const given = coupons.map((each) => this.#coupon(each));
    const refusals = refusalsOfAll(given, planName, this.model.redemptions);
    const request = { planName, coupons: coupons.map((each) => this.#code(each)) };
    const preview = await outcomeOf(
      subscriptions.preview({ change: 'CHANGE_PLAN', subscriptionId, ...request }),
    );
    const before = await this.#invoices();
    const done = await outcomeOf(subscriptions.changePlan(subscriptionId, request));
    await this.engine.settle();
    expectRefused(done, refusals);
    expect(codeOf(preview), 'refusal of the preview').to.equal(codeOf(done));
    if ('code' in done || 'code' in preview) return;
    this.model.subscriptionAt(place).timeline.changePlan(planName, this.#now);
    this.model.touched(place);
    for (const coupon of given) this.model.redeem(this.#redemption(coupon, place, 'LATER'));
    this.model.run();
    await this.#keepRedemptions();
    await this.#expectPreviewed(preview.answer.dueNow, before);
  }

  async #redeem({ coupon, days, isOnAccount, isRebilled }: StepOf<'REDEEM'>, place: number): Promise<void> {
    const target = isOnAccount
      ? { accountId: this.accountId }
      : { subscriptionId: this.#subscription(place).subscriptionId };
    const from = this.today + (days ?? 0);
    const redemption = {
      ...this.#redemption(this.#coupon(coupon), isOnAccount ? null : place, 'LATER'),
      from,
    };
    const dated = days === null ? {} : { from: textOf(from) };
    const refusals = refusalsOfRedemption(this.model, redemption, {
      at: days === null ? this.#now : minuteAt(from, REFERENCE_MINUTE),
      isRebilled,
    });
    const request = { ...target, ...dated, code: this.#code(coupon), rebill: isRebilled };
    const done = await outcomeOf(this.engine.acme.coupons.redeem(request));
    await this.engine.settle();
    expectRefused(done, refusals);
    if ('code' in done) return;
    this.model.redeem(redemption);
    this.model.run();
    await this.#keepRedemptions();
  }

  async #remove({ of, days, isRebilled }: StepOf<'REMOVE'>): Promise<void> {
    if (this.#redemptionIds.length === 0) return;
    const place = of % this.#redemptionIds.length;
    const isEnded = hasEnded(this.model, place, this.#now);
    const day =
      days === null && !isEnded ? firstFreeDay(this.model, place, this.#now) : this.today + (days ?? 0);
    const isRefused = !isRebilled && changesBilled(this.model, place, day);
    const refusals = [
      ...(isEnded ? [Refusal.REDEMPTION_ENDED] : []),
      ...(isRefused ? [Refusal.CHANGES_BILLED_DAYS] : []),
    ];
    const dated = days === null ? {} : { at: textOf(day) };
    const options = { ...dated, rebill: isRebilled };
    const done = await outcomeOf(
      this.engine.acme.coupons.remove(String(this.#redemptionIds[place]), options),
    );
    await this.engine.settle();
    expectRefused(done, refusals);
    if ('code' in done) return;
    this.model.remove(place, day);
    this.model.run();
  }

  /** The invoice of a change has the items of its preview. */
  async #expectPreviewed(
    dueNow: Pick<InvoiceView, 'items'> | null,
    before: readonly InvoiceView[],
  ): Promise<void> {
    const known = new Set(before.map(({ id }) => id));
    const made = (await this.#invoices()).filter(({ id }) => !known.has(id));
    const lines = made.flatMap((invoice) => this.#linesOf(invoice)).sort();
    expect(dueNow === null ? [] : this.#linesOf(dueNow).sort(), 'items of the preview').to.eql(lines);
  }

  async #invoices(): Promise<readonly InvoiceView[]> {
    return this.engine.invoicesOf(this.accountId);
  }

  #linesOf({ items }: Pick<InvoiceView, 'items'>): string[] {
    return items
      .filter(({ itemType }) => itemType !== 'CBA_ADJ')
      .map((item) => {
        const { itemType, planName, phaseName, startDate, endDate, rate, amount } = item;
        const kind = `${planName} ${phaseName?.slice(Number(planName?.length) + 1).toUpperCase()}`;
        if (itemType === 'FIXED') return `FIXED ${kind} ${startDate} ${amount.toFixed(2)}`;
        const span = `${startDate} ${endDate} ${amount.toFixed(2)}`;
        return itemType === 'RECURRING'
          ? `RECURRING ${kind} ${rate?.toFixed()} ${span}`
          : `${itemType} ${span}`;
      });
  }

  async #keepRedemptions(): Promise<void> {
    const known = await this.engine.acme.coupons.ofAccount(this.accountId);
    for (const { id } of known) if (!this.#redemptionIds.includes(id)) this.#redemptionIds.push(id);
    expect(this.#redemptionIds.length).to.equal(this.model.redemptions.length);
  }

  #redemption(
    coupon: ModelCoupon,
    subscription: number | null,
    given: ModelRedemption['given'],
  ): ModelRedemption {
    return { coupon, subscription, given, from: this.today, ended: null };
  }

  #coupon(place: number): ModelCoupon {
    const coupon = this.coupons[place];
    if (coupon === undefined) throw new Error(`No coupon at place ${place}`);
    return coupon;
  }

  #code(place: number): string {
    return `LIFE${this.#number}-${place}`;
  }

  #subscription(place: number) {
    const subscription = this.#subscriptions[place];
    if (subscription === undefined) throw new Error(`No subscription at place ${place}`);
    return subscription;
  }

  #instant(minute: number): string {
    return new Date(minute * MS_PER_MINUTE).toISOString();
  }
}

type Outcome<T> = { readonly answer: T } | { readonly code: number };

async function outcomeOf<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { answer: await work };
  } catch (error) {
    if (error instanceof BillingError) return { code: error.code };
    throw error;
  }
}

const codeOf = (outcome: Outcome<unknown>): number | null => ('code' in outcome ? outcome.code : null);

/** The operation is refused for one of the reasons, and succeeds without a reason. */
function expectRefused(outcome: Outcome<unknown>, refusals: readonly number[]): void {
  const code = codeOf(outcome);
  if (refusals.length === 0) expect(code, 'refusal').to.equal(null);
  else expect(refusals, 'refusal').to.include(code);
}

const textsOf = (invoices: readonly unknown[]): string =>
  invoices.map((each) => JSON.stringify(each)).join('\n');

const withoutPlace = (line: string): string => line.slice(line.indexOf(' ') + 1);

eachDatabase.describe('random subscription histories with coupons', (open, kind) => {
  let engine: TestEngine;
  let start = START;

  async function begin(): Promise<void> {
    start = START;
    engine = await openEngine(open, {
      now: `${textOf(START)}T06:00:00Z`,
      catalog: modelCatalogXml(),
      configuration: { 'org.service.invoice.maxDailyNumberOfItemsSafetyBound': -1 },
    });
  }

  before(begin);
  after(() => engine.close());

  async function play(life: CouponLife): Promise<void> {
    if (start > LAST_START) {
      await engine.close();
      await begin();
    }
    engine.clock.set(`${textOf(start)}T06:00:00Z`);
    const { id: accountId } = await engine.acme.createAccount({
      currency: 'USD',
      billCycleDayLocal: life.billCycleDay,
    });
    const played = new PlayedLife(engine, life, { accountId, start });
    try {
      await played.createCoupons();
      await played.wait(0);
      await played.create(life.first);
      await played.check('the creation');
      for (const { later, step } of life.steps) {
        await played.wait(later);
        await played.play(step);
      }
      await played.wait(100);
    } finally {
      await played.end();
      start = addMonths(played.today, 3);
    }
  }

  it('have the invoices, rejections and previews that the specification predicts', async () => {
    await fc.assert(fc.asyncProperty(couponLives, play), { numRuns: RUNS[kind] });
  }).timeout(0);
});
