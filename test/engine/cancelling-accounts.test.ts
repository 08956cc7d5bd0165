import { type Account, SystemTag, type Uuid } from '../../lib/index.ts';
import type { WriteSession } from '../../lib/ports/storage/index.ts';
import type { AccountToEnd } from '../../lib/subscriptions/index.ts';
import { cancelAll, datedInstant, setBlockingStates } from '../../lib/subscriptions/index.ts';
import { addEngineTag, removeEngineTag } from '../../lib/tags/index.ts';
import { parseLocalDate } from '../../lib/values/time/index.ts';
import { eachDatabase } from '../support/databases.ts';
import { engineAccount } from '../support/engine.ts';
import { engineBeforeEach, expect, expectCode, isLongRun, itemLines, newEvents } from '../support/index.ts';
import { author } from '../support/storage/stored-records.ts';
import { exampleCatalog, nextId } from '../support/subscriptions/example.ts';

const COUNTS = isLongRun ? [1, 10, 100] : [1, 10];

// Tests the parts of the overdue cancellation of many accounts one by one (overdue §5.1).
eachDatabase.describe('operations on many locked accounts', (open) => {
  let statements: string[] = [];
  const engine = engineBeforeEach(open, {
    now: '2024-01-01T08:00:00Z',
    trace: (statement) => statements.push(statement),
  });

  /** Creates an account with a base, its add-on and a standalone subscription, invoiced for January. */
  async function customer(): Promise<{ readonly account: Account; readonly ids: readonly Uuid[] }> {
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
    const account = await engineAccount(engine, accountId);
    const { subscriptionIds } = await engine.acme.subscriptions.createWithAddOns(
      ['solo-now', 'support-monthly'].map((planName) => ({ accountId, planName })),
    );
    const kit = await engine.acme.createSubscription({ accountId, planName: 'kit-monthly' });
    return { account, ids: [...subscriptionIds, kit.subscriptionId] };
  }

  async function customers(count: number): Promise<readonly Account[]> {
    const made: Account[] = [];
    for (let left = count; left > 0; left -= 1) made.push((await customer()).account);
    await engine.settle();
    return made;
  }

  const tools = () => ({ now: engine.clock.now(), nextId });

  function write(accounts: readonly Account[], work: (session: WriteSession) => Promise<unknown>) {
    return engine.storage.write(
      engine.tenant,
      author({ createdDate: engine.clock.now() }),
      async (session) => {
        await session.lockAccounts(
          accounts.map(({ id }) => id),
          { waitMs: 0 },
        );
        statements = [];
        await work(session);
      },
    );
  }

  const end = (accounts: readonly AccountToEnd[]) =>
    write(
      accounts.map(({ account }) => account),
      (session) => cancelAll(session, { accounts, catalogsOf: async () => () => exampleCatalog }, tools()),
    );

  const on = (date: string, billingPolicy: AccountToEnd['billingPolicy']) =>
    ({ requested: { date: parseLocalDate(date) }, billingPolicy, planned: 'MOVED_FORWARD' }) as const;

  const endsOf = (ids: readonly Uuid[]) => Promise.all(ids.map(engine.endsOf));

  it('cancel subscriptions and add-ons with the date and policy of each account, and repair their charges', async () => {
    const [first, second, other] = [await customer(), await customer(), await customer()];
    await engine.settle();
    await engine.runTo('2024-01-20T08:00:00Z');
    const newTypes = newEvents(engine.database);
    await newTypes();
    await end([
      { account: first.account, ...on('2024-01-11', 'IMMEDIATE') },
      { account: second.account, ...on('2024-01-16', 'END_OF_TERM') },
    ]);
    expect((await newTypes()).filter((type) => type === 'ENTITLEMENT_CANCEL')).to.have.length(6);
    await engine.settle();
    expect(await endsOf(first.ids)).to.eql(Array(3).fill('CANCELLED 2024-01-11 2024-01-11'));
    expect(await endsOf(second.ids)).to.eql(Array(3).fill('CANCELLED 2024-01-16 2024-02-01'));
    expect(await endsOf(other.ids)).to.eql(Array(3).fill('ACTIVE - -'));
    const invoices = await engine.acme.invoices.ofAccount({ accountId: first.account.id, withItems: true });
    expect(invoices.flatMap(itemLines).filter((line) => line.startsWith('REPAIR_ADJ'))).to.have.length(3);
  });

  it('cancel all subscriptions, even a subscription that starts after the cancellation date', async () => {
    const [young, old] = [await customer(), await customer()];
    const { id: accountId } = young.account;
    await engine.settle();
    await engine.runTo('2024-01-20T08:00:00Z');
    const late = await engine.subscribe({ accountId, planName: 'solo-now' });
    const asOwner = engine.acme.subscriptions.cancel(late.subscriptionId, { requestedDate: '2024-01-11' });
    await expectCode(asOwner, 'SUBSCRIPTION_INVALID_REQUESTED_DATE');
    await end([young, old].map(({ account }) => ({ account, ...on('2024-01-11', 'IMMEDIATE') })));
    await engine.settle();
    expect(await endsOf([...old.ids, ...young.ids])).to.eql(Array(6).fill('CANCELLED 2024-01-11 2024-01-11'));
    expect(await endsOf([late.subscriptionId])).to.eql(['CANCELLED 2024-01-20 2024-01-20']);
    await end([{ account: young.account, ...on('2024-01-05', 'IMMEDIATE') }]);
    expect(statements.filter((text) => /^\s*(insert|update|delete)/i.test(text))).to.eql([]);
  });

  it(`send the same number of SQL statements to cancel, block and tag ${COUNTS.join(' and ')} accounts`, async () => {
    const sent: number[][] = [];
    for (const count of COUNTS) {
      const accounts = await customers(count);
      await end(accounts.map((account) => ({ account, ...on('2024-01-01', 'END_OF_TERM') })));
      const ofEnds = statements.length;
      await write(accounts, (session) => setBlockingStates(session, accounts.map(disabled), tools()));
      const ofStates = statements.length;
      const definitionId = SystemTag.AUTO_INVOICING_OFF;
      const ids = { next: nextId };
      await write(accounts, (session) => addEngineTag(session, accounts, { definitionId, ids }));
      const ofTags = statements.length;
      await write(accounts, (session) => removeEngineTag(session, accounts, definitionId));
      sent.push([ofEnds, ofStates, ofTags, statements.length]);
    }
    for (const counts of sent) expect(counts).to.eql(sent[0]);
  });

  const disabled = (account: Account) => ({
    object: { type: 'ACCOUNT', account } as const,
    service: 'overdue-service',
    stateName: 'BLOCKED',
    isBlockChange: true,
    isBlockEntitlement: true,
    isBlockBilling: true,
    effective: datedInstant(null, engine.clock.now(), account),
  });
});
