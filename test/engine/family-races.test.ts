import type { TenantBilling, Uuid } from '../../lib/index.ts';
import { formatDecimal, SystemTag } from '../../lib/index.ts';
import { engineBefore, expect, isLongRun, onPostgresql, rowsOf, type TestEngine } from '../support/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';
import type { MadeCall, StormCall } from '../support/storm-calls.ts';
import { COME_AGAIN, inTurns, makeCall, storm, storyOf } from '../support/storm-calls.ts';

const START = '2024-03-01T09:15:00Z';
/** The summary of the first day is committed, and the child's next invoice is not due. */
const LATER = '2024-03-11T09:15:00Z';

/** A parent with an unpaid summary invoice, and a child with one of the charges in it. */
interface Family {
  readonly mark: string;
  readonly parentId: Uuid;
  readonly childId: Uuid;
  readonly summary: InvoiceView;
  readonly charge: InvoiceView;
  readonly subscriptionId: Uuid;
}

type Operations = Readonly<Record<string, (acme: TenantBilling, family: Family) => Promise<unknown>>>;

const credit = (acme: TenantBilling, accountId: Uuid, amount: string) =>
  acme.invoices.addCredits({ accountId, items: [{ amount: amount }], autoCommit: true });

function adjust(acme: TenantBilling, { id: invoiceId, accountId, items }: InvoiceView, amount: string) {
  const invoiceItemId = items[0]?.id as Uuid;
  return acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId, amount: amount });
}

const ofParent = {
  'pay the summary by credit': (acme, { parentId }) => credit(acme, parentId, '100'),
  'adjust the summary': (acme, { summary }) => adjust(acme, summary, '25'),
  'void the summary': (acme, { summary }) => acme.invoices.void(summary.id),
  'write the summary off': (acme, { summary: { id } }) =>
    acme.tags.add({ type: 'INVOICE', id }, [SystemTag.WRITTEN_OFF]),
  'invoice the parent': (acme, { parentId: accountId }) =>
    acme.generateInvoice({ accountId, targetDate: '2024-04-15' }),
} as const satisfies Operations;

const ofChild = {
  'adjust the charge': (acme, { charge }) => adjust(acme, charge, '12'),
  'void the charge': (acme, { charge }) => acme.invoices.void(charge.id),
  'cancel in the term': (acme, { subscriptionId }) =>
    acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' }),
  'invoice the child': (acme, { childId: accountId }) =>
    acme.generateInvoice({ accountId, targetDate: '2024-04-15' }),
  'credit the child': (acme, { childId }) => credit(acme, childId, '4'),
  'move the credit up': (acme, { childId }) => acme.accounts.transferCreditToParent(childId),
} as const satisfies Operations;

type OfParent = keyof typeof ofParent;
type OfChild = keyof typeof ofChild;
type Pair = readonly [OfChild, OfParent];

/** Pairs in which the result of one operation affects the other. */
const deciding: readonly Pair[] = [
  ['adjust the charge', 'pay the summary by credit'],
  ['adjust the charge', 'void the summary'],
  ['void the charge', 'pay the summary by credit'],
  ['void the charge', 'adjust the summary'],
  ['invoice the child', 'invoice the parent'],
  ['move the credit up', 'pay the summary by credit'],
];

const pairs: readonly Pair[] = isLongRun
  ? (Object.keys(ofChild) as OfChild[]).flatMap((child) =>
      (Object.keys(ofParent) as OfParent[]).map((parent): Pair => [child, parent]),
    )
  : deciding;

// invoicing §12, §17 rules 1, 3; ruling R32
onPostgresql.describe('simultaneous operations on a child, its parent and their follow-up work', (open) => {
  const engine = engineBefore(open, { now: START });

  it(`have the complete result of one of the two possible orders (${pairs.length} pairs)`, async () => {
    const families = await inTurns(pairs.length * 4, (index) => found(engine, index));
    const placed = families.toSorted((a, b) => Number(a.mark) - Number(b.mark));
    await engine.settle();
    await engine.runTo(LATER);
    const settled = await inTurns(placed.length, (index) => withInvoices(engine, placed[index] as Founded));
    const byMark = new Map(settled.map((family) => [Number(family.mark), family]));
    const stages = pairs.map(([child, parent], index) => {
      const [a, b, c, d] = [0, 1, 2, 3].map((place) => byMark.get(index * 4 + place) as Family);
      return { child, parent, settledBetween: a, childFirst: b, parentFirst: c, raced: d } as Stage;
    });
    const one = (operations: Operations, name: string, family: Family): StormCall => ({
      name: `${name}@${family.mark}`,
      make: (acme) => (operations[name] as Operations[string])(acme, family),
    });
    const childCall = ({ child }: Stage, family: Family) => one(ofChild, child, family);
    const parentCall = ({ parent }: Stage, family: Family) => one(ofParent, parent, family);

    const inOrder = await inTurns(stages.length, async (index) => {
      const stage = stages[index] as Stage;
      const { settledBetween, childFirst, parentFirst } = stage;
      const first = await makeCall(engine, childCall(stage, settledBetween));
      const before = [
        await makeCall(engine, childCall(stage, childFirst)),
        await makeCall(engine, parentCall(stage, childFirst)),
      ];
      const after = [
        await makeCall(engine, parentCall(stage, parentFirst)),
        await makeCall(engine, childCall(stage, parentFirst)),
      ].toReversed();
      return { stage, first, before, after };
    });
    await engine.settle();
    const orders = await inTurns(inOrder.length, async (index) => {
      const { stage, first, before, after } = inOrder[index] as (typeof inOrder)[number];
      const between = [first, await makeCall(engine, parentCall(stage, stage.settledBetween))];
      return { stage, between, before, after };
    });
    await engine.settle();

    const calls = stages.flatMap((stage, index) => {
      const both = [childCall(stage, stage.raced), parentCall(stage, stage.raced)];
      return index % 2 === 0 ? both : both.toReversed();
    });
    const made = await besideTheQueue(engine, storm(engine, calls));
    const stormy = new Map(
      made.filter(({ refused }) => !COME_AGAIN.includes(refused)).map((call) => [call.name, call]),
    );

    const outcome = async (family: Family, both: readonly MadeCall[]) => ({
      refused: both.map(({ refused }) => refused),
      stories: [await storyOf(engine, family.parentId), await storyOf(engine, family.childId)],
      balances: await balancesOf(engine, family),
    });
    for (const { stage, between, before, after } of orders) {
      const { child, parent, raced } = stage;
      const own = [childCall, parentCall].map((call) => stormy.get(call(stage, raced).name) as MadeCall);
      const expected = [
        await outcome(stage.settledBetween, between),
        await outcome(stage.childFirst, before),
        await outcome(stage.parentFirst, after),
      ];
      expect(expected, `${child} beside ${parent}`).to.deep.include(await outcome(raced, own));
    }
    expect(await Array.fromAsync(engine.billing.checks.breaches(null))).to.eql([]);
    expect(engine.logger.lines.filter(({ level }) => level === 'error')).to.eql([]);
    expect(await deadlocks(engine), 'deadlocks').to.equal(0);
  });
});

interface Stage {
  readonly child: OfChild;
  readonly parent: OfParent;
  /** Runs the child's operation, the work that follows from it, then the parent's operation. */
  readonly settledBetween: Family;
  readonly childFirst: Family;
  readonly parentFirst: Family;
  readonly raced: Family;
}

type Founded = Omit<Family, 'summary' | 'charge'>;

/**
 * Creates a family. Half of the parents have a lower record id than their child, half a higher one, because locks are
 * taken by record id.
 */
async function found({ acme }: TestEngine, index: number): Promise<Founded> {
  const mark = String(index);
  const isElder = Math.floor(index / 4) % 2 === 0;
  const create = () => acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
  const [first, second] = [await create(), await create()];
  const [parent, child] = isElder ? [first, second] : [second, first];
  await acme.updateAccount(child.id, {
    changes: { parentAccountId: parent.id, isPaymentDelegatedToParent: true },
  });
  const of = (accountId: Uuid, key: string) => ({
    accountId,
    planName: 'solo-now',
    externalKey: `${key}@${mark}`,
  });
  await acme.createSubscription(of(parent.id, 'own'));
  const { subscriptionId } = await acme.createSubscription(of(child.id, 'base'));
  const items = [{ amount: '30' }];
  await acme.invoices.addCharges({ accountId: child.id, items, autoCommit: true });
  return { mark, parentId: parent.id, childId: child.id, subscriptionId };
}

/** Adds credit of the child after the summary was committed, so that the summary does not use it. */
async function withInvoices({ acme }: TestEngine, founded: Founded): Promise<Family> {
  const { parentId, childId } = founded;
  await credit(acme, childId, '3');
  const ofAccount = (accountId: Uuid) => acme.invoices.ofAccount({ accountId, withItems: true });
  const summary = (await ofAccount(parentId)).find(({ isParentInvoice }) => isParentInvoice);
  const charge = (await ofAccount(childId)).find(({ items }) => items[0]?.itemType === 'EXTERNAL_CHARGE');
  if (summary?.status !== 'COMMITTED' || charge === undefined) throw new Error('the family has no invoices');
  return { ...founded, summary, charge };
}

/** Runs the queue during the calls, and then processes the remaining entries. */
async function besideTheQueue<T>(engine: TestEngine, calls: Promise<T>): Promise<T> {
  let isOver = false;
  const working = (async () => {
    while (!isOver) await engine.settle();
  })();
  try {
    return await calls;
  } finally {
    isOver = true;
    await engine.settle(working);
  }
}

async function balancesOf({ acme }: TestEngine, { parentId, childId }: Family): Promise<readonly string[]> {
  const ids = [parentId, childId];
  const found = await acme.accounts.balances(ids);
  const accounts = ids.map((id) => {
    const { accountBalance, accountCBA } = found.get(id) ?? {};
    return [accountBalance, accountCBA].map((amount) => amount && formatDecimal(amount)).join(' ');
  });
  const invoices = await Promise.all(ids.map((accountId) => acme.invoices.ofAccount({ accountId })));
  return [...accounts, ...invoices.flat().map(({ balance }) => formatDecimal(balance))];
}

async function deadlocks({ database }: TestEngine): Promise<number> {
  const statement = 'select deadlocks from pg_stat_database where datname = current_database()';
  const [row] = await rowsOf(database, statement);
  return Number(row?.deadlocks);
}
