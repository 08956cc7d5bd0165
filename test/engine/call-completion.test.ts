import { uuidGenerator } from '../../adapters/node/index.ts';
import type { CallContext, QueueName, Uuid } from '../../lib/index.ts';
import { authorshipOf, Dispatcher } from '../../lib/runtime/index.ts';
import { eachDatabaseByTurns, engineBeforeEach, entryTokens, expect } from '../support/index.ts';
import type { Account } from '../support/plain-views.ts';

const LONG_MS = 20_000;

eachDatabaseByTurns('call completion (subscriptions §22)', (open) => {
  const ids = uuidGenerator();
  let account: Account;

  const engine = engineBeforeEach(open, { now: '2024-03-01T08:00:00Z' });
  beforeEach(async () => {
    account = await engine.settle(engine.payingAccount({ currency: 'USD' }));
  });

  /** Subscribes to a plan that is due at once and gives the context of the call. */
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

  it('a wait for completion works the queue itself in a host that has not started the background', async () => {
    const context = await subscribe();
    expect(await purchases()).to.eql([]);
    expect(await complete(context)).to.equal(true);
    expect(await purchases()).to.eql(['SUCCESS']);
  });

  it('a wait for completion waits for the background of the node', async () => {
    engine.billing.start();
    expect(await complete(await subscribe())).to.equal(true);
    expect(await purchases()).to.eql(['SUCCESS']);
  });

  it('a wait for completion does without the account', async () => {
    expect(await engine.billing.completion(await subscribe(), LONG_MS)).to.equal(true);
    expect(await purchases()).to.eql(['SUCCESS']);
  });

  it('a wait for completion waits for the work of another node', async () => {
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

  for (const started of [true, false]) {
    it(`a wait for completion ends when its time is over, ${started ? 'with' : 'without'} background, and the work goes on`, async () => {
      engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_SLEEP', SLEEP_TIME_SEC: 0.4 });
      if (started) engine.billing.start();
      const context = await subscribe();
      expect(await complete(context, 0)).to.equal(false);
      expect(await complete(context, 150)).to.equal(false);
      expect(await purchases()).to.not.include('SUCCESS');
      expect(await complete(context)).to.equal(true);
      expect(await purchases()).to.eql(['SUCCESS']);
    });
  }

  it('a wait for completion ends with a payment that failed, whose retry falls due later', async () => {
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' });
    expect(await complete(await subscribe())).to.equal(true);
    expect(await purchases()).to.eql(['PAYMENT_FAILURE']);
  });

  it('a wait for completion follows its own call only', async () => {
    const other = await engine.billing.context({ tenant: engine.tenant, user: 'test' });
    // Work of another call for which no node has a handler: it stays due for ever.
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

  it('a wait for completion refuses unknown accounts', async () => {
    const context = await subscribe();
    const error = await engine.billing
      .completion(context, LONG_MS, ids.next())
      .catch((reason: unknown) => reason);
    expect(error).to.include({ code: 3002 });
  });

  it('the token of a call goes to all that follows from it, also in shared batches', async () => {
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
