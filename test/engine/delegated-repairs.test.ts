import { SystemTag, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, expectCode } from '../support/index.ts';
import { Family } from '../support/invoicing/family.ts';

const COMMITTED = '2024-03-02T10:00:00Z';
/** Ten days of March have passed. */
const LATER = '2024-03-11T10:00:00Z';

eachDatabaseByTurns.describe('repairs of invoices to be paid by a parent (invoicing §10 rule 8)', (open) => {
  let family: Family;
  let parent: Uuid;
  let child: Uuid;
  let subscriptionId: Uuid;
  let bundleId: Uuid;
  afterEach(async () => {
    expect(await Array.fromAsync(family.engine.billing.checks.breaches())).to.eql([]);
  });

  /** Starts with a summary of the first day that is committed and unpaid. */
  async function begin(quantity = 1): Promise<void> {
    family = await Family.begin(open);
    ({ parent, child } = family);
    ({ subscriptionId, bundleId } = await family.subscribe(quantity));
    await family.engine.runTo(COMMITTED);
  }

  const LOWERED = [
    'COMMITTED [RECURRING 31, CBA_ADJ -21] owes 10',
    'COMMITTED [REPAIR_ADJ -21, CBA_ADJ 21] owes 0',
  ];

  it('lower the unpaid summary after a cancellation, and give the child no credit', async () => {
    await begin();
    await family.engine.runTo(LATER);
    await family.cancel(subscriptionId);
    expect(await family.invoiceLines(child)).to.eql(LOWERED);
    expect(await family.invoiceLines(parent)).to.eql(['COMMITTED [PARENT_SUMMARY 31, ITEM_ADJ -21] owes 10']);
    expect(await family.balances()).to.equal('10 0, 10 0');
    await family.holdPayments(false);
    expect(await family.balances()).to.equal('0 0, 0 0');
  });

  it('lower the summary by the days of a pause, and let the next summary bill the rest of the month', async () => {
    await begin();
    await family.engine.runTo(LATER);
    await family.engine.settle(family.engine.acme.blocking.pauseBundle(bundleId));
    expect(await family.invoiceLines(child)).to.eql(LOWERED);
    await family.engine.runTo('2024-03-14T10:00:00Z');
    await family.engine.settle(family.engine.acme.blocking.resumeBundle(bundleId));
    expect(await family.invoiceLines(parent)).to.eql([
      'COMMITTED [PARENT_SUMMARY 31, ITEM_ADJ -21] owes 10',
      'DRAFT [PARENT_SUMMARY 18] owes 0',
    ]);
    expect(await family.balances()).to.equal('10 0, 10 0');
  });

  it('do not reduce the new charge of a plan change, because the repair of an unpaid debt gives no credit', async () => {
    await begin(2);
    await family.engine.runTo(LATER);
    await family.changeQuantity(subscriptionId, 1);
    expect(await family.invoiceLines(child)).to.eql([
      'COMMITTED [RECURRING 62, CBA_ADJ -42] owes 20',
      'COMMITTED [RECURRING 21, REPAIR_ADJ -42, CBA_ADJ 42] owes 0',
    ]);
    expect(await family.invoiceLines(parent)).to.eql([
      'COMMITTED [PARENT_SUMMARY 62, ITEM_ADJ -42] owes 20',
      'DRAFT [PARENT_SUMMARY 21] owes 0',
    ]);
    const explained = await Promise.all(
      (await family.invoicesOf(child))
        .flatMap(({ items }) => items)
        .map(async ({ id, amount }) => {
          const { computedAmount } = await family.engine.acme.invoices.explain(id);
          return computedAmount.equals(amount);
        }),
    );
    expect(explained).to.not.include(false);
  });

  it('appear in a dry run of a change', async () => {
    await begin(2);
    await family.engine.runTo(LATER);
    await family.engine.acme.tags.add({ type: 'ACCOUNT', id: child }, [SystemTag.AUTO_INVOICING_OFF]);
    await family.changeQuantity(subscriptionId, 1);
    const targetDate = '2024-03-11';
    const dry = await family.engine.acme.invoices.dryRun({ accountId: child, targetDate });
    await family.engine.acme.generateInvoice({ accountId: child, targetDate });
    const [, made] = await family.invoicesOf(child);
    const lines = (invoice: typeof made | null) =>
      invoice?.items.map(({ itemType, amount }) => `${itemType} ${amount.toFixed()}`);
    expect(lines(dry)).to.eql(['RECURRING 21', 'REPAIR_ADJ -42', 'CBA_ADJ 42']);
    expect(lines(made)).to.eql(lines(dry));
  });

  it('lower the debt of the former parent if the child has left, and give the child no credit', async () => {
    await begin(2);
    await family.moveTo(null);
    await family.engine.runTo(LATER);
    await family.changeQuantity(subscriptionId, 1);
    expect(await family.invoiceLines(child)).to.eql([
      'COMMITTED [RECURRING 62, CBA_ADJ -42] owes 20',
      'COMMITTED [RECURRING 21, REPAIR_ADJ -42, CBA_ADJ 42] owes 21',
    ]);
    expect(await family.invoiceLines(parent)).to.eql(['COMMITTED [PARENT_SUMMARY 62, ITEM_ADJ -42] owes 20']);
    expect(await family.balances()).to.equal('20 0, 41 0');
  });

  it('lower the debt of the former parent if the child has moved to another parent', async () => {
    await begin(2);
    const { id: second } = await family.engine.acme.createAccount({ currency: 'USD' });
    await family.moveTo(second);
    await family.engine.runTo(LATER);
    await family.changeQuantity(subscriptionId, 1);
    expect(await family.invoiceLines(parent)).to.eql(['COMMITTED [PARENT_SUMMARY 62, ITEM_ADJ -42] owes 20']);
    expect(await family.invoiceLines(second)).to.eql(['DRAFT [PARENT_SUMMARY 21] owes 0']);
    expect(await family.balances()).to.equal('20 0, 20 0');
  });

  it('lower a draft summary rather than an older debt of the child', async () => {
    family = await Family.begin(open, '2024-02-20T10:00:00Z');
    ({ parent, child } = family);
    await family.moveTo(null);
    await family.add('addCharges', child, '8');
    await family.moveTo(parent);
    await family.engine.runTo('2024-03-01T10:00:00Z');
    ({ subscriptionId } = await family.subscribe());
    await family.moveTo(null);
    await family.cancel(subscriptionId);
    expect(await family.invoiceLines(child)).to.eql([
      'COMMITTED [EXTERNAL_CHARGE 8] owes 8',
      'COMMITTED [RECURRING 31, CBA_ADJ -31] owes 0',
      'COMMITTED [REPAIR_ADJ -31, CBA_ADJ 31] owes 0',
    ]);
    expect(await family.invoiceLines(parent)).to.eql(['DRAFT [PARENT_SUMMARY 0] owes 0']);
  });

  it('lower a written-off summary, so that only the rest is owed after the write-off is undone', async () => {
    await begin();
    const { id } = await family.summary();
    await family.writeOff(id);
    await family.engine.runTo(LATER);
    await family.cancel(subscriptionId);
    expect(await family.balances()).to.equal('0 0, 0 0');
    await family.add('addCharges', child, '5');
    expect(await family.invoiceLines(child)).to.eql([
      'COMMITTED [RECURRING 31, CBA_ADJ -21] owes 0',
      'COMMITTED [REPAIR_ADJ -21, CBA_ADJ 21] owes 0',
      'COMMITTED [EXTERNAL_CHARGE 5] owes 0',
    ]);
    await family.writeOff(id, false);
    expect(await family.invoiceLines(parent)).to.eql([
      'COMMITTED [PARENT_SUMMARY 31, ITEM_ADJ -21] owes 10',
      'DRAFT [PARENT_SUMMARY 5] owes 0',
    ]);
  });

  it('create neither debt nor credit if the summary is void', async () => {
    await begin();
    await family.engine.acme.invoices.void((await family.summary()).id);
    await family.moveTo(null);
    await family.engine.runTo(LATER);
    await family.cancel(subscriptionId);
    await family.add('addCharges', child, '5');
    expect(await family.invoiceLines(child)).to.eql([
      'COMMITTED [RECURRING 31, CBA_ADJ -21] owes 0',
      'COMMITTED [REPAIR_ADJ -21, CBA_ADJ 21] owes 0',
      'COMMITTED [EXTERNAL_CHARGE 5] owes 5',
    ]);
    expect(await family.invoiceLines(parent)).to.eql(['VOID [PARENT_SUMMARY 31] owes 0']);
    expect(await family.balances()).to.equal('0 0, 5 0');
  });

  it('credit the child if the parent has paid', async () => {
    await begin();
    await family.holdPayments(false);
    await family.engine.runTo(LATER);
    await family.cancel(subscriptionId);
    expect(await family.invoiceLines(child)).to.eql([
      'COMMITTED [RECURRING 31] owes 0',
      'COMMITTED [REPAIR_ADJ -21, CBA_ADJ 21] owes 0',
    ]);
    expect(await family.balances()).to.equal('0 0, -21 21');
  });

  it('credit the parent for the part of its payment that exceeds the repaired summary', async () => {
    await begin();
    const { id: invoiceId } = await family.summary();
    await family.engine.acme.invoicePayments.pay({ invoiceId, amount: '20', isExternal: true });
    await family.engine.runTo(LATER);
    await family.cancel(subscriptionId);
    expect(await family.invoiceLines(parent)).to.eql([
      'COMMITTED [PARENT_SUMMARY 31, ITEM_ADJ -21, CBA_ADJ 10] owes 0',
    ]);
    expect(await family.balances()).to.equal('-10 10, 0 0');
  });

  it('credit no more than the parent has paid after an adjustment', async () => {
    await begin();
    await family.adjust(await family.summary(), '15');
    await family.holdPayments(false);
    expect(await family.balances()).to.equal('0 0, 0 0');
    await family.engine.runTo(LATER);
    await family.cancel(subscriptionId);
    expect(await family.balances(), '16 were paid').to.equal('0 0, -16 16');
  });

  it('create no credit for a fully adjusted summary or item', async () => {
    await begin();
    await family.adjust(await family.summary());
    await family.engine.runTo(LATER);
    await family.cancel(subscriptionId);
    expect(await family.balances()).to.equal('0 0, 0 0');
    const other = (await family.subscribe()).subscriptionId;
    const [, , billed] = await family.invoicesOf(child);
    if (billed === undefined) throw new Error('nothing is billed');
    await family.adjust(billed);
    await family.cancel(other);
    expect(await family.balances()).to.equal('0 0, 0 0');
  });

  it('return used credit to the child, even if the credit exceeds its debt', async () => {
    family = await Family.begin(open);
    ({ parent, child } = family);
    await family.add('addCredits', child, '10');
    ({ subscriptionId } = await family.subscribe());
    await family.engine.runTo(COMMITTED);
    expect(await family.invoiceLines(parent)).to.eql(['COMMITTED [PARENT_SUMMARY 21] owes 21']);
    const options = { requestedDate: '2024-03-01', useRequestedDateForBilling: true };
    await family.engine.acme.subscriptions.cancel(subscriptionId, options);
    await family.engine.settle();
    expect(await family.invoiceLines(parent)).to.eql(['COMMITTED [PARENT_SUMMARY 21, ITEM_ADJ -21] owes 0']);
    expect(await family.balances()).to.equal('0 0, -10 10');
  });

  it('return the used credit of a fully adjusted invoice to the child', async () => {
    family = await Family.begin(open);
    ({ parent, child } = family);
    await family.add('addCredits', child, '10');
    await family.subscribe();
    await family.engine.runTo(COMMITTED);
    const [, billed] = await family.invoicesOf(child);
    if (billed === undefined) throw new Error('nothing is billed');
    await family.adjust(billed);
    expect(await family.invoiceLines(parent)).to.eql(['COMMITTED [PARENT_SUMMARY 21, ITEM_ADJ -21] owes 0']);
    expect(await family.balances()).to.equal('0 0, -10 10');
  });

  it('lower the summary only after a draft with the repairs is committed', async () => {
    await begin(2);
    await family.engine.acme.tags.add({ type: 'ACCOUNT', id: child }, [SystemTag.AUTO_INVOICING_DRAFT]);
    await family.engine.runTo(LATER);
    await family.changeQuantity(subscriptionId, 1);
    const [, draft] = await family.invoicesOf(child);
    expect((await family.invoiceLines(child))[1]).to.equal(
      'DRAFT [RECURRING 21, REPAIR_ADJ -42, CBA_ADJ 21] owes 0',
    );
    await family.engine.settle(family.engine.acme.invoices.commit(draft?.id as Uuid));
    expect(await family.invoiceLines(child)).to.eql([
      'COMMITTED [RECURRING 62, CBA_ADJ -42] owes 20',
      'COMMITTED [RECURRING 21, REPAIR_ADJ -42, CBA_ADJ 21, CBA_ADJ 21] owes 0',
    ]);
    expect(await family.invoiceLines(parent)).to.eql([
      'COMMITTED [PARENT_SUMMARY 62, ITEM_ADJ -42] owes 20',
      'DRAFT [PARENT_SUMMARY 21] owes 0',
    ]);
  });

  it('credit the child with the difference if the parent pays between the repair and its event', async () => {
    await begin();
    await family.engine.runTo(LATER);
    await family.engine.acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' });
    await family.engine.acme.generateInvoice({ accountId: child });
    expect(await family.balances()).to.equal('31 0, 10 0');
    const credit = { accountId: parent, items: [{ amount: '31' }], autoCommit: true };
    await family.engine.acme.invoices.addCredits(credit);
    await family.engine.settle();
    expect(await family.balances()).to.equal('0 0, -21 21');
  });

  it('do not turn amounts of a committed summary into credit of the child', async () => {
    await begin();
    await family.engine.runTo(LATER);
    await family.cancel(subscriptionId);
    const [billed] = await family.invoicesOf(child);
    const used = billed?.items.find(({ itemType }) => itemType === 'CBA_ADJ');
    const on = { accountId: child, invoiceId: billed?.id as Uuid, invoiceItemId: used?.id as Uuid };
    await expectCode(family.engine.acme.invoices.deleteCredit(on), 'INVOICE_CBA_DELETED');
    expect(await family.balances()).to.equal('10 0, 10 0');
  });
});
