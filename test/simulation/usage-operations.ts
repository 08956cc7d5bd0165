import type { LocalDate, RequestedDate } from '../../lib/index.ts';
import { decimal, formatInstant, instant, SystemTag } from '../../lib/index.ts';
import { dateText, dayAt, dayOf, startOf } from '../support/usage-oracle/calendar.ts';
import { planNames } from '../support/usage-oracle/metered-shelf.ts';
import { billionths } from '../support/usage-oracle/oracle-price.ts';
import { UsageOracle } from '../support/usage-oracle/usage-oracle.ts';
import type { Random } from './random.ts';
import type { MeteredCustomer, MeteredSubscription, UsageTown } from './usage-town.ts';
import { ignoreNothingToDo, invoicesOf } from './usage-town.ts';

export interface UsageScene {
  readonly town: UsageTown;
  readonly random: Random;
  readonly customer: MeteredCustomer;
  readonly held: MeteredSubscription;
}

/** A request to the engine. The oracle gets it unless it is rejected. */
interface UsageOperation {
  readonly name: string;
  readonly weight: number;
  readonly run: (scene: UsageScene) => Promise<unknown>;
}

const operation = (name: string, weight: number, run: UsageOperation['run']): UsageOperation => ({
  name,
  weight,
  run,
});

export const usageOperations: readonly UsageOperation[] = [
  operation('record', 14, record),
  operation('void usage', 3, voidUsage),
  operation('change', 3, change),
  operation('cancel', 1.5, ({ customer, held, random, town }) =>
    customer.acme.subscriptions.cancel(held.id, {
      ...(random.percent(70) ? { requestedDate: someTime(town, random) } : {}),
      billingPolicy: random.of([null, 'IMMEDIATE', 'END_OF_TERM'] as const),
      useRequestedDateForBilling: random.percent(70),
    }),
  ),
  operation('uncancel', 2, ({ customer, held }) => customer.acme.subscriptions.uncancel(held.id)),
  operation('undo change', 1, ({ customer, held }) => customer.acme.subscriptions.undoChangePlan(held.id)),
  operation('bill cycle day', 2, ({ customer, held, random, town }) =>
    customer.acme.subscriptions.changeBillCycleDay(held.id, {
      billCycleDayLocal: random.within(1, 31),
      ...(random.percent(50)
        ? { effectiveFromDate: { date: someDay(town, random, [-20, 20]) }, allowPastDate: true }
        : {}),
    }),
  ),
  operation('quantity', 1, ({ customer, held, random, town }) =>
    customer.acme.subscriptions.changeQuantity(held.id, {
      quantity: random.within(1, 9),
      allowPastDate: true,
      effectiveFromDate: { date: someDay(town, random, [-20, 20]) },
    }),
  ),
  operation('block', 2, (scene) => block(scene, true)),
  operation('release', 3, (scene) => block(scene, false)),
  operation('void an invoice', 2, voidInvoice),
  operation('adjust an item', 2, adjust),
  operation('run ahead', 4, async ({ customer, random, town }) => {
    const targetDate = (town.todayOf(customer) + random.within(0, 40)) as LocalDate;
    await town.settle();
    const made = await customer.acme.invoices
      .generate({ accountId: customer.accountId, targetDate })
      .catch(ignoreNothingToDo);
    await town.audit([customer], { through: made === undefined ? targetDate : 0 });
  }),
  operation('switch runs off or on', 0.7, switchRuns),
  operation('subscribe', 1, subscribe),
];

const UNITS = ['calls', 'calls', 'mails', 'mails', 'faxes'];

async function record({ town, random, customer, held }: UsageScene): Promise<void> {
  const { zone } = customer;
  // Several subscriptions of an account may share an id.
  const trackingId = `t${held.trackingIds.length}`;
  const points = Array.from({ length: random.within(1, 3) }, () => {
    const unit = random.of(UNITS);
    const amount = random.percent(10) ? '0.000000001' : String(random.within(0, 90) / 10);
    return { unit, amount, when: someRecordDate(town, random, { zone, held }) };
  });
  const given = {
    subscriptionId: held.id,
    trackingId,
    unitUsageRecords: points.map(({ unit, amount, when }) => ({
      unitType: unit,
      usageRecords: [{ recordDate: when, amount }],
    })),
  };
  if (random.percent(30)) {
    const { accepted, failures } = await customer.acme.usage.recordAll([given, given]);
    if (accepted !== 1) throw new Refused(failures[0]?.code ?? 'refused');
  } else await customer.acme.usage.record(given);
  held.trackingIds.push(trackingId);
  for (const { unit, amount, when } of points) {
    const isOfDay = !when.includes('T');
    const at = isOfDay ? startOf(dayOf(when), zone) : Date.parse(when);
    held.oracle.points.push({
      unit,
      at,
      day: dayAt(at, zone),
      isOfDay,
      amount: billionths(amount),
      trackingId,
      isVoid: false,
    });
  }
}

export class Refused extends Error {}

/** Mostly near the boundaries of days and billed periods. */
function someRecordDate(
  town: UsageTown,
  random: Random,
  { zone, held }: { readonly zone: string; readonly held: MeteredSubscription },
): string {
  const day = dayAt(town.engine.clock.now(), zone) + random.within(-70, 12);
  const cuts = held.oracle.events.map(({ at }) => at);
  const near = cuts.length === 0 || random.percent(60) ? startOf(day, zone) : random.of(cuts);
  if (random.percent(45)) return dateText(dayAt(near, zone));
  const shift = random.percent(50) ? random.within(-1, 1) : random.within(-40_000_000, 40_000_000);
  return new Date(near + shift).toISOString();
}

/** Voids usage, then advances a second so that the order of later usage is certain. */
async function voidUsage({ town, random, customer, held }: UsageScene): Promise<void> {
  const trackingId = held.trackingIds.length === 0 ? 'none' : random.of(held.trackingIds);
  await customer.acme.usage.void(held.id, trackingId);
  town.engine.clock.set(later(town, 1));
  held.oracle.voidPoints(trackingId);
}

async function change({ town, random, customer, held }: UsageScene): Promise<void> {
  await customer.acme.subscriptions.changePlan(held.id, {
    planName: random.of(planNames),
    ...(random.percent(50)
      ? { requestedDate: someTime(town, random) }
      : { billingPolicy: random.of([null, 'IMMEDIATE', 'END_OF_TERM'] as const) }),
  });
}

async function block({ town, random, customer, held }: UsageScene, isBlockBilling: boolean): Promise<void> {
  const object = random.of([
    { type: 'ACCOUNT' as const, id: customer.accountId },
    { type: 'SUBSCRIPTION_BUNDLE' as const, id: held.bundleId },
    { type: 'SUBSCRIPTION' as const, id: held.id },
  ]);
  await customer.acme.blocking.add(object, {
    service: random.of(['fraud', 'fraud', 'support']),
    stateName: isBlockBilling ? 'hold' : 'clear',
    isBlockBilling,
    requestedDate: random.percent(30) ? null : someTime(town, random),
  });
}

/** Skips cases in which the oracle cannot know which run dropped a zero item. */
async function voidInvoice({ random, customer }: UsageScene): Promise<void> {
  const { dropsZeroItems, lateMode, lookBackPeriods } = customer.settings;
  if (dropsZeroItems && (lateMode !== 'DELTA' || lookBackPeriods >= 0))
    throw new Refused('the oracle cannot know the run');
  const invoices = (await invoicesOf(customer)).filter(({ status }) => status === 'COMMITTED').slice(-3);
  if (invoices.length === 0) throw new Refused('no invoice');
  const { id } = random.of(invoices);
  await customer.acme.invoices.void(id);
  customer.isVoided = true;
  for (const { oracle } of customer.subscriptions) oracle.voidInvoice(id);
}

async function adjust({ random, customer, held }: UsageScene): Promise<void> {
  const items = (await invoicesOf(customer))
    .filter(({ status }) => status === 'COMMITTED')
    .flatMap((invoice) => invoice.items)
    .filter(
      ({ itemType, amount, subscriptionId }) =>
        itemType === 'USAGE' && amount.greaterThan(0) && subscriptionId === held.id,
    );
  if (items.length === 0) throw new Refused('no item');
  const item = random.of(items);
  const amount = decimal(item.amount.times(random.within(1, 100)).dividedBy(100).toFixed(2));
  await customer.acme.invoices.adjustItem({
    accountId: customer.accountId,
    invoiceId: item.invoiceId,
    invoiceItemId: item.id,
    amount,
  });
  const entry = held.entries.get(item.id);
  if (entry !== undefined) entry.left -= billionths(amount.toFixed());
}

async function switchRuns({ customer }: UsageScene): Promise<void> {
  const { acme, accountId, isOff } = customer;
  const object = { type: 'ACCOUNT' as const, id: accountId };
  if (isOff) await acme.tags.remove(object, [SystemTag.AUTO_INVOICING_OFF]);
  else await acme.tags.add(object, [SystemTag.AUTO_INVOICING_OFF]);
  customer.isOff = !isOff;
}

export async function subscribe({ town, random, customer }: Omit<UsageScene, 'held'>): Promise<void> {
  const { accountId, zone, settings } = customer;
  const dates = random.percent(50) ? { date: someDay(town, random, [-20, 10]) } : null;
  const { subscriptionId, bundleId } = await customer.acme.createSubscription(
    { accountId, planName: random.of(planNames) },
    dates === null ? {} : { entitlementDate: dates, billingDate: dates },
  );
  customer.subscriptions.push({
    id: subscriptionId,
    bundleId,
    oracle: new UsageOracle(zone, settings),
    trackingIds: [],
    entries: new Map(),
  });
}

function someDay({ engine }: UsageTown, random: Random, [from, to]: readonly [number, number]): LocalDate {
  return (Math.floor(engine.clock.now() / DAY_MS) + random.within(from, to)) as LocalDate;
}

const DAY_MS = 86_400_000;

/** A day around now, at the reference time or another second. */
function someTime(town: UsageTown, random: Random): RequestedDate {
  const date = someDay(town, random, [-15, 15]);
  if (random.percent(50)) return { date };
  return { at: instant(date * DAY_MS + random.within(0, 86_399) * 1_000) };
}

export function later(town: UsageTown, seconds: number): string {
  return formatInstant(instant(town.engine.clock.now() + seconds * 1_000));
}
