import type { AccountInput, Uuid } from '../../lib/index.ts';
import { ObjectType } from '../../lib/records/index.ts';
import { eachDatabaseByTurns, engineBeforeEach, expect, expectCode, openShop } from '../support/index.ts';

eachDatabaseByTurns.describe('operations on account families and emails', (open, kind) => {
  const engine = engineBeforeEach(open, { now: '2025-03-10T09:15:30Z' });

  const create = async (input: AccountInput = {}) => (await engine.acme.createAccount(input)).id;
  const setParent = (accountId: Uuid, parentAccountId: Uuid | null) =>
    engine.acme.updateAccount(accountId, { changes: { parentAccountId }, treatNullAsReset: true });
  const childrenOf = async (accountId: Uuid) =>
    (await engine.acme.accounts.children(accountId)).map(({ id }) => id);

  it('list the direct children of an account in creation order, and return no children for an unknown account', async () => {
    const parent = await create();
    const [one, two] = [await create({ parentAccountId: parent }), await create()];
    const grandchild = await create({ parentAccountId: one });
    await setParent(two, parent);
    expect(await childrenOf(parent)).to.eql([one, two]);
    expect(await childrenOf(one)).to.eql([grandchild]);
    await setParent(one, null);
    expect(await childrenOf(parent)).to.eql([two]);
    expect(await childrenOf(grandchild)).to.eql([]);
  });

  it('reject parent cycles, unknown parents and parents of other tenants, and store nothing', async () => {
    const [a, b, c] = [await create(), await create(), await create()];
    await setParent(b, a);
    await setParent(c, b);
    await expectCode(setParent(a, c), 60003);
    await expectCode(setParent(a, a), 60003);
    const { acme: other } = await openShop(engine.billing);
    const foreign = (await other.createAccount({})).id;
    await expectCode(setParent(a, foreign), 3002);
    await expectCode(create({ parentAccountId: foreign }), 3002);
    expect((await engine.acme.getAccount(a)).parentAccountId).to.equal(null);
    expect(await childrenOf(foreign)).to.eql([]);
  });

  it('accept payment delegation without a parent, and validate the delegation when a parent is set', async () => {
    const parent = await create({ currency: 'USD' });
    const alone = await create({ isPaymentDelegatedToParent: true, currency: 'EUR' });
    expect((await engine.acme.getAccount(alone)).isPaymentDelegatedToParent).to.equal(true);
    await expectCode(setParent(alone, parent), 60003);
    expect((await engine.acme.getAccount(alone)).parentAccountId).to.equal(null);
    const child = await create({ parentAccountId: parent, isPaymentDelegatedToParent: true });
    await expectCode(create({ parentAccountId: child, isPaymentDelegatedToParent: true }), 60003);
  });

  it('accept only one of two simultaneous parent changes that would together close a cycle', async () => {
    const [a, b, c, d] = [await create(), await create(), await create(), await create()];
    await setParent(b, c);
    await setParent(d, a);
    const results = await Promise.allSettled([setParent(a, b), setParent(c, d)]);
    expect(
      results.filter(({ status }) => status === 'fulfilled'),
      kind,
    ).to.have.length(1);
  });

  it('add an address only once, and ignore the removal of an unknown address (accounts E11 "Emails")', async () => {
    const id = await create();
    const { accounts } = engine.acme;
    await accounts.addEmail(id, 'a@x.io');
    await accounts.addEmail(id, 'a@x.io');
    expect((await accounts.emails(id)).map(({ email }) => email)).to.eql(['a@x.io']);
    const [first] = await accounts.emails(id);
    await accounts.addEmail(id, 'A@x.io');
    await accounts.removeEmail(id, 'zz@x.io');
    await accounts.removeEmail(id, 'a@x.io');
    expect((await accounts.emails(id)).map(({ email }) => email)).to.eql(['A@x.io']);
    await accounts.addEmail(id, 'a@x.io');
    expect((await accounts.emails(id)).find(({ email }) => email === 'a@x.io')?.id).not.to.equal(first?.id);
    const other = await create();
    if (!first) throw new Error('no address');
    const object = { type: ObjectType.ACCOUNT_EMAIL, id: first.id };
    await expectCode(engine.acme.audit.historyWithin(other, object), 60007);
    const rows = await engine.acme.audit.historyWithin(id, object);
    expect(rows.map(({ changeType, snapshot }) => [changeType, snapshot?.isActive])).to.eql([
      ['INSERT', true],
      ['DELETE', false],
    ]);
  });

  it('store an email address once, even if many callers add the address simultaneously', async () => {
    const id = await create();
    const { accounts } = engine.acme;
    await Promise.all(Array.from({ length: 6 }, () => accounts.addEmail(id, 'a@x.io')));
    expect(await accounts.emails(id)).to.have.length(1);
  });

  it('reject empty and overlong email addresses, and unknown accounts', async () => {
    const id = await create();
    const { accounts } = engine.acme;
    await expectCode(accounts.addEmail(id, ''), 60003);
    await expectCode(accounts.addEmail(id, `${'a'.repeat(250)}@x.io`), 60003);
    await expectCode(accounts.addEmail(id, 'a\u0000@x.io'), 60003);
    const { acme: other } = await openShop(engine.billing);
    const foreign = (await other.createAccount({})).id;
    for (const call of [
      accounts.addEmail(foreign, 'a@x.io'),
      accounts.removeEmail(foreign, 'a@x.io'),
      accounts.emails(foreign),
    ])
      await expectCode(call, 3002);
    expect(await accounts.emails(id)).to.eql([]);
  });
});
