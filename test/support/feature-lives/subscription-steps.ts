import { textOf } from '../coupon-lives/calendar.ts';
import { planOf, productOf } from './catalog.ts';
import type { LifeState } from './life-state.ts';
import { endsOf, momentOf, outcomeOf } from './outcomes.ts';
import type { LifeStep, StepOf } from './scripts.ts';
import { Timeline } from './timeline.ts';
import { dayIn, instantOf, timeIn } from './zones.ts';

type SubscriptionStep = Extract<
  LifeStep,
  { do: 'CHANGE' | 'QUANTITY' | 'CANCEL' | 'BILL_CYCLE_DAY' | 'BLOCK' | 'PAUSE' | 'RESUME' }
>;

/** Plays a step on a subscription in the engine and, if the engine accepts it, in the model. */
export async function playOnSubscription(life: LifeState, step: SubscriptionStep): Promise<void> {
  if (life.subscriptions.length === 0) return;
  const place = step.of % life.subscriptions.length;
  switch (step.do) {
    case 'CHANGE':
      return change(life, step, place);
    case 'QUANTITY':
      return changeQuantity(life, step, place);
    case 'CANCEL':
      return cancel(life, step, place);
    case 'BILL_CYCLE_DAY':
      return changeBillCycleDay(life, step, place);
    case 'BLOCK':
      return block(life, step, place);
    case 'PAUSE':
    case 'RESUME':
      return pause(life, step, place);
  }
}

export async function createSubscription(
  life: LifeState,
  { planName, quantity, of }: Omit<StepOf<'CREATE'>, 'do'>,
): Promise<void> {
  const { account, accountId, engine } = life;
  const isAddOn = productOf(planOf(planName).product).category === 'ADD_ON';
  const bases = account.subscriptions.filter(({ timeline }) => timeline.product.category === 'BASE');
  const base = isAddOn ? bases[of % bases.length] : undefined;
  if (isAddOn && base === undefined) return;
  const bundle = base === undefined ? {} : { bundleId: life.idsOf(base.place).bundleId };
  const request = { accountId, planName, quantity, ...bundle };
  const created = await outcomeOf(engine.acme.createSubscription(request));
  await life.settle();
  if ('code' in created) return;
  const timeline = new Timeline(planName, { zone: life.zone, quantity, at: life.now });
  const { place } = account.add(timeline, base?.place ?? null);
  life.subscriptions.push(created.answer);
  life.places.set(created.answer.subscriptionId, place);
  if (account.billCycleDay !== 0) return;
  const { billCycleDayLocal } = await engine.acme.accounts.get(accountId);
  account.billCycleDay = billCycleDayLocal;
}

/** Ends all subscriptions now. */
export async function cancelAll(life: LifeState): Promise<void> {
  const now = { do: 'CANCEL', of: 0, service: 'IMMEDIATE', billing: 'IMMEDIATE' } as const;
  for (const { place } of life.account.subscriptions) await cancel(life, now, place);
}

async function change(life: LifeState, { planName, policy }: StepOf<'CHANGE'>, place: number): Promise<void> {
  const { timeline } = life.account.subscriptionAt(place);
  if (productOf(planOf(planName).product).category !== timeline.product.category) return;
  const change = { planName, billingPolicy: policy };
  const { subscriptionId } = life.idsOf(place);
  const done = await outcomeOf(life.engine.acme.subscriptions.changePlan(subscriptionId, change));
  await life.settle();
  if ('answer' in done) timeline.changePlan(planName, momentOf(done.answer.effective));
}

async function changeQuantity(
  life: LifeState,
  { quantity }: StepOf<'QUANTITY'>,
  place: number,
): Promise<void> {
  const { subscriptionId } = life.idsOf(place);
  const done = await outcomeOf(life.engine.acme.subscriptions.changeQuantity(subscriptionId, { quantity }));
  await life.settle();
  if ('answer' in done) life.account.subscriptionAt(place).timeline.changeQuantity(quantity, life.now);
}

async function cancel(life: LifeState, { service, billing }: StepOf<'CANCEL'>, place: number): Promise<void> {
  const { timeline } = life.account.subscriptionAt(place);
  if (timeline.isCancelled) return;
  const policies = { entitlementPolicy: service, billingPolicy: billing };
  const { subscriptionId } = life.idsOf(place);
  const done = await outcomeOf(life.engine.acme.subscriptions.cancel(subscriptionId, policies));
  await life.settle();
  if ('answer' in done) timeline.cancel(endsOf(done.answer));
}

async function changeBillCycleDay(
  life: LifeState,
  { day }: StepOf<'BILL_CYCLE_DAY'>,
  place: number,
): Promise<void> {
  const { timeline } = life.account.subscriptionAt(place);
  if (timeline.product.category === 'STANDALONE' || life.account.billCycleDay === 0) return;
  const { subscriptionId } = life.idsOf(place);
  const change = { billCycleDayLocal: day };
  const done = await outcomeOf(life.engine.acme.subscriptions.changeBillCycleDay(subscriptionId, change));
  await life.settle();
  if ('answer' in done) timeline.changeBillCycleDay(day, momentOf(done.answer.effective));
}

async function block(
  life: LifeState,
  { level, service, stopsService, stopsBilling }: StepOf<'BLOCK'>,
  place: number,
): Promise<void> {
  const { subscriptionId, bundleId } = life.idsOf(place);
  const { bundle } = life.account.subscriptionAt(place);
  const targets = {
    ACCOUNT: { type: 'ACCOUNT', id: life.accountId, of: 0 },
    BUNDLE: { type: 'SUBSCRIPTION_BUNDLE', id: bundleId, of: bundle },
    SUBSCRIPTION: { type: 'SUBSCRIPTION', id: subscriptionId, of: place },
  } as const;
  const { type, id, of } = targets[level];
  const flags = { isBlockEntitlement: stopsService, isBlockBilling: stopsBilling };
  const stateName = `${stopsService} ${stopsBilling}`;
  await life.engine.acme.blocking.add({ type, id }, { service, stateName, ...flags });
  await life.settle();
  const block = { level, of, service, at: life.now, stopsService, stopsBilling };
  life.account.blocks = [...life.account.blocks, block];
}

async function pause(
  life: LifeState,
  { do: action, days }: StepOf<'PAUSE'> | StepOf<'RESUME'>,
  place: number,
): Promise<void> {
  const { blocking } = life.engine.acme;
  const { bundleId } = life.idsOf(place);
  const isPause = action === 'PAUSE';
  const day = dayIn(life.now, life.zone) + (days ?? 0);
  const options = days === null ? {} : { requestedDate: textOf(day) };
  const time = timeIn(life.created, life.zone);
  const at = days === null ? life.now : instantOf(day, time, life.zone);
  await (isPause ? blocking.pauseBundle(bundleId, options) : blocking.resumeBundle(bundleId, options));
  await life.settle();
  const { bundle } = life.account.subscriptionAt(place);
  const state = { service: 'entitlement-service', stopsService: isPause, stopsBilling: isPause };
  life.account.blocks = [...life.account.blocks, { level: 'BUNDLE', of: bundle, at, ...state }];
}

/** Pays all invoices, and all later ones. */
export async function pay(life: LifeState): Promise<void> {
  const { acme, gateway } = life.engine;
  const { accountId } = life;
  const method = await acme.addPaymentMethod({ accountId, pluginName: gateway.name, isDefault: true });
  await acme.invoicePayments.payAll({ accountId, paymentMethodId: method.id });
  await life.settle();
}
