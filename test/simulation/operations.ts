import type { LocalDate, Uuid } from '../../lib/index.ts';
import { BillingActionPolicy, decimal, formatInstant, instant, localDateOf, UTC } from '../../lib/index.ts';
import type { Random } from './random.ts';
import { type Customer, type Held, repriced, type Town, type Visit } from './town.ts';

/** A request to the engine, which it may reject. `run` returns false if there is nothing to do. */
export interface Operation {
  readonly name: string;
  readonly weight: number;
  readonly run: (scene: Scene) => Promise<unknown>;
}

export interface Scene {
  readonly town: Town;
  readonly random: Random;
  readonly customer: Customer;
  readonly held: Held | undefined;
}

const BASES = [
  'solo-monthly',
  'pro-monthly',
  'pro-annual',
  'pro-annual',
  'elite-monthly',
  'club-monthly',
  'solo-now',
  'team-now',
];
const ADD_ONS = ['backup-monthly', 'archive-monthly', 'support-monthly', 'support-6m'];
const POLICIES = [
  null,
  BillingActionPolicy.IMMEDIATE,
  BillingActionPolicy.END_OF_TERM,
  BillingActionPolicy.START_OF_TERM,
];
const DAY_MS = 86_400_000;

const operation = (name: string, weight: number, run: Operation['run']): Operation => ({ name, weight, run });

export const operations: readonly Operation[] = [
  operation('create base', 8, (scene) =>
    create(scene, { planName: scene.random.of([...BASES, 'term-3m']), ...terms(scene) }),
  ),
  operation('create standalone', 2, (scene) => create(scene, { planName: 'kit-monthly', ...terms(scene) })),
  operation('create add-on', 6, (scene) =>
    create(scene, { planName: scene.random.of(ADD_ONS), bundleId: bundleOf(scene.held) }),
  ),
  operation('change', 8, change),
  operation('undo change', 4, ({ town }) =>
    onLatest(town, town.changed, ({ acme, subscriptionId }) =>
      acme.subscriptions.undoChangePlan(subscriptionId),
    ),
  ),
  operation('cancel', 5, cancel),
  operation('uncancel', 4, ({ town }) =>
    onLatest(town, town.cancelled, ({ acme, subscriptionId }) => acme.subscriptions.uncancel(subscriptionId)),
  ),
  operation('bill cycle day', 3, ({ customer, held, random }) =>
    customer.shop.acme.subscriptions.changeBillCycleDay(idOf(held), {
      billCycleDayLocal: random.within(1, 31),
    }),
  ),
  operation('quantity', 4, ({ customer, held, random, town }) =>
    customer.shop.acme.subscriptions.changeQuantity(idOf(held), {
      quantity: random.within(1, 9),
      allowPastDate: true,
      effectiveFromDate: random.percent(50) ? { date: someDay(town, -20, 40) } : null,
    }),
  ),
  operation('seats of a year', 4, ({ customer, random }) => {
    const annual = customer.subscriptions.filter(({ planName }) => planName === 'pro-annual');
    return annual.length === 0
      ? Promise.resolve(false)
      : customer.shop.acme.subscriptions.changeQuantity(random.of(annual).id, {
          quantity: random.within(1, 9),
        });
  }),
  operation('account bill cycle day', 1, ({ customer, random }) =>
    customer.shop.acme.updateAccount(customer.id, { changes: { billCycleDayLocal: random.within(1, 31) } }),
  ),
  operation('pause', 3, ({ customer, held, town }) =>
    customer.shop.acme.blocking.pauseBundle(bundleOf(held), someTime(town, 30)),
  ),
  operation('resume', 5, ({ customer, held, town }) =>
    customer.shop.acme.blocking.resumeBundle(bundleOf(held), someTime(town, 20)),
  ),
  operation('block', 2, ({ customer, held, random, town }) => {
    const request = { service: random.of(['fraud', 'support']), stateName: random.of(['hold', 'watch']) };
    const [isBlockEntitlement, isBlockBilling] = [random.percent(40), random.percent(40)];
    const object = random.of([
      { type: 'ACCOUNT' as const, id: customer.id },
      { type: 'SUBSCRIPTION_BUNDLE' as const, id: bundleOf(held) },
      { type: 'SUBSCRIPTION' as const, id: idOf(held) },
    ]);
    return customer.shop.acme.blocking.add(object, {
      ...request,
      ...someTime(town, 20),
      isBlockEntitlement,
      isBlockBilling,
    });
  }),
  operation('release', 2, ({ customer, random }) =>
    customer.shop.acme.blocking.add(
      { type: 'ACCOUNT', id: customer.id },
      { service: random.of(['fraud', 'support']), stateName: 'clear' },
    ),
  ),
  operation('transfer', 1, transfer),
  operation('charge', 2, ({ customer, random }) =>
    customer.shop.acme.invoices.addCharges({
      accountId: customer.id,
      autoCommit: random.percent(80),
      items: [{ amount: cents(random, 5_000) }],
    }),
  ),
  operation('credit', 2, ({ customer, random }) =>
    customer.shop.acme.invoices.addCredits({
      accountId: customer.id,
      autoCommit: random.percent(80),
      items: [{ amount: cents(random, 9_000) }],
    }),
  ),
  operation('adjust item', 4, adjustItem),
  operation('delete credit', 1, deleteCredit),
  operation('migration invoice', 0.5, migrate),
  operation('commit draft', 2, (scene) => onInvoice(scene, 'DRAFT', 'commit')),
  operation('void', 2, (scene) => onInvoice(scene, scene.random.of(['COMMITTED', 'DRAFT']), 'void')),
  operation('run ahead', 2, ({ customer, town }) =>
    customer.shop.acme.generateInvoice({ accountId: customer.id, targetDate: someDay(town, 0, 40) }),
  ),
  operation('gateway', 2, gatewayMood),
  operation('new prices', 0.3, newPrices),
];

function terms({ random, town }: Scene): object {
  return {
    ...(random.percent(15) ? { billCycleDayLocal: random.within(1, 31) } : {}),
    ...(random.percent(15) ? { quantity: random.within(1, 5) } : {}),
    ...(random.percent(10)
      ? { priceOverrides: [{ phaseType: 'EVERGREEN', recurringPrice: cents(random, 4_000) }] }
      : {}),
    dates: random.percent(25) ? { date: someDay(town, -25, 25) } : null,
  };
}

async function create({ customer }: Scene, request: Record<string, unknown>): Promise<void> {
  const { dates, ...rest } = request;
  const options = dates ? { entitlementDate: dates as never, billingDate: dates as never } : {};
  const { subscriptionId, bundleId } = await customer.shop.acme.createSubscription(
    { accountId: customer.id, ...rest },
    options,
  );
  customer.subscriptions.push({ id: subscriptionId, bundleId, planName: String(rest.planName) });
}

async function change({ town, customer, held, random }: Scene): Promise<void> {
  const { acme } = customer.shop;
  const subscriptionId = idOf(held);
  await acme.subscriptions.changePlan(subscriptionId, {
    planName: random.of(isAddOn(held) ? ADD_ONS : BASES),
    ...(random.percent(40)
      ? { requestedDate: { date: someDay(town, -20, 50) } }
      : { billingPolicy: random.of(POLICIES) }),
  });
  town.changed.push({ acme, subscriptionId });
}

async function cancel({ town, customer, held, random }: Scene): Promise<void> {
  const { acme } = customer.shop;
  const subscriptionId = idOf(held);
  await acme.subscriptions.cancel(subscriptionId, {
    ...(random.percent(60) ? { requestedDate: { date: someDay(town, -10, 60) } } : {}),
    billingPolicy: random.of(POLICIES),
    useRequestedDateForBilling: random.percent(40),
  });
  town.cancelled.push({ acme, subscriptionId });
}

/** Undoes only recent operations, since most others can no longer be undone. */
async function onLatest(
  { random }: Town,
  visits: readonly Visit[],
  takeBack: (visit: Visit) => Promise<void>,
): Promise<boolean> {
  const latest = visits.slice(-4);
  if (latest.length === 0) return false;
  await takeBack(random.of(latest));
  return true;
}

async function transfer({ customer, held, random, town }: Scene): Promise<void> {
  const to = random.of(customer.shop.customers);
  const { acme } = customer.shop;
  const moved = await acme.bundles.transfer(bundleOf(held), {
    accountId: to.id,
    billingPolicy: random.of([BillingActionPolicy.IMMEDIATE, BillingActionPolicy.END_OF_TERM]),
    ...someTime(town, 40),
  });
  const bundle = await acme.bundles.get(moved);
  for (const { subscriptionId, planName } of bundle.subscriptions)
    to.subscriptions.push({ id: subscriptionId, bundleId: bundle.bundleId, planName: planName ?? '' });
}

async function adjustItem({ customer, random }: Scene): Promise<boolean> {
  const { acme } = customer.shop;
  const invoices = await acme.invoices.ofAccount({ accountId: customer.id, withItems: true });
  const items = invoices.flatMap(({ items }) => items).filter(({ amount }) => amount.greaterThan(0));
  const item = items.length === 0 ? undefined : random.of(items);
  if (item === undefined) return false;
  const share = random.percent(30)
    ? null
    : item.amount.times(random.within(1, 100)).dividedBy(100).toDecimalPlaces(2);
  await acme.invoices.adjustItem({
    accountId: customer.id,
    invoiceId: item.invoiceId,
    invoiceItemId: item.id,
    amount: share,
  });
  return true;
}

async function deleteCredit({ customer, random }: Scene): Promise<boolean> {
  const { acme } = customer.shop;
  const invoices = await acme.invoices.ofAccount({ accountId: customer.id, withItems: true });
  const items = invoices.flatMap(({ items }) => items).filter(({ itemType }) => itemType === 'CBA_ADJ');
  const item = items.length === 0 ? undefined : random.of(items);
  if (item === undefined) return false;
  const { id: invoiceItemId, invoiceId } = item;
  await acme.invoices.deleteCredit({ accountId: customer.id, invoiceId, invoiceItemId });
  return true;
}

/** With days and a repair that would matter if it counted. */
async function migrate({ town, customer, held, random }: Scene): Promise<void> {
  const { acme } = customer.shop;
  const invoices = await acme.invoices.ofAccount({ accountId: customer.id, withItems: true });
  const billed = invoices.flatMap(({ items }) => items).filter(({ itemType }) => itemType === 'RECURRING');
  const days = { startDate: someDay(town, -40, -10), endDate: someDay(town, 0, 20) };
  const amount = cents(random, 5_000);
  const charge = { itemType: 'RECURRING' as const, amount, subscriptionId: held?.id, ...days };
  const linkedItemId = billed.length === 0 ? null : random.of(billed).id;
  const repair = { itemType: 'REPAIR_ADJ' as const, amount: amount.negated(), linkedItemId, ...days };
  const credit = { itemType: 'CBA_ADJ' as const, amount };
  await acme.invoices.createMigrationInvoice({ accountId: customer.id, items: [charge, repair, credit] });
}

async function onInvoice({ customer, random }: Scene, status: string, what: 'commit' | 'void') {
  const { acme } = customer.shop;
  const invoices = await acme.invoices.ofAccount({ accountId: customer.id, withMigration: true });
  const found = invoices.filter((invoice) => invoice.status === status).slice(-3);
  if (found.length === 0) return false;
  await acme.invoices[what](random.of(found).id);
  return true;
}

function gatewayMood({ town, random }: Scene): Promise<void> {
  town.engine.gateway.configure(
    random.percent(60)
      ? { CONFIGURE_ACTION: 'ACTION_CLEAR' }
      : {
          CONFIGURE_ACTION: random.of([
            'ACTION_RETURN_PLUGIN_STATUS_ERROR',
            'ACTION_RETURN_PLUGIN_STATUS_CANCELED',
            'ACTION_THROW_EXCEPTION',
            'RETURN_NIL',
          ] as const),
          METHODS: 'purchasePayment',
          TIMES: random.within(1, 10),
        },
  );
  return Promise.resolve();
}

async function newPrices({ town, customer, random }: Scene): Promise<void> {
  const from = formatInstant(instant(town.engine.clock.now() + random.within(1, 20) * DAY_MS));
  await customer.shop.acme.uploadCatalog(
    await repriced(from, random.within(90, 130), random.percent(70) ? from : null),
  );
}

function someDay({ engine, random }: Town, from: number, to: number): LocalDate {
  return (localDateOf(engine.clock.now(), UTC) + random.within(from, to)) as LocalDate;
}

/** Now or a few days around it. */
function someTime(town: Town, days: number): object {
  return town.random.percent(50) ? {} : { requestedDate: { date: someDay(town, -5, days) } };
}

function cents(random: Random, most: number) {
  return decimal(random.within(1, most)).dividedBy(100);
}

function isAddOn(held: Held | undefined): boolean {
  return held !== undefined && ADD_ONS.includes(held.planName);
}

/** An unknown id, if the customer has no subscription or bundle. The call is rejected. */
const NOBODY = '01900000-0000-7000-8000-000000000000' as Uuid;

function idOf(held: Held | undefined): Uuid {
  return held?.id ?? NOBODY;
}

function bundleOf(held: Held | undefined): Uuid {
  return held?.bundleId ?? NOBODY;
}
