import { formatDecimal, SystemTag, type Uuid } from '../../lib/index.ts';
import { RECLAIMED_CREDITS_AT_ONCE } from '../../lib/invoicing/operations/credit-operations.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import { codeOf, engineBefore, expect, expectCode, newEvents } from '../support/index.ts';
import type { InvoiceItemView } from '../support/plain-views.ts';

eachDatabaseByTurns.describe('credit item deletion (invoicing §9 rule 7)', (open) => {
  let newTypes: () => Promise<readonly string[]>;
  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z' });
  before(async () => {
    newTypes = newEvents(engine.database);
  });

  const newAccount = async () => (await engine.acme.createAccount({ currency: 'USD' })).id;
  const add = async (operation: 'addCharges' | 'addCredits', accountId: Uuid, amounts: readonly string[]) => {
    const items = amounts.map((amount) => ({ amount }));
    const [item] = await engine.acme.invoices[operation]({ accountId, items, autoCommit: true });
    return item?.invoiceId as Uuid;
  };
  const charge = (accountId: Uuid, ...amounts: readonly string[]) => add('addCharges', accountId, amounts);
  const credit = (accountId: Uuid, ...amounts: readonly string[]) => add('addCredits', accountId, amounts);
  async function itemOf(invoiceId: Uuid, type = 'CBA_ADJ'): Promise<InvoiceItemView> {
    const { items } = await engine.acme.getInvoice(invoiceId);
    const item = items.find(({ itemType }) => itemType === type);
    if (!item) throw new Error(`no ${type}`);
    return item;
  }
  async function remove(accountId: Uuid, invoiceId: Uuid): Promise<void> {
    const invoiceItemId = (await itemOf(invoiceId)).id;
    await engine.acme.invoices.deleteCredit({ accountId, invoiceId, invoiceItemId });
  }
  const balancesOf = async (accountId: Uuid) => (await engine.balancesOf(accountId)).join(' / ');
  /** Returns each invoice: its items with the descriptions that a deletion adds, its amount and its balance. */
  async function invoicesOf(accountId: Uuid): Promise<readonly string[]> {
    const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    return invoices
      .toSorted((a, b) => a.invoiceNumber - b.invoiceNumber)
      .map(({ items, amount, balance }) => {
        const lines = items.map((item) => {
          const why = /^(Delete|Reclaim)/.test(item.description ?? '') ? ` (${item.description})` : '';
          return `${item.itemType} ${formatDecimal(item.amount)}${why}`;
        });
        return `${lines.join(', ')} = ${formatDecimal(amount)} owes ${formatDecimal(balance)}`;
      });
  }
  const expectSound = async () => expect(await engine.breaches()).to.eql([]);

  it('returns used credit to the account, so that the account can use the credit again on request', async () => {
    const id = await newAccount();
    await credit(id, '30');
    const invoiceId = await charge(id, '19.95');
    expect(await balancesOf(id)).to.equal('-10.05 / 10.05');
    await newTypes();
    await remove(id, invoiceId);
    expect(await invoicesOf(id)).to.eql([
      'CREDIT_ADJ -30, CBA_ADJ 30 = 0 owes 0',
      'EXTERNAL_CHARGE 19.95, CBA_ADJ 0 (Delete used credit) = 19.95 owes 19.95',
    ]);
    expect(await balancesOf(id)).to.equal('-10.05 / 30');
    expect(await newTypes()).to.eql(['INVOICE_ADJUSTMENT']);
    await engine.settle();
    expect(await balancesOf(id), 'it is not used again').to.equal('-10.05 / 30');
    await expectSound();
    const { id: itemId } = await itemOf(invoiceId);
    const history = await engine.acme.audit.history({ type: 'INVOICE_ITEM', id: itemId });
    expect(history.map((row) => [row.changeType, String(row.snapshot?.amount)])).to.eql([
      ['INSERT', '-19.95'],
      ['UPDATE', '0'],
    ]);
    const { text } = await engine.acme.invoices.explain(itemId);
    expect(text).to.match(/The amount was changed to 0 USD later: Delete used credit\.$/);
    await engine.acme.accounts.rebalanceCredit(id);
    expect(await balancesOf(id)).to.equal('-10.05 / 10.05');
    await expectSound();
  });

  it('removes the CREDIT_ADJ if a user gave the credit', async () => {
    const id = await newAccount();
    const invoiceId = await credit(id, '30');
    await newTypes();
    await remove(id, invoiceId);
    expect(await invoicesOf(id)).to.eql(['CREDIT_ADJ 0, CBA_ADJ 0 (Delete gained credit) = 0 owes 0']);
    expect(await balancesOf(id)).to.equal('0 / 0');
    expect(await newTypes()).to.eql(['INVOICE_ADJUSTMENT']);
    await expectSound();
  });

  it('keeps the part of a credit that reduced its own invoice', async () => {
    const id = await newAccount();
    const [item] = await engine.acme.invoices.addCharges({ accountId: id, items: [{ amount: '10' }] });
    const invoiceId = item?.invoiceId as Uuid;
    const items = [{ amount: '25', invoiceId }];
    await engine.acme.invoices.addCredits({ accountId: id, items });
    await engine.acme.invoices.commit(invoiceId);
    expect(await balancesOf(id)).to.equal('-15 / 15');
    await remove(id, invoiceId);
    expect(await invoicesOf(id)).to.eql([
      'EXTERNAL_CHARGE 10, CREDIT_ADJ -10, CBA_ADJ 0 (Delete gained credit) = 0 owes 0',
    ]);
    expect(await balancesOf(id)).to.equal('0 / 0');
    await expectSound();
  });

  it('reclaims the most recently used credit first, with one event per invoice', async () => {
    const id = await newAccount();
    const given = await credit(id, '30');
    for (const amount of ['10', '8', '7']) await charge(id, amount);
    expect(await balancesOf(id)).to.equal('-5 / 5');
    await newTypes();
    await remove(id, given);
    expect(await invoicesOf(id)).to.eql([
      'CREDIT_ADJ 0, CBA_ADJ 0 (Delete gained credit) = 0 owes 0',
      'EXTERNAL_CHARGE 10, CBA_ADJ 0 (Reclaim used credit) = 10 owes 10',
      'EXTERNAL_CHARGE 8, CBA_ADJ 0 (Reclaim used credit) = 8 owes 8',
      'EXTERNAL_CHARGE 7, CBA_ADJ 0 (Reclaim used credit) = 7 owes 7',
    ]);
    expect(await balancesOf(id)).to.equal('25 / 0');
    expect(await newTypes()).to.eql(Array.from({ length: 4 }, () => 'INVOICE_ADJUSTMENT'));
    await expectSound();
  });

  it('reclaims only the missing amount, and skips void invoices', async () => {
    const id = await newAccount();
    const given = await credit(id, '20');
    await credit(id, '5');
    await charge(id, '10');
    const newer = await charge(id, '8');
    const voided = await charge(id, '3');
    await engine.acme.invoices.void(voided);
    expect(await balancesOf(id)).to.equal('-7 / 7');
    await remove(id, given);
    expect(await invoicesOf(id)).to.eql([
      'CREDIT_ADJ 0, CBA_ADJ 0 (Delete gained credit) = 0 owes 0',
      'CREDIT_ADJ -5, CBA_ADJ 5 = 0 owes 0',
      'EXTERNAL_CHARGE 10, CBA_ADJ -5 (Reclaim used credit) = 10 owes 5',
      'EXTERNAL_CHARGE 8, CBA_ADJ 0 (Reclaim used credit) = 8 owes 8',
    ]);
    expect(await balancesOf(id)).to.equal('13 / 0');
    expect((await itemOf(voided)).amount.isZero(), 'a void invoice stays').to.equal(false);
    await expectSound();
    await remove(id, newer);
    expect(await balancesOf(id), 'an item of 0 stays as it is').to.equal('13 / 0');
  });

  it('reads a long history of credit uses in pages', async () => {
    const id = await newAccount();
    const uses = RECLAIMED_CREDITS_AT_ONCE + 2;
    const given = await credit(id, `${uses}`);
    for (let use = 0; use < uses; use += 1) await charge(id, '1');
    expect(await balancesOf(id)).to.equal('0 / 0');
    await remove(id, given);
    expect(await balancesOf(id)).to.equal(`${uses} / 0`);
    await expectSound();
  });

  it('reclaims credit from a written-off invoice, and leaves the balance of the invoice at 0', async () => {
    const id = await newAccount();
    await credit(id, '10');
    const invoiceId = await charge(id, '25');
    await engine.acme.tags.add({ type: 'INVOICE', id: invoiceId }, [SystemTag.WRITTEN_OFF]);
    await remove(id, invoiceId);
    expect(await balancesOf(id)).to.equal('-10 / 10');
    await expectSound();
  });

  it('changes the summary of the paying parent', async () => {
    const parent = await newAccount();
    const input = { currency: 'USD', parentAccountId: parent, isPaymentDelegatedToParent: true } as const;
    const { id } = await engine.acme.createAccount(input);
    await credit(id, '10');
    const invoiceId = await engine.settle(charge(id, '25'));
    expect(await invoicesOf(parent)).to.eql(['PARENT_SUMMARY 15 = 15 owes 0']);
    await engine.settle(remove(id, invoiceId));
    expect(await invoicesOf(parent)).to.eql(['PARENT_SUMMARY 25 = 25 owes 0']);
  });

  it('checks its conditions in the specified order, and changes nothing if one of them fails', async () => {
    const id = await newAccount();
    const other = await newAccount();
    const [another, voided] = [await charge(id, '25'), await charge(id, '5')];
    const invoiceId = await charge(id, '9');
    const { id: chargeId } = await itemOf(invoiceId, 'EXTERNAL_CHARGE');
    const on = { accountId: id, invoiceId, invoiceItemId: chargeId };
    const refusal = (more: object) => codeOf(engine.acme.invoices.deleteCredit({ ...on, ...more }));
    await engine.acme.invoices.void(voided);
    const items = [{ amount: '5' }];
    const [drafted] = await engine.acme.invoices.addCredits({ accountId: id, items });
    await newTypes();
    expect(await refusal({ accountId: someId(1) })).to.equal(3002);
    expect(await refusal({ invoiceId: someId(1) })).to.equal(4006);
    expect(await refusal({ accountId: other })).to.equal(4006);
    expect(await refusal({ invoiceId: voided }), 'a void one').to.equal(4006);
    expect(await refusal({ invoiceId: drafted?.invoiceId }), 'a draft').to.equal(4006);
    expect(await refusal({ invoiceId: another }), 'an item of another invoice').to.equal(4011);
    expect(await refusal({ invoiceItemId: someId(1) })).to.equal(4011);
    expect(await refusal({})).to.equal(4022);
    expect(await newTypes()).to.eql([]);
  });

  it('does not remove credit from an adjustment or a payment', async () => {
    const { id } = await engine.payingAccount({ currency: 'USD' });
    const invoiceId = await engine.settle(charge(id, '100'));
    const { id: invoiceItemId } = await itemOf(invoiceId, 'EXTERNAL_CHARGE');
    await engine.acme.invoices.adjustItem({ accountId: id, invoiceId, invoiceItemId, amount: '30' });
    const before = await invoicesOf(id);
    await newTypes();
    await expectCode(remove(id, invoiceId), 4030);
    expect(await invoicesOf(id)).to.eql(before);
    expect(await balancesOf(id)).to.equal('-30 / 30');
    expect(await newTypes()).to.eql([]);
  });

  it('has an effect only once if requested twice simultaneously', async () => {
    const id = await newAccount();
    const given = await credit(id, '30');
    await Promise.all([remove(id, given), remove(id, given)]);
    expect(await balancesOf(id)).to.equal('0 / 0');
    expect((await itemOf(given, 'CREDIT_ADJ')).amount.isZero()).to.equal(true);
    await expectSound();
  });
});

const someId = (last: number) => `11111111-1111-4111-8111-${String(last).padStart(12, '1')}` as Uuid;
