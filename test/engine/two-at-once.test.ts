import type { TenantBilling, Uuid } from '../../lib/index.ts';
import { engineBefore, expect, isLongRun, onPostgresql, sampled, type TestEngine } from '../support/index.ts';
import type { MadeCall, StormCall } from '../support/storm-calls.ts';
import { COME_AGAIN, effectsIn, inTurns, makeCall, storm, storyOf } from '../support/storm-calls.ts';

const START = '2024-03-01T09:15:00Z';
const LATER = '2024-03-11T09:15:00Z';
const FAR = '2024-03-20';
const BACK = '2024-03-05';
const BY_POLICY = { entitlementPolicy: 'IMMEDIATE', billingPolicy: 'IMMEDIATE' } as const;

interface Place {
  readonly mark: string;
  readonly accountId: Uuid;
  readonly otherId: Uuid;
  readonly bundleId: Uuid;
  readonly base: Uuid;
  readonly addOn: Uuid;
  /** CBA_ADJ items of a credit and of the invoice that uses it, in pairs with a call that deletes one of them. */
  readonly given?: CreditItem;
  readonly used?: CreditItem;
}

interface CreditItem {
  readonly invoiceId: Uuid;
  readonly invoiceItemId: Uuid;
}

const MIGRATED = [{ itemType: 'RECURRING', amount: '7' }] as const;

function desk(accountId: Uuid, bundleExternalKey: string, externalKey: string) {
  return { accountId, planName: 'solo-now', bundleExternalKey, externalKey };
}

const operations = {
  change: (acme, { base }) => acme.subscriptions.changePlan(base, { planName: 'elite-monthly' }),
  'change ahead': (acme, { base }) =>
    acme.subscriptions.changePlan(base, { planName: 'team-now', requestedDate: FAR }),
  undo: (acme, { base }) => acme.subscriptions.undoChangePlan(base),
  cancel: (acme, { base }) => acme.subscriptions.cancel(base, { ...BY_POLICY }),
  'cancel ahead': (acme, { base }) =>
    acme.subscriptions.cancel(base, { requestedDate: FAR, useRequestedDateForBilling: true }),
  uncancel: (acme, { base }) => acme.subscriptions.uncancel(base),
  'cancel add-on': (acme, { addOn }) => acme.subscriptions.cancel(addOn, { ...BY_POLICY }),
  'change add-on': (acme, { addOn }) =>
    acme.subscriptions.changePlan(addOn, { planName: 'backup-monthly', billingPolicy: 'IMMEDIATE' }),
  'add an add-on': (acme, { accountId, bundleId, mark }) =>
    acme.createSubscription({
      accountId,
      bundleId,
      planName: 'archive-monthly',
      externalKey: `more@${mark}`,
    }),
  'add a past add-on': (acme, { accountId, bundleId, mark }) =>
    acme.createSubscription(
      { accountId, bundleId, planName: 'backup-monthly', externalKey: `past@${mark}` },
      { entitlementDate: BACK, billingDate: BACK },
    ),
  'add a base': (acme, { accountId, mark }) =>
    acme.createSubscription(desk(accountId, `desk@${mark}`, `new@${mark}`)),
  pause: (acme, { bundleId }) => acme.blocking.pauseBundle(bundleId),
  resume: (acme, { bundleId }) => acme.blocking.resumeBundle(bundleId),
  block: (acme, { base: id }) =>
    acme.blocking.add(
      { type: 'SUBSCRIPTION', id },
      { service: 'fraud', stateName: 'held', isBlockChange: true, isBlockBilling: true },
    ),
  release: (acme, { base: id }) =>
    acme.blocking.add({ type: 'SUBSCRIPTION', id }, { service: 'fraud', stateName: 'fine' }),
  'bill cycle day': (acme, { base }) =>
    acme.subscriptions.changeBillCycleDay(base, { billCycleDayLocal: 11 }),
  quantity: (acme, { base }) => acme.subscriptions.changeQuantity(base, { quantity: 3 }),
  transfer: (acme, { bundleId, otherId }) =>
    acme.bundles.transfer(bundleId, { accountId: otherId, billingPolicy: 'IMMEDIATE' }),
  rename: (acme, { bundleId, mark }) => acme.bundles.renameKey(bundleId, `chair@${mark}`),
  'take the new key': (acme, { otherId, mark }) =>
    acme.createSubscription(desk(otherId, `chair@${mark}`, `theirs@${mark}`)),
  'take the old key': (acme, { otherId, mark }) =>
    acme.createSubscription(desk(otherId, `desk@${mark}`, `theirs@${mark}`)),
  invoice: (acme, { accountId }) => acme.generateInvoice({ accountId, targetDate: '2024-04-15' }),
  migrate: (acme, { accountId }) => acme.invoices.createMigrationInvoice({ accountId, items: MIGRATED }),
  credit: (acme, { accountId }) =>
    acme.invoices.addCredits({ accountId, items: [{ amount: '3' }], autoCommit: true }),
  charge: (acme, { accountId }) =>
    acme.invoices.addCharges({ accountId, items: [{ amount: '40' }], autoCommit: true }),
  'void the credit': (acme, { given }) => acme.invoices.void(there(given).invoiceId),
  'delete the credit': (acme, { accountId, given }) =>
    acme.invoices.deleteCredit({ accountId, ...there(given) }),
  'delete its use': (acme, { accountId, used }) => acme.invoices.deleteCredit({ accountId, ...there(used) }),
  rebalance: (acme, { accountId }) => acme.accounts.rebalanceCredit(accountId),
  close: (acme, { accountId }) => acme.accounts.close(accountId, { cancelAllSubscriptions: true }),
} as const satisfies Readonly<Record<string, (acme: TenantBilling, place: Place) => Promise<unknown>>>;

type Operation = keyof typeof operations;
type Pair = readonly [Operation, Operation];

/** Pairs in which the result of one operation affects the other. */
const deciding = {
  change: [
    'change add-on',
    'add an add-on',
    'add a past add-on',
    'cancel ahead',
    'pause',
    'block',
    'transfer',
    'invoice',
  ],
  'change ahead': ['undo', 'cancel', 'add an add-on', 'transfer'],
  cancel: [
    'cancel',
    'uncancel',
    'add an add-on',
    'add a past add-on',
    'cancel add-on',
    'transfer',
    'take the old key',
    'invoice',
    'quantity',
  ],
  'cancel ahead': ['uncancel', 'add a past add-on'],
  'add an add-on': ['add an add-on', 'transfer', 'pause', 'close'],
  'add a past add-on': ['transfer', 'invoice'],
  'add a base': ['cancel'],
  pause: ['pause', 'resume'],
  block: ['release'],
  'bill cycle day': ['change', 'transfer'],
  quantity: ['quantity', 'transfer'],
  transfer: ['transfer', 'pause', 'change add-on', 'rename', 'take the old key', 'invoice', 'close'],
  rename: ['take the new key', 'take the old key', 'rename'],
  invoice: ['invoice'],
  migrate: ['migrate', 'invoice', 'close'],
  'delete the credit': [
    'delete the credit',
    'delete its use',
    'credit',
    'charge',
    'void the credit',
    'transfer',
  ],
  'delete its use': ['delete its use', 'rebalance', 'cancel', 'invoice', 'close'],
  close: ['close'],
} as const satisfies Partial<Readonly<Record<Operation, readonly Operation[]>>>;

const onCredit: ReadonlySet<Operation> = new Set(['void the credit', 'delete the credit', 'delete its use']);

const names = Object.keys(operations) as readonly Operation[];

/** The long run combines each with each, and with itself. */
const pairs: readonly Pair[] = isLongRun
  ? names.flatMap((first, index) => names.slice(index).map((second): Pair => [first, second]))
  : sampled(
      Object.entries(deciding).flatMap(([first, seconds]) =>
        seconds.map((second) => [first, second] as Pair),
      ),
      4,
    );

// subscriptions §24 rules 1, 2, 5; invoicing §17 rules 1, 2
onPostgresql.describe('two simultaneous operations on one account', (open) => {
  const engine = engineBefore(open, { now: START });

  it(`have the same result as one of the two possible orders (${pairs.length} pairs)`, async () => {
    const bare = await inPlaces(engine, pairs.length * 3);
    await engine.runTo(LATER);
    const places = await Promise.all(
      bare.map((place, index) => {
        const isOnCredit = pairs[Math.floor(index / 3)]?.some((operation) => onCredit.has(operation));
        return isOnCredit ? withCredit(engine, place) : place;
      }),
    );
    const orders = await inTurns(pairs.length, async (index) => {
      const [first, second] = pairs[index] as Pair;
      const [there, back] = [places[index * 3], places[index * 3 + 1]] as [Place, Place];
      return {
        index,
        made: [
          await oneByOne(engine, [callOf(first, there, 'one'), callOf(second, there, 'two')]),
          (await oneByOne(engine, [callOf(second, back, 'two'), callOf(first, back, 'one')])).toReversed(),
        ],
      };
    });
    const calls = pairs.flatMap(([first, second], index) => {
      const place = places[index * 3 + 2] as Place;
      const both = [callOf(first, place, 'one'), callOf(second, place, 'two')];
      return index % 2 === 0 ? both : both.toReversed();
    });
    const stormy = (await storm(engine, calls)).filter(({ refused }) => !COME_AGAIN.includes(refused));
    await engine.settle();

    const effects = await effectsIn(engine.database);
    for (const { index, made } of orders) {
      const [first, second] = pairs[index] as Pair;
      const [there, back, raced] = places.slice(index * 3, index * 3 + 3) as [Place, Place, Place];
      const outcome = async (place: Place, both: readonly MadeCall[]) => ({
        refused: both.map(({ refused }) => refused),
        changed: both.map(({ token }) => effects.of(token).filter((text) => text.includes(' '))),
        stories: [await storyOf(engine, place.accountId), await storyOf(engine, place.otherId)],
      });
      const names = [nameOf(raced, 'one'), nameOf(raced, 'two')];
      const own = names.map((name) => stormy.find((call) => call.name === name)) as MadeCall[];
      const expected = [await outcome(there, made[0] ?? []), await outcome(back, made[1] ?? [])];
      expect(expected, `${first} and ${second}`).to.deep.include(await outcome(raced, own));
    }
    expect(engine.logger.lines.filter(({ level }) => level === 'error')).to.eql([]);
  });
});

const nameOf = ({ mark }: Place, name: string): string => `${name}@${mark}`;

function callOf(operation: Operation, place: Place, name: string): StormCall {
  return { name: nameOf(place, name), make: (acme) => operations[operation](acme, place) };
}

function there<T>(found: T | undefined): T {
  if (found === undefined) throw new Error('the place has no credit');
  return found;
}

/** Adds credit that is less than the first invoice owes, so that this invoice uses all of it. */
async function withCredit({ acme }: TestEngine, place: Place): Promise<Place> {
  const { accountId } = place;
  await acme.invoices.addCredits({ accountId, items: [{ amount: '5' }], autoCommit: true });
  const invoices = await acme.invoices.ofAccount({ accountId, withItems: true });
  const credits = invoices
    .flatMap(({ items }) => items)
    .filter(({ itemType }) => itemType === 'CBA_ADJ')
    .toSorted((a, b) => b.amount.comparedTo(a.amount));
  const [given, used] = credits.map(({ invoiceId, id: invoiceItemId }) => ({ invoiceId, invoiceItemId }));
  return { ...place, given: there(given), used: there(used) };
}

async function oneByOne(engine: TestEngine, calls: readonly StormCall[]): Promise<readonly MadeCall[]> {
  const made: MadeCall[] = [];
  for (const call of calls) made.push(await makeCall(engine, call));
  return made;
}

async function inPlaces({ acme }: TestEngine, count: number): Promise<readonly Place[]> {
  return inTurns(count, async (index) => {
    const mark = String(index);
    const account = await acme.createAccount({ currency: 'USD' });
    const other = await acme.createAccount({ currency: 'USD' });
    const of = (planName: string, externalKey: string) => ({
      accountId: account.id,
      planName,
      externalKey: `${externalKey}@${mark}`,
      bundleExternalKey: `desk@${mark}`,
    });
    const { bundleId, subscriptionIds } = await acme.subscriptions.createWithAddOns([
      of('solo-now', 'base'),
      of('support-monthly', 'addon'),
    ]);
    const [base, addOn] = subscriptionIds as [Uuid, Uuid];
    return { mark, accountId: account.id, otherId: other.id, bundleId, base, addOn };
  });
}
