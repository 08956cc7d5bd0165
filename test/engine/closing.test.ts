import { type BillingError, ErrorCode, type NewNotification, type QueueName } from '../../lib/index.ts';
import { expectBelow } from '../support/assertions.ts';
import type { TestEngine } from '../support/index.ts';
import { areCells, eachDatabaseByTurns, expect, hostOf, openEngine, storageOf } from '../support/index.ts';

const sentence = 'This billing engine is closed. Open another one with Billing.open.';
const ofStorage = 'This storage has been closed; open a new one';

/** Returns the error of a call that throws or rejects. */
async function refusal(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    expect(error, String(error)).to.include({ code: ErrorCode.BUSY });
    return (error as BillingError).message;
  }
  throw new Error('it was not refused');
}

/** Returns the names of the operations, including bound ones, which come from a prototype. */
function namesOf(group: object): readonly string[] {
  const names: string[] = [];
  for (const name in group) names.push(name);
  return names;
}

function functionsOf(group: object, prefix = ''): readonly (readonly [string, () => unknown])[] {
  return namesOf(group).flatMap((name) => {
    const value: unknown = group[name as never];
    if (typeof value === 'function') return [[prefix + name, () => value({}, {})] as const];
    const isGroup =
      typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
    return isGroup ? functionsOf(value, `${prefix}${name}.`) : [];
  });
}

eachDatabaseByTurns.describe('closed or stopping engine', (open) => {
  let engine: TestEngine;
  beforeEach(async () => {
    engine = await openEngine(open, { now: '2024-03-01T08:00:00Z' });
  });

  it('rejects every call with a clear message, even calls on objects that the engine returned before', async () => {
    const { billing, tenant } = engine;
    const host = hostOf(engine.database);
    const before = billing.as({ tenant: tenant.id, user: 'test' });
    const within = await host.transaction(async (em) => before.within(em));
    await host.close();
    await billing.close();
    const { clock: _clock, server: _server, close: _close, stop: _stop, as: _as, ...others } = billing;
    // A server also records rejected requests. The storage rejects operator calls (next test).
    const { requests: _requests, security: _security, checks: _checks, ...own } = others;
    const bound = functionsOf(before, 'as.').filter(([name]) => name !== 'as.within');
    const calls = [...functionsOf(own), ...bound, ...functionsOf(within, 'within.')];
    calls.push(['within', () => before.within({} as never)]);
    expect(calls.map(([name]) => name)).to.include.members([
      'start',
      'settle',
      'health',
      'createAccount',
      'invoices.dryRun',
      'as.accounts.close',
      'within.createSubscription',
    ]);
    for (const [name, call] of calls) expect(await refusal(call), name).to.equal(sentence);
  });

  it('closes its storage, so that direct storage calls fail', async () => {
    const { billing, storage, tenant } = engine;
    await billing.close();
    // With cells, the calls of idempotency keys also end before the engine closes.
    const calls = [
      () => billing.security.find('admin'),
      ...(areCells ? [] : [() => billing.idempotency.begin({ tenant, key: 'k', hash: 'h' })]),
      () => billing.checks.breaches()[Symbol.asyncIterator]().next(),
      () => storage.read(tenant, async () => 1),
      () => storage.readInOneStatement(tenant, async () => 1),
      () => storage.system.ping(),
      () => storage.prepare(),
      () => storage.poolUse(),
    ];
    for (const call of calls) expect(await refusal(call)).to.equal(ofStorage);
  });

  it('releases the database to the next engine, and does not reopen it', async () => {
    const { billing, database, acme } = engine;
    await billing.close();
    await refusal(() => acme.createAccount({}));
    const next = storageOf(database);
    await next.prepare();
    await refusal(() => acme.createAccount({}));
    await next.system.ping();
    await next.close();
  });

  it('finishes the running calls first, and closes only once', async () => {
    const { billing, acme } = engine;
    const made = acme.createAccount({});
    await Promise.all([billing.close(), billing.close()]);
    expect((await made).recordId).to.be.greaterThan(0);
  });
});

eachDatabaseByTurns.describe('stopping engine', (open) => {
  let engine: TestEngine;
  beforeEach(async () => {
    engine = await openEngine(open, { now: '2024-03-01T08:00:00Z' });
  });

  it('ends every wait for unfinished work as soon as it stops, but accepts calls until it is closed', async () => {
    const { acme, billing, storage, clock, tenant } = engine;
    const account = await engine.settle(acme.createAccount({}));
    const context = await billing.context({ tenant, user: 'test' });
    const left: NewNotification = {
      queueName: 'nobody-service:nothing' as QueueName,
      accountRecordId: account.recordId,
      effectiveDate: clock.now(),
      payload: {},
      uniqueKey: null,
    };
    const authorship = { ...context, userTokenOf: () => context.userToken };
    await storage.write(tenant, authorship, async (session) => session.schedule([left]));
    billing.start();
    const waits = [billing.settle({ timeoutMs: 60_000 }), billing.completion(context, 60_000, account.id)];
    const startedMs = Date.now();
    await billing.stop();
    expect(await Promise.all(waits)).to.eql([false, false]);
    expectBelow(5_000, Date.now() - startedMs, 'milliseconds until the waits end');
    expect((await acme.createAccount({})).recordId).to.be.greaterThan(account.recordId);
  });
});
