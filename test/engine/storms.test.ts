import { BillingActionPolicy, ErrorCode, type Uuid } from '../../lib/index.ts';
import { eachDatabase, expect, isLongRun, openEngine, type TestEngine } from '../support/index.ts';
import type { MadeCall, StormCall } from '../support/storm-calls.ts';
import { COME_AGAIN, effectsIn, inTurns, makeCall, storm, storyOf } from '../support/storm-calls.ts';

/** Number of accounts in the storm across accounts. */
const ACCOUNTS = isLongRun ? 500 : 24;

/** Subscriptions of the account before the storm: each is changed twice and canceled. */
const STANDING = 10;

const START = '2024-03-01T09:15:00Z';
const LATER = '2024-03-11T09:15:00Z';

/** Errors that a call of the storm may get because another call came first. */
const REFUSALS: Readonly<Record<string, readonly number[]>> = {
  change: [ErrorCode.SUBSCRIPTION_CHANGE_NON_ACTIVE, ErrorCode.SUBSCRIPTION_CHANGE_FUTURE_CANCELLED],
  same: [ErrorCode.SUBSCRIPTION_EXTERNAL_KEY_EXISTS],
  twin: [ErrorCode.SUBSCRIPTION_CREATE_BP_EXISTS],
};

// subscriptions §24
eachDatabase.describe('simultaneous calls', (open) => {
  const start = () => openEngine(open, { now: START });

  it('have the same result on one account as the same 50 calls in some sequential order', async () => {
    const engine = await start();
    const account = await standing(engine);
    const made = await storm(engine, shuffled(callsOn(account)));
    const effects = await effectsIn(engine.database);
    const [accepted, refused] = apart(made);
    expect(refused.flatMap(({ token }) => effects.of(token))).to.eql([]);
    for (const { name, refused: code } of refused)
      expect(code, name).to.be.oneOf([...COME_AGAIN, ...(REFUSALS[name.split(' ')[0] ?? ''] ?? [])]);
    const count = (prefix: string) => accepted.filter(({ name }) => name.startsWith(prefix)).length;
    expect(['own', 'same', 'twin', 'cancel'].map(count)).to.eql([10, 1, 1, STANDING]);

    const order = effects.orderOf(accepted);
    expect(order.map(({ name }) => name).toSorted()).to.eql(accepted.map(({ name }) => name).toSorted());

    const serial = await start();
    const twin = await standing(serial);
    const twinCalls = new Map(callsOn(twin).map((call) => [call.name, call]));
    const again: MadeCall[] = [];
    for (const { name } of order) {
      const call = twinCalls.get(name);
      if (call !== undefined) again.push(await makeCall(serial, call));
    }
    await engine.settle();
    await serial.settle();
    expect(await storyOf(engine, account.id)).to.eql(await storyOf(serial, twin.id));
    const [inStorm, inTurn] = [await effectsIn(engine.database), await effectsIn(serial.database)];
    for (const [index, { name, token }] of order.entries()) {
      const other = again[index];
      expect(inStorm.of(token), name).to.eql(other && inTurn.of(other.token));
    }
    expect(engine.ledger.all().length).to.equal(serial.ledger.all().length);
  });

  it(`create only one of two equal subscriptions on ${ACCOUNTS} accounts, and apply a change and a cancellation in either order`, async () => {
    const engine = await start();
    const ids = await inTurns(ACCOUNTS + 2, async () => (await engine.payingAccount({ currency: 'USD' })).id);
    const created = await storm(
      engine,
      ids.flatMap((id) => [creation(id, 'first'), creation(id, 'second')]),
    );
    const [creations, doubles] = apart(created);
    expect(creations).to.have.length(ids.length);
    for (const { refused } of doubles)
      expect(refused).to.be.oneOf([...COME_AGAIN, ErrorCode.SUBSCRIPTION_EXTERNAL_KEY_EXISTS]);
    await engine.runTo(LATER);

    const [changedFirst, cancelledFirst, ...stormy] = ids;
    if (changedFirst === undefined || cancelledFirst === undefined) throw new Error('no accounts');
    const alone = [
      ...[await change(engine, changedFirst), await cancellation(engine, changedFirst)],
      ...[await cancellation(engine, cancelledFirst), await change(engine, cancelledFirst)],
    ];
    const answers: (number | null)[] = [];
    for (const call of alone) answers.push((await makeCall(engine, call)).refused);
    expect(answers).to.eql([null, null, null, ErrorCode.SUBSCRIPTION_CHANGE_FUTURE_CANCELLED]);

    const calls: StormCall[] = [];
    for (const [index, id] of stormy.entries()) {
      const two = [await change(engine, id), await cancellation(engine, id)];
      calls.push(...(index % 2 === 0 ? two : two.toReversed()));
    }
    const [accepted, refused] = apart(await storm(engine, calls));
    await engine.settle();
    const effects = await effectsIn(engine.database);
    expect([...doubles, ...refused].flatMap(({ token }) => effects.of(token))).to.eql([]);
    const late = new Set(
      refused.filter(({ refused: code }) => !COME_AGAIN.includes(code)).map(({ name }) => name),
    );
    const [changed, cancelled] = [await storyOf(engine, changedFirst), await storyOf(engine, cancelledFirst)];
    for (const id of stormy)
      expect(await storyOf(engine, id), id).to.eql(late.has(`change ${id}`) ? cancelled : changed);
    expect(accepted.filter(({ name }) => name.startsWith('cancel'))).to.have.length(stormy.length);
    expect(engine.logger.lines.filter(({ level }) => level === 'error')).to.eql([]);
  }).timeout(240_000);
});

interface Standing {
  readonly id: Uuid;
  readonly subscriptionIds: readonly Uuid[];
}

/** Creates a paying account with subscriptions that started ten days ago. */
async function standing(engine: TestEngine): Promise<Standing> {
  const { id } = await engine.payingAccount({ currency: 'USD' });
  const subscriptionIds: Uuid[] = [];
  for (const externalKey of times(STANDING, (index) => `s${index}`)) {
    const request = { accountId: id, planName: 'solo-now', externalKey };
    subscriptionIds.push((await engine.acme.createSubscription(request)).subscriptionId);
  }
  await engine.settle();
  await engine.runTo(LATER);
  return { id, subscriptionIds };
}

/**
 * Returns fifty calls: twenty creations, some with the same key or bundle, and for each existing subscription two
 * changes and a cancellation.
 */
function callsOn({ id: accountId, subscriptionIds }: Standing): readonly StormCall[] {
  const create = (name: string, keys: object): StormCall => ({
    name,
    make: (acme) => acme.createSubscription({ accountId, planName: 'solo-now', ...keys }),
  });
  const billingPolicy = BillingActionPolicy.IMMEDIATE;
  return [
    ...times(10, (index) => create(`own ${index}`, { externalKey: `own${index}` })),
    ...times(5, (index) => create(`same ${index}`, { externalKey: 'same' })),
    ...times(5, (index) =>
      create(`twin ${index}`, { bundleExternalKey: 'twin', externalKey: `twin@${index}` }),
    ),
    ...subscriptionIds.flatMap((id, index): readonly StormCall[] => [
      {
        name: `change s${index} to team`,
        make: (acme) => acme.subscriptions.changePlan(id, { planName: 'team-now', billingPolicy }),
      },
      {
        name: `change s${index} to pro`,
        make: (acme) => acme.subscriptions.changePlan(id, { planName: 'pro-annual', billingPolicy }),
      },
      {
        name: `cancel s${index}`,
        make: (acme) => acme.subscriptions.cancel(id, index % 2 === 0 ? { billingPolicy } : {}),
      },
    ]),
  ];
}

function creation(accountId: Uuid, name: string): StormCall {
  const externalKey = `only@${accountId}`;
  return {
    name: `create ${name} ${accountId}`,
    make: (acme) => acme.createSubscription({ accountId, planName: 'solo-now', externalKey }),
  };
}

async function change(engine: TestEngine, accountId: Uuid): Promise<StormCall> {
  const { subscriptionId } = await engine.acme.subscriptions.getByKey(`only@${accountId}`);
  const billingPolicy = BillingActionPolicy.IMMEDIATE;
  return {
    name: `change ${accountId}`,
    make: (acme) => acme.subscriptions.changePlan(subscriptionId, { planName: 'team-now', billingPolicy }),
  };
}

async function cancellation(engine: TestEngine, accountId: Uuid): Promise<StormCall> {
  const { subscriptionId } = await engine.acme.subscriptions.getByKey(`only@${accountId}`);
  return { name: `cancel ${accountId}`, make: (acme) => acme.subscriptions.cancel(subscriptionId) };
}

function apart(made: readonly MadeCall[]): readonly [readonly MadeCall[], readonly MadeCall[]] {
  const { true: refused = [], false: accepted = [] } = Object.groupBy(made, ({ refused: code }) =>
    code === null ? 'false' : 'true',
  );
  return [accepted, refused];
}

function times<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Returns the items in a fixed disorder, so that only the race determines the order of effects. */
function shuffled<T>(all: readonly T[]): readonly T[] {
  const step = 37;
  return all.map((_, index) => all[(index * step + 11) % all.length] as T);
}
