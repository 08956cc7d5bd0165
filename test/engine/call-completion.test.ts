import { uuidGenerator } from '../../adapters/node/index.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import type { CallContext, QueueName, SettableClock, Uuid } from '../../lib/index.ts';
import { ErrorCode, formatInstant } from '../../lib/index.ts';
import { authorshipOf, Dispatcher } from '../../lib/runtime/index.ts';
import { anyDatabase, eachDatabaseByTurns, engineBeforeEach, entryTokens, expect } from '../support/index.ts';
import type { Account } from '../support/plain-views.ts';
import { rejection } from '../support/storage/opened-storage.ts';

const LONG_MS = 20_000;

eachDatabaseByTurns.describe('call completion (subscriptions §22)', (open) => {
  const ids = uuidGenerator();
  let account: Account;

  const engine = engineBeforeEach(open, { now: '2024-03-01T08:00:00Z' });
  beforeEach(async () => {
    account = await engine.settle(engine.payingAccount({ currency: 'USD' }));
  });

  /** Subscribes to a plan that is due at once and returns the context of the call. */
  async function subscribe(accountId: Uuid = account.id): Promise<CallContext> {
    const context = await engine.billing.context({ tenant: engine.tenant, user: 'test' });
    await engine.billing.createSubscription(context, { accountId, planName: 'solo-now' });
    return context;
  }

  async function purchases(accountId: Uuid = account.id): Promise<readonly string[]> {
    const payments = await engine.acme.payments.ofAccount(accountId);
    return payments.flatMap(({ transactions }) => transactions.map(({ status }) => status));
  }

  const complete = (context: CallContext, timeoutMs = LONG_MS) =>
    engine.billing.completion(context, timeoutMs, account.id);

  it('processes the queue itself if the host has not started background work', async () => {
    const context = await subscribe();
    expect(await purchases()).to.eql([]);
    expect(await complete(context)).to.equal(true);
    expect(await purchases()).to.eql(['SUCCESS']);
  });

  it('waits for background work if the node has started it', async () => {
    engine.billing.start();
    expect(await complete(await subscribe())).to.equal(true);
    expect(await purchases()).to.eql(['SUCCESS']);
  });

  it('does not require an account id', async () => {
    expect(await engine.billing.completion(await subscribe(), LONG_MS)).to.equal(true);
    expect(await purchases()).to.eql(['SUCCESS']);
  });

  it('waits for work that another node holds', async () => {
    const { storage, clock, systemClock, logger, tenant } = engine;
    const waiting = new Dispatcher(
      { storage, clock, systemClock, logger, ids },
      { handlers: [], tenantOf: async () => tenant, node: 'waiting' },
    );
    waiting.start();
    try {
      const cause = { userToken: (await subscribe()).userToken, accountRecordId: account.recordId };
      const completed = waiting.complete(tenant.recordId, cause, LONG_MS);
      await engine.settle();
      expect(await completed).to.equal(true);
      expect(await waiting.complete(tenant.recordId, cause, 0)).to.equal(true);
    } finally {
      await waiting.stop();
    }
  });

  for (const started of [true, false])
    it(`ends at its time limit ${started ? 'with' : 'without'} background work, but does not stop the work of the call`, async () => {
      engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_SLEEP', SLEEP_TIME_SEC: 0.4 });
      if (started) engine.billing.start();
      const context = await subscribe();
      expect(await complete(context, 0)).to.equal(false);
      expect(await complete(context, 150)).to.equal(false);
      expect(await purchases()).to.not.include('SUCCESS');
      expect(await complete(context)).to.equal(true);
      expect(await purchases()).to.eql(['SUCCESS']);
    });

  it('ends after a failed payment, although the retry is due later', async () => {
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' });
    expect(await complete(await subscribe())).to.equal(true);
    expect(await purchases()).to.eql(['PAYMENT_FAILURE']);
  });

  it('waits only for the work of its own call', async () => {
    const other = await engine.billing.context({ tenant: engine.tenant, user: 'test' });
    // Work of another call that no node has a handler for, so it stays due.
    await engine.storage.write(engine.tenant, authorshipOf(other), async (session) =>
      session.schedule([
        {
          queueName: 'nobody-service:nothing' as QueueName,
          accountRecordId: account.recordId,
          effectiveDate: engine.clock.now(),
          payload: {},
          uniqueKey: null,
        },
      ]),
    );
    const context = await subscribe();
    expect(await complete(context)).to.equal(true);
    expect(await engine.billing.completion(context, LONG_MS)).to.equal(true);
    expect(await complete(other, 100)).to.equal(false);
  });

  it('rejects an unknown account', async () => {
    const context = await subscribe();
    const error = await engine.billing
      .completion(context, LONG_MS, ids.next())
      .catch((reason: unknown) => reason);
    expect(error).to.include({ code: 3002 });
  });

  it("finds all follow-up work of a call by the call's token, even in shared batches", async () => {
    const second = await engine.settle(engine.payingAccount({ currency: 'USD' }));
    const before = (await entryTokens(engine.database)).length;
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 1 });
    const calls = [await subscribe(), await subscribe(second.id)];
    await engine.settle();
    const entries = (await entryTokens(engine.database)).slice(before);
    for (const [index, { recordId }] of [account, second].entries()) {
      const own = entries.filter((entry) => entry.account === recordId);
      expect(new Set(own.map(({ token }) => token))).to.eql(new Set([calls[index]?.userToken]));
      expect(own.map(({ topic }) => topic)).to.include.members([
        'SUBSCRIPTION_CREATION',
        'INVOICE_CREATION',
        'invoice-service:next-billing-date-queue',
      ]);
    }
    expect(entries.map(({ topic }) => topic)).to.include.members([
      'PAYMENT_SUCCESS',
      'PAYMENT_FAILED',
      'payment-service:retry',
    ]);
  });
});

const DECLINE = { CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' } as const;

anyDatabase.describe('completion with the fake clock of a test', (open) => {
  const engine = engineBeforeEach(open, { now: '2024-01-01T10:30:00Z' });

  it('moves a fake clock to bill and pay twelve months on their due dates, and to retry a declined payment days later', async () => {
    const { acme, billing, clock, gateway } = engine;
    const { id } = await engine.payingAccount({ currency: 'USD' });
    await acme.createSubscription({ accountId: id, planName: 'solo-now' });
    await billing.settleThrough(clock, '2024-03-01T10:29:59Z');
    gateway.configure(DECLINE);
    await billing.settleThrough(clock, '2024-03-02');
    gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
    const stops = await billing.settleThrough(clock, '2025-01-01');
    const months = Array.from({ length: 12 }, (_, index) => String(index + 1).padStart(2, '0'));
    const due = months.map((month) => `2024-${month}-01T10:30:00.000Z`);
    const invoices = await acme.invoices.ofAccount({ accountId: id });
    expect(invoices.map(({ createdDate }) => createdDate.toISOString())).to.eql(due);
    expect(invoices.every(({ balance }) => balance.isZero())).to.equal(true);
    const payments = await acme.payments.ofAccount(id);
    const tried = payments.flatMap(({ transactions }) =>
      transactions.map(({ effectiveDate }) => effectiveDate.toISOString()),
    );
    expect(tried.toSorted()).to.eql([...due, '2024-03-09T10:30:00.000Z'].toSorted());
    expect(stops.map((each) => formatInstant(each))).to.include.members([
      '2024-03-09T10:30:00.000Z',
      ...due.slice(3),
    ]);
    expect(stops.map(Number)).to.eql([...new Set(stops.map(Number))].toSorted((a, b) => a - b));
    expect(formatInstant(clock.now())).to.equal('2025-01-01T00:00:00.000Z');
  });

  it('stops the fake clock at the next full second if work falls due between two seconds', async () => {
    const { acme, billing, clock } = engine;
    const { id: parentAccountId } = await engine.payingAccount({ currency: 'USD' });
    const child = { currency: 'USD', parentAccountId, isPaymentDelegatedToParent: true };
    const { id } = await acme.createAccount(child);
    await acme.createSubscription({ accountId: id, planName: 'solo-now' });
    const stops = await billing.settleThrough(clock, '2024-01-03');
    expect(stops.map((each) => formatInstant(each))).to.include('2024-01-02T00:00:00.000Z');
    const [summary] = await acme.invoices.ofAccount({ accountId: parentAccountId });
    expect(summary?.status).to.equal('COMMITTED');
  });

  it('rejects a past time, and a fake clock that cannot be set or that the engine does not use', async () => {
    const { billing, clock } = engine;
    const still: Partial<SettableClock> = { now: () => clock.now() };
    const refused = async (...given: readonly unknown[]): Promise<string> => {
      const error = await rejection(billing.settleThrough(...(given as [SettableClock, string])));
      expect(error).to.include({ code: ErrorCode.INVALID_PARAMETER });
      return error.message;
    };
    expect(await refused(still, '2024-02-01')).to.contain('has no set(…)');
    expect(await refused(undefined, '2024-02-01')).to.contain('has no set(…)');
    expect(await refused(fakeClock('2024-01-01'), '2024-02-01')).to.contain(
      'open the engine with this clock',
    );
    expect(await refused(clock, '2023-12-31')).to.contain('cannot move time back');
    expect(await refused(clock, 'soon')).to.contain('neither a date nor a date-time');
    expect(formatInstant(clock.now())).to.equal('2024-01-01T10:30:00.000Z');
  });

  it('reports the time at which the fake clock stopped if work cannot be completed in time', async () => {
    const { acme, billing, clock } = engine;
    const { id } = await acme.createAccount({ currency: 'USD' });
    await acme.createSubscription({ accountId: id, planName: 'solo-now' });
    const late = await rejection(billing.settleThrough(clock, '2024-03-01', { timeoutMs: 0 }));
    expect(late).to.include({ code: ErrorCode.BUSY });
    expect(late.message).to.contain('2024-01-01T10:30:00.000Z');
  });
});
