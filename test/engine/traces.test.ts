import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { Billing } from '../../adapters/node/billwright.ts';
import { workScopes } from '../../adapters/node/index.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import type { Clock } from '../../lib/index.ts';
import {
  anyDatabase,
  engineBeforeEach,
  expect,
  openEngine,
  recordingLogger,
  shopIn,
  shopTemplate,
  specCatalog,
  storageOf,
} from '../support/index.ts';
import { pathOf, recordedTraces } from '../support/tracing.ts';

const NOW = '2024-03-01T08:00:00Z';

anyDatabase.describe('traces (platform §13.1)', (open) => {
  const traces = recordedTraces();
  const engine = engineBeforeEach(open, { now: NOW, tracer: traces.tracer });
  const { acme } = engine;
  beforeEach(async () => {
    await engine.settle();
  });

  async function subscribed(count: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const { id } = await engine.settle(engine.payingAccount({ currency: 'USD' }));
      ids.push(id);
    }
    traces.forget();
    for (const accountId of ids) await acme.createSubscription({ accountId, planName: 'solo-now' });
    return ids;
  }

  it('are separate for accounts that are processed together, with links from the shared work', async () => {
    const ids = await engine.settle(subscribed(3));
    const spans = traces.spans();
    const calls = spans.filter(({ name }) => name === 'createSubscription').map(({ traceId }) => traceId);
    expect(new Set(calls).size).to.equal(3);
    const together = spans.find(({ name }) => name === 'payment-service:automatic-payment of 3');
    expect(together?.linkedTo).to.have.members(calls);
    expect(calls).to.not.include(together?.traceId);
    const ofAccount = (name: string) =>
      ids.map((id) => {
        const found = spans.filter(
          (span) => span.name === name && span.attributes['billwright.account.id'] === id,
        );
        return found.map(({ traceId }) => traceId);
      });
    expect(ofAccount('gateway PURCHASE')).to.eql(calls.map((call) => [call]));
    expect(ofAccount('invoice')).to.eql(calls.map((call) => [call]));
  });

  it('begin when scheduled work runs, and link to the trace that scheduled the work', async () => {
    await engine.settle(subscribed(1));
    const planned = new Set(traces.spans().map(({ traceId }) => traceId));
    traces.forget();
    await engine.runTo('2024-04-01T09:00:00Z');
    const spans = traces.spans();
    const run = spans.find(({ name }) => name === 'invoice-service:run');
    expect(planned).to.not.include(run?.traceId);
    expect(run?.parentId).to.equal(undefined);
    expect(run?.linkedTo).to.have.length(1);
    expect(planned).to.include(run?.linkedTo[0]);
    expect(spans.find(({ name }) => name === 'gateway PURCHASE')?.traceId).to.equal(run?.traceId);
  });

  it('show a rejected call and its work as failed', async () => {
    traces.forget();
    await acme.createSubscription({ accountId: engine.tenant.id, planName: 'solo-now' }).catch(() => null);
    const call = traces.spans().find(({ name }) => name === 'createSubscription');
    expect(call?.hasFailed).to.equal(true);
    expect(call?.attributes).to.deep.include({ 'billwright.tenant.id': engine.tenant.id });
  });

  it('nest calls in a host span, and engine spans in calls', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    try {
      const { sdkTracer } = traces;
      const account = await engine.settle(acme.createAccount({ currency: 'USD' }));
      traces.forget();
      await sdkTracer.startActiveSpan('order', async (span) => {
        await acme.paymentMethods.add({ accountId: account.id, pluginName: engine.gateway.name });
        span.end();
      });
      const spans = traces.spans();
      const added = spans.find(({ name }) => name === 'paymentMethods.add');
      if (added === undefined) throw new Error('no span of the call');
      expect(pathOf(added, spans)).to.eql(['order', 'paymentMethods.add']);
      expect(trace.getActiveSpan()).to.equal(undefined);
    } finally {
      context.disable();
    }
  });
});

anyDatabase.describe('log lines (platform §13.1)', (open) => {
  let refused = '';

  it('contain the id of the call that caused a failed run, even among runs of other calls', async () => {
    const engine = await openEngine(open, {
      now: NOW,
      invoicePlugins: [
        {
          name: 'strict',
          getAdditionalInvoiceItems: async (invoice) => {
            if (invoice.accountId === refused) throw new Error('no tax for this one');
            return null;
          },
        },
      ],
    });
    const { billing, tenant } = engine;
    const broken = await engine.payingAccount({ currency: 'USD' });
    const fine = await engine.settle(engine.payingAccount({ currency: 'USD' }));
    refused = broken.id;
    const userToken = '0190d6a3-0000-7000-8000-000000000001';
    for (const [accountId, token] of [
      [fine.id, undefined],
      [broken.id, userToken],
    ] as const)
      await billing
        .as({ tenant, user: 'test', ...(token === undefined ? {} : { userToken: token }) })
        .createSubscription({ accountId, planName: 'solo-now' });
    engine.logger.lines.length = 0;
    await engine.settle();
    const failed = engine.logger.lines.filter(({ message }) => message.startsWith('invoice run failed'));
    expect(failed.map(({ fields }) => fields)).to.have.length(1);
    expect(failed[0]?.fields).to.deep.include({ requestId: userToken, accountId: broken.id });
  });
});

anyDatabase.describe('traces of background polls (platform §13.1)', (open) => {
  it('show polls for due work without a user, regardless of the caller that woke the queue', async () => {
    const scopes = workScopes();
    const looked: (string | null | undefined)[] = [];
    const clock: Clock = {
      ...fakeClock(NOW),
      refresh: async () => void looked.push(scopes.current()?.requestId),
    };
    const storage = storageOf(await open(shopTemplate(specCatalog)));
    const billing = await Billing.open({ storage, clock, scopes, logger: recordingLogger() });
    try {
      const { acme } = await shopIn(billing);
      billing.start();
      await billing.settle();
      looked.length = 0;
      await billing.requests.run({ name: 'order', requestId: 'mine' }, async () => {
        const { id: accountId } = await acme.createAccount({ currency: 'USD' });
        await acme.createSubscription({ accountId, planName: 'solo-now' });
      });
      await billing.settle();
      expect(looked).to.include(undefined).and.not.include('mine');
    } finally {
      await billing.close();
    }
  });
});
