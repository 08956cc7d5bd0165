import { uuidGenerator } from '../../adapters/node/index.ts';
import type { Uuid } from '../../lib/index.ts';
import { eachDatabase, engineBefore, expect, onPostgresql, type TestEngine } from '../support/index.ts';
import { author } from '../support/storage/stored-records.ts';

const PLAN = 'solo-now';
const ids = uuidGenerator();

eachDatabase.describe('simultaneous subscription creations', (open) => {
  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z' });
  const { acme } = engine;

  it('share transactions if they have the same author, but keep their own user tokens', async () => {
    const { billing, tenant } = engine;
    const accountIds = await accountsOf(engine, 8);
    const calls = accountIds.map((accountId) => ({ accountId, userToken: ids.next() }));
    const create = ({ accountId, userToken }: (typeof calls)[number]) =>
      billing.as({ tenant, user: 'ada', userToken }).createSubscription({ accountId, planName: PLAN });
    const created: Awaited<ReturnType<typeof create>>[] = [];
    const statements = await engine.statementsOf(async () => {
      created.push(...(await Promise.all(calls.map(create))));
    });
    expect(statements.filter((text) => text.includes('insert into bw_subscriptions'))).to.have.length(1);
    const audits = await Promise.all(
      created.map(({ subscriptionId: id }) => acme.audit.history({ type: 'SUBSCRIPTION', id })),
    );
    expect(audits.map(([first]) => first?.userToken)).to.eql(calls.map(({ userToken }) => userToken));
    await engine.settle();
    const invoices = await Promise.all(accountIds.map(engine.invoicesOf));
    expect(invoices.map(({ length }) => length)).to.eql(accountIds.map(() => 1));
  });

  it('fail independently of each other', async () => {
    const accountIds = await accountsOf(engine, 4);
    const outcomes = await Promise.allSettled(
      accountIds.map((accountId, index) =>
        acme.createSubscription({ accountId, planName: index === 2 ? 'unknown' : PLAN }),
      ),
    );
    expect(outcomes.map(({ status }) => status)).to.eql(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('are all stored if they are for one account', async () => {
    const { id: accountId } = await engine.payingAccount({ currency: 'USD' });
    await Promise.all([1, 2, 3].map(() => acme.createSubscription({ accountId, planName: PLAN })));
    expect(await acme.subscriptions.list({ accountId })).to.have.length(3);
  });

  it('give a bundle key to only one of several accounts', async () => {
    const accountIds = await accountsOf(engine, 4);
    const outcomes = await Promise.allSettled(
      accountIds.map((accountId) =>
        acme.createSubscription({ accountId, planName: PLAN, bundleExternalKey: 'desk' }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
  });
});

onPostgresql.describe('simultaneous subscription creations', (open) => {
  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z' });

  it('do not wait for locks of other accounts', async () => {
    const freeIds = await accountsOf(engine, 3);
    const { id: busyId } = await engine.payingAccount({ currency: 'USD' });
    const create = (accountId: Uuid) => engine.acme.createSubscription({ accountId, planName: PLAN });
    let waiting: Promise<unknown> = Promise.resolve();
    await engine.storage.write(
      engine.tenant,
      author({ createdDate: engine.clock.now() }),
      async (session) => {
        await session.lockAccounts([busyId]);
        const [first, ...others] = freeIds.map(create);
        waiting = create(busyId);
        await Promise.all([first, ...others]);
      },
    );
    await waiting;
  });
});

async function accountsOf({ payingAccount }: TestEngine, count: number) {
  const accounts = await Promise.all(Array.from({ length: count }, () => payingAccount({ currency: 'USD' })));
  return accounts.map(({ id }) => id);
}
