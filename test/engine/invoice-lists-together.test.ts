import { uuidGenerator } from '../../adapters/node/index.ts';
import { memoryCatalogPlugin } from '../../adapters/testing/index.ts';
import { ErrorCode, type Uuid } from '../../lib/index.ts';
import { eachDatabase, engineBefore, expect } from '../support/index.ts';

const ACCOUNTS = 6;

eachDatabase.describe('simultaneous invoice lists', (open) => {
  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z' });
  const { acme } = engine;
  const accountIds: Uuid[] = [];

  before(async () => {
    for (let count = 1; count <= ACCOUNTS; count += 1) {
      const { id: accountId } = await acme.createAccount({ currency: 'USD' });
      accountIds.push(accountId);
      for (let number = 1; number < count; number += 1)
        await acme.invoices.addCharges({ accountId, items: [{ amount: `${number}` }], autoCommit: true });
    }
    await engine.settle();
  });

  const list = (accountId: Uuid, withItems = true) => acme.invoices.ofAccount({ accountId, withItems });

  it('share statements, and return the invoices of each account', async () => {
    const oneByOne: Awaited<ReturnType<typeof list>>[] = [];
    for (const id of accountIds) oneByOne.push(await list(id));
    const lists: unknown[] = [];
    const statements = await engine.statementsOf(async () => {
      lists.push(...(await Promise.all(accountIds.map((id) => list(id)))));
    });
    expect(lists).to.eql(oneByOne);
    expect(oneByOne.map(({ length }) => length)).to.eql([0, 1, 2, 3, 4, 5]);
    const reads = statements.filter((text) => text.includes('from bw_invoice_items'));
    expect(reads).to.have.length(1);
  });

  it('keep their own filters', async () => {
    const calls = accountIds.flatMap((id) => [list(id, true), list(id, false)]);
    const items = (await Promise.all(calls)).map((views) => views.flatMap((view) => view.items).length);
    expect(items).to.eql([0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0]);
  });

  it('contain no VOID invoices if their statuses are null', async () => {
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    await acme.invoices.addCharges({ accountId, items: [{ amount: '1' }], autoCommit: true });
    const [invoice] = await list(accountId);
    await acme.invoices.void(invoice?.id ?? accountId);
    // Callers without type checking pass null.
    const request = { accountId, ...({ statuses: null } as object) };
    const all = await Promise.all([acme.invoices.ofAccount(request), acme.invoices.ofAccount({ accountId })]);
    expect(all).to.eql([[], []]);
  });

  it('are read separately for accounts with long lists', async () => {
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    const items = Array.from({ length: 1_000 }, () => ({ amount: '1' }));
    await acme.invoices.addCharges({ accountId, items, autoCommit: true });
    await list(accountId);
    const [first = accountId] = accountIds;
    const statements = await engine.statementsOf(() => Promise.all([first, accountId].map((id) => list(id))));
    const reads = statements.filter((text) => text.includes('from bw_invoice_items'));
    expect(reads).to.have.length(2);
  });

  it('fail only for unknown accounts', async () => {
    const ids = [...accountIds.slice(0, 3), uuidGenerator().next(), ...accountIds.slice(3)];
    const outcomes = await Promise.allSettled(ids.map((id) => list(id)));
    const codes = outcomes.map((each) => (each.status === 'rejected' ? each.reason.code : null));
    const { ACCOUNT_DOES_NOT_EXIST_FOR_ID: unknown } = ErrorCode;
    expect(codes).to.eql([null, null, null, unknown, null, null, null]);
  });
});

eachDatabase.describe('simultaneous invoice lists with a catalog plugin', (open) => {
  const engine = engineBefore(open, {
    now: '2024-01-01T00:00:00Z',
    catalogPlugins: [memoryCatalogPlugin()],
  });

  it('share no statements, because each plugin call gets its own account and time', async () => {
    const { acme } = engine;
    const ids = await Promise.all([1, 2].map(async () => (await acme.createAccount({ currency: 'USD' })).id));
    const statements = await engine.statementsOf(() =>
      Promise.all(ids.map((accountId) => acme.invoices.ofAccount({ accountId, withItems: true }))),
    );
    const reads = statements.filter((text) => text.includes('from bw_invoice_items'));
    expect(reads).to.have.length(2);
  });
});
