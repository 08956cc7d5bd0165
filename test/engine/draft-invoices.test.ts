import { formatDecimal, SystemTag, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import type { TestEngine } from '../support/index.ts';
import { expect, expectCode, itemLines, newEvents, openEngine } from '../support/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';

eachDatabaseByTurns.describe('drafts and other invoices', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;
  let newInvoiceEvents: () => Promise<readonly string[]>;

  async function begin(now: string, account: { billCycleDayLocal?: number } = {}): Promise<void> {
    engine = await openEngine(open, { now });
    accountId = (await engine.payingAccount({ currency: 'USD', ...account })).id;
    const events = newEvents(engine.database);
    newInvoiceEvents = async () => (await events()).filter((topic) => topic.startsWith('INVOICE_'));
  }

  const tag = (...tags: readonly Uuid[]) => engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, tags);
  const untag = (...tags: readonly Uuid[]) =>
    engine.acme.tags.remove({ type: 'ACCOUNT', id: accountId }, tags);

  async function subscribe(planName: string): Promise<Uuid> {
    const { subscriptionId } = await engine.subscribe({ accountId, planName });
    return subscriptionId;
  }

  const invoices = async () =>
    (await engine.invoicesOf(accountId)).toSorted((a, b) => a.invoiceNumber - b.invoiceNumber);

  async function invoiceAt(index: number): Promise<InvoiceView> {
    const invoice = (await invoices()).at(index);
    if (!invoice) throw new Error(`no invoice ${index}`);
    return invoice;
  }

  /** Returns all invoices in order: `DRAFT [RECURRING 2024-01-01..2024-02-01 19.95] owes 0`. */
  async function standing(): Promise<readonly string[]> {
    return (await invoices()).map(
      (invoice) =>
        `${invoice.status} [${itemLines(invoice).join(', ')}] owes ${formatDecimal(invoice.balance)}`,
    );
  }

  const balances = async () => (await engine.balancesOf(accountId)).join(' ');
  const chargedThrough = async (id: Uuid) =>
    (await engine.acme.getSubscription(id)).chargedThrough?.date ?? null;

  const payments = () => engine.ledger.all().map(({ amount }) => amount && formatDecimal(amount));

  async function charge(amount: string, autoCommit: boolean): Promise<InvoiceView> {
    const items = [{ amount: amount }];
    const [item] = await engine.acme.invoices.addCharges({ accountId, items, autoCommit });
    if (!item) throw new Error('no item');
    return engine.acme.getInvoice(item.invoiceId);
  }

  describe('drafts by tag (accounts §13.2 AUTO_INVOICING_DRAFT)', () => {
    beforeEach(() => begin('2024-01-01T00:00:00Z'));

    it('are created by runs with AUTO_INVOICING_DRAFT, without an event, payment, balance or charged-through date', async () => {
      await tag(SystemTag.AUTO_INVOICING_DRAFT);
      const id = await subscribe('solo-now');
      await engine.runTo('2024-02-01T00:00:00Z');
      expect(await standing()).to.eql([
        'DRAFT [RECURRING 2024-01-01..2024-02-01 19.95] owes 0',
        'DRAFT [RECURRING 2024-02-01..2024-03-01 19.95] owes 0',
      ]);
      expect(await newInvoiceEvents()).to.eql([]);
      expect([await balances(), await chargedThrough(id), payments()]).to.eql(['0 0', null, []]);
      expect((await invoiceAt(0)).commitDate).to.equal(null);
    });

    it('become payable, cause an event and a payment, and set the charged-through date only when committed', async () => {
      await tag(SystemTag.AUTO_INVOICING_DRAFT);
      const id = await subscribe('solo-now');
      engine.clock.set('2024-01-05T12:00:00Z');
      const { id: invoiceId } = await invoiceAt(0);
      await engine.acme.invoices.commit(invoiceId);
      expect(await balances()).to.equal('19.95 0');
      expect(await chargedThrough(id)).to.equal('2024-02-01');
      expect(await newInvoiceEvents()).to.eql(['INVOICE_CREATION']);
      await engine.settle();
      const committed = await invoiceAt(0);
      expect([committed.invoiceDate, committed.commitDate && committed.commitDate]).to.eql([
        '2024-01-01',
        '2024-01-05',
      ]);
      expect([await balances(), payments()]).to.eql(['0 0', ['19.95']]);
      const history = await engine.acme.audit.history({ type: 'INVOICE', id: invoiceId });
      expect(history.map(({ changeType, snapshot }) => [changeType, snapshot?.status])).to.eql([
        ['INSERT', 'DRAFT'],
        ['UPDATE', 'COMMITTED'],
      ]);
    });

    it('remain drafts after AUTO_INVOICING_DRAFT is removed, while later runs commit their own invoices', async () => {
      await tag(SystemTag.AUTO_INVOICING_DRAFT);
      await subscribe('solo-now');
      await untag(SystemTag.AUTO_INVOICING_DRAFT);
      await engine.runTo('2024-02-01T00:00:00Z');
      expect(await standing()).to.eql([
        'DRAFT [RECURRING 2024-01-01..2024-02-01 19.95] owes 0',
        'COMMITTED [RECURRING 2024-02-01..2024-03-01 19.95] owes 0',
      ]);
      expect(payments()).to.eql(['19.95']);
    });

    it('are created even by an explicit run', async () => {
      await tag(SystemTag.AUTO_INVOICING_DRAFT, SystemTag.AUTO_INVOICING_OFF);
      await subscribe('solo-now');
      expect((await engine.acme.generateInvoice({ accountId })).status).to.equal('DRAFT');
    });

    it('do not move the charged-through date back if they are committed late', async () => {
      await tag(SystemTag.AUTO_INVOICING_DRAFT);
      const id = await subscribe('solo-now');
      await untag(SystemTag.AUTO_INVOICING_DRAFT);
      await engine.runTo('2024-02-01T00:00:00Z');
      expect(await chargedThrough(id)).to.equal('2024-03-01');
      await engine.acme.invoices.commit((await invoiceAt(0)).id);
      expect(await chargedThrough(id)).to.equal('2024-03-01');
    });

    it('use credit only after they are committed, and turn a negative amount into credit', async () => {
      const first = await charge('20', false);
      const second = await charge('5', false);
      await engine.acme.invoices.addCredits({ accountId, items: [{ amount: '30', invoiceId: first.id }] });
      expect(await balances()).to.equal('0 0');
      await engine.acme.invoices.commit(first.id);
      expect(await balances()).to.equal('-10 10');
      await engine.acme.invoices.commit(second.id);
      expect(await balances()).to.equal('-5 5');
      expect((await standing()).at(-1)).to.equal(
        'COMMITTED [EXTERNAL_CHARGE 2024-01-01 5, CBA_ADJ 2024-01-01..2024-01-01 -5] owes 0',
      );
      const [, ...later] = await newInvoiceEvents();
      expect(later, 'the second uses credit: it existed and is COMMITTED now (invoicing §16)').to.eql([
        'INVOICE_CREATION',
        'INVOICE_ADJUSTMENT',
      ]);
    });
  });

  describe('reused drafts (accounts §13.2 AUTO_INVOICING_REUSE_DRAFT)', () => {
    beforeEach(() => begin('2024-01-01T00:00:00Z'));

    it('are reused and committed by a run, oldest first, regardless of their origin', async () => {
      const oldest = await charge('7', false);
      await charge('3', false);
      await tag(SystemTag.AUTO_INVOICING_REUSE_DRAFT);
      engine.clock.set('2024-01-10T00:00:00Z');
      const id = await subscribe('solo-now');
      expect(await standing()).to.eql([
        'COMMITTED [EXTERNAL_CHARGE 2024-01-01 7, RECURRING 2024-01-10..2024-02-10 19.95] owes 0',
        'DRAFT [EXTERNAL_CHARGE 2024-01-01 3] owes 0',
      ]);
      const invoice = await engine.acme.getInvoice(oldest.id);
      expect(invoice.targetDate && invoice.targetDate).to.equal('2024-01-10');
      expect(formatDecimal(invoice.amount)).to.equal('26.95');
      expect(await chargedThrough(id)).to.equal('2024-02-10');
      expect(await newInvoiceEvents()).to.eql([
        'INVOICE_CREATION',
        'INVOICE_ADJUSTMENT',
        'INVOICE_PAYMENT_SUCCESS',
      ]);
      expect(payments()).to.eql(['26.95']);
      expect(await balances()).to.equal('0 0');
    });

    it('collect the items of AUTO_INVOICING_DRAFT runs until a commit bills all items at once', async () => {
      await tag(SystemTag.AUTO_INVOICING_REUSE_DRAFT, SystemTag.AUTO_INVOICING_DRAFT);
      const id = await subscribe('solo-now');
      await engine.runTo('2024-02-01T00:00:00Z');
      expect(await standing()).to.eql([
        'DRAFT [RECURRING 2024-01-01..2024-02-01 19.95, RECURRING 2024-02-01..2024-03-01 19.95] owes 0',
      ]);
      expect(await newInvoiceEvents()).to.eql([]);
      await engine.settle(engine.acme.invoices.commit((await invoiceAt(0)).id));
      expect([payments(), await chargedThrough(id)]).to.eql([['39.9'], '2024-03-01']);
    });

    it('use credit for all their items when a run reuses them', async () => {
      await tag(SystemTag.AUTO_INVOICING_REUSE_DRAFT);
      await charge('7', false);
      await engine.acme.invoices.addCredits({ accountId, items: [{ amount: '30' }], autoCommit: true });
      await subscribe('solo-now');
      await engine.runTo('2024-02-01T00:00:00Z');
      const lines = await standing();
      expect(lines[0]).to.equal(
        'COMMITTED [EXTERNAL_CHARGE 2024-01-01 7, RECURRING 2024-01-01..2024-02-01 19.95, ' +
          'CBA_ADJ 2024-01-01..2024-01-01 -26.95] owes 0',
      );
      expect(lines[2]).to.equal(
        'COMMITTED [RECURRING 2024-02-01..2024-03-01 19.95, CBA_ADJ 2024-02-01..2024-02-01 -3.05] owes 0',
      );
      expect(payments()).to.eql(['16.9']);
    });

    it('can be reused on request by an explicit run without the tag, either by id or oldest first', async () => {
      await tag(SystemTag.AUTO_INVOICING_OFF);
      const oldest = await charge('7', false);
      const named = await charge('3', false);
      await subscribe('solo-now');
      const reused = await engine.acme.generateInvoice({ accountId, draftId: named.id });
      expect([reused.id, reused.status]).to.eql([named.id, 'COMMITTED']);
      const targetDate = '2024-02-01';
      const second = await engine.acme.generateInvoice({ accountId, targetDate, reuseDraft: true });
      expect([second.id, itemLines(second).length]).to.eql([oldest.id, 2]);
    });

    it('are rejected without billing anything if they are not drafts of the account', async () => {
      await tag(SystemTag.AUTO_INVOICING_OFF);
      const committed = await charge('7', true);
      const voided = await charge('3', false);
      await engine.acme.invoices.void(voided.id);
      await subscribe('solo-now');
      const other = await engine.acme.createAccount({ currency: 'USD' });
      const charges = { accountId: other.id, items: [{ amount: '1' }] };
      const [foreign] = await engine.acme.invoices.addCharges(charges);
      for (const [draftId, code] of [
        [committed.id, 'INVOICE_ALREADY_COMMITTED'],
        [voided.id, 'INVOICE_INVALID_STATUS'],
        [foreign?.invoiceId as Uuid, 'INVOICE_NOT_FOUND'],
        [accountId, 'INVOICE_NOT_FOUND'],
      ] as const)
        await expectCode(engine.acme.generateInvoice({ accountId, draftId }), code);
      expect(await invoices()).to.have.length(2);
    });
  });

  it('receive no items of a run if they are summaries of child accounts, even if the request specifies them', async () => {
    await begin('2024-01-01T00:00:00Z', { billCycleDayLocal: 1 });
    const child = await engine.acme.createAccount({
      currency: 'USD',
      billCycleDayLocal: 1,
      parentAccountId: accountId,
      isPaymentDelegatedToParent: true,
    });
    await engine.subscribe({ accountId: child.id, planName: 'team-now' });
    const summary = ['DRAFT [PARENT_SUMMARY 29.95] owes 0'];
    expect(await standing()).to.eql(summary);
    const { id: draftId } = await invoiceAt(0);
    await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
    await expectCode(engine.acme.generateInvoice({ accountId, draftId }), 'INVOICE_INVALID_STATUS');
    expect(await standing()).to.eql(summary);
    await engine.acme.generateInvoice({ accountId, reuseDraft: true });
    expect(await standing()).to.eql([
      ...summary,
      'COMMITTED [RECURRING 2024-01-01..2024-02-01 19.95] owes 19.95',
    ]);
  });

  describe('previewed drafts (invoicing §11 rule 4)', () => {
    beforeEach(() => begin('2024-01-01T00:00:00Z'));
    const foresee = (targetDate: string) =>
      engine.acme.invoices.dryRun({ accountId, targetDate: targetDate });

    it('appear in dry runs under AUTO_INVOICING_DRAFT', async () => {
      await tag(SystemTag.AUTO_INVOICING_DRAFT);
      await subscribe('solo-now');
      const foreseen = await foresee('2024-02-01');
      expect([foreseen?.status, foreseen && itemLines(foreseen)]).to.eql([
        'DRAFT',
        ['RECURRING 2024-02-01..2024-03-01 19.95'],
      ]);
    });

    it('appear in dry runs with the new items if a run reuses them, but are not changed', async () => {
      await tag(SystemTag.AUTO_INVOICING_DRAFT, SystemTag.AUTO_INVOICING_REUSE_DRAFT);
      await subscribe('solo-now');
      const before = await standing();
      const foreseen = await foresee('2024-03-01');
      expect([
        foreseen?.status,
        foreseen && formatDecimal(foreseen.amount),
        foreseen && itemLines(foreseen),
      ]).to.eql([
        'DRAFT',
        '59.85',
        [
          'RECURRING 2024-01-01..2024-02-01 19.95',
          'RECURRING 2024-02-01..2024-03-01 19.95',
          'RECURRING 2024-03-01..2024-04-01 19.95',
        ],
      ]);
      expect(await standing()).to.eql(before);
    });

    it('appear in dry runs only once if the next run commits them', async () => {
      await tag(SystemTag.AUTO_INVOICING_REUSE_DRAFT);
      await subscribe('solo-now');
      await charge('7', false);
      const next = await foresee('2024-02-01');
      expect([next?.status, next && formatDecimal(next.amount)]).to.eql(['COMMITTED', '26.95']);
      const later = await foresee('2024-03-01');
      expect(later && itemLines(later)).to.eql(['RECURRING 2024-03-01..2024-04-01 19.95']);
    });
  });

  describe('in each status (invoicing §3)', () => {
    beforeEach(() => begin('2024-01-01T00:00:00Z'));

    it('can be committed only while they are drafts, and voided in every status except VOID', async () => {
      const { commit, void: voidIt } = engine.acme.invoices;
      const draft = await charge('5', false);
      await expectCode(commit(accountId), 'INVOICE_NOT_FOUND');
      await expectCode(voidIt(accountId), 'INVOICE_NOT_FOUND');
      await commit(draft.id);
      await expectCode(commit(draft.id), 'INVOICE_INVALID_STATUS');
      const other = await charge('6', false);
      await newInvoiceEvents();
      await voidIt(other.id);
      expect(await newInvoiceEvents()).to.eql(['INVOICE_ADJUSTMENT']);
      await expectCode(voidIt(other.id), 'INVOICE_INVALID_STATUS');
      await expectCode(commit(other.id), 'INVOICE_INVALID_STATUS');
      expect(await newInvoiceEvents()).to.eql([]);
    });

    it('cannot be voided while they are paid or have a pending payment', async () => {
      const paid = await engine.settle(charge('5', true));
      await newInvoiceEvents();
      await expectCode(engine.acme.invoices.void(paid.id), 'INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_PAID');
      engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING' });
      const pending = await engine.settle(charge('6', true));
      await newInvoiceEvents();
      await expectCode(engine.acme.invoices.void(pending.id), 'INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_PAID');
      expect((await invoices()).map(({ status }) => status)).to.eql(['COMMITTED', 'COMMITTED']);
      expect(await newInvoiceEvents()).to.eql([]);
    });

    it('can be voided together with the credit that they created, unless that credit is used', async () => {
      await tag(SystemTag.AUTO_PAY_OFF);
      const credit = async (amount: string) => {
        const items = [{ amount: amount }];
        const [item] = await engine.acme.invoices.addCredits({ accountId, items, autoCommit: true });
        return item?.invoiceId as Uuid;
      };
      await engine.acme.invoices.void(await credit('10'));
      expect(await balances()).to.equal('0 0');
      const second = await credit('10');
      const used = await charge('4', true);
      await expectCode(
        engine.acme.invoices.void(second),
        'INVOICE_CAN_NOT_VOID_INVOICE_THAT_GENERATED_USED_CREDIT',
      );
      expect(await balances()).to.equal('-6 6');
      await charge('8', true);
      expect(await balances()).to.equal('2 0');
      await engine.acme.invoices.void(used.id);
      // The 4.00 of credit that the voided invoice had used pays the unpaid balance.
      expect(await balances()).to.equal('-2 2');
      expect((await standing()).at(-1)).to.match(/CBA_ADJ \S+ -6, CBA_ADJ \S+ -2\] owes 0$/);
    });
  });

  it('cannot be voided if one of their credit items is used, even if they have more credit (invoicing §9 rule 6)', async () => {
    await begin('2024-01-01T00:00:00Z');
    await engine.acme.invoices.addCredits({ accountId, items: [{ amount: '10' }], autoCommit: true });
    const adjusted = await charge('10', true);
    const [item] = adjusted.items;
    if (!item) throw new Error('no item');
    const adjustment = { accountId, invoiceId: adjusted.id, invoiceItemId: item.id, amount: '5' };
    await engine.acme.invoices.adjustItem(adjustment);
    const user = await charge('5', true);
    expect(await balances()).to.equal('0 0');
    await expectCode(
      engine.acme.invoices.void(adjusted.id),
      'INVOICE_CAN_NOT_VOID_INVOICE_THAT_GENERATED_USED_CREDIT',
    );
    await engine.acme.invoices.void(user.id);
    await engine.acme.invoices.void(adjusted.id);
    expect(await balances()).to.equal('-10 10');
  });

  it('can be voided only in an order that their repairs allow (invoicing E15 "Void chain")', async () => {
    await begin('2013-06-15T00:00:00Z', { billCycleDayLocal: 15 });
    await engine.acme.invoices.addCredits({ accountId, items: [{ amount: '19.95' }], autoCommit: true });
    const id = await subscribe('solo-now');
    await engine.runTo('2013-07-01T00:00:00Z');
    await engine.settle(engine.acme.subscriptions.cancel(id, { billingPolicy: 'IMMEDIATE' }));
    const [, second, third] = await invoices();
    if (!second || !third) throw new Error('invoices are missing');
    expect([itemLines(second), itemLines(third)]).to.eql([
      ['RECURRING 2013-06-15..2013-07-15 19.95', 'CBA_ADJ 2013-06-15..2013-06-15 -19.95'],
      ['REPAIR_ADJ 2013-07-01..2013-07-15 -9.31', 'CBA_ADJ 2013-07-01..2013-07-01 9.31'],
    ]);
    const before = await standing();
    await expectCode(engine.acme.invoices.void(second.id), 'INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_REPAIRED');
    expect(await standing()).to.eql(before);
    await engine.acme.invoices.void(third.id);
    expect([await balances(), await chargedThrough(id)]).to.eql(['0 0', '2013-07-15']);
    await engine.acme.invoices.void(second.id);
    expect([await balances(), await chargedThrough(id)]).to.eql(['-19.95 19.95', null]);
    const again = await engine.acme.generateInvoice({ accountId });
    expect(itemLines(again)).to.eql([
      'RECURRING 2013-06-15..2013-07-01 10.64',
      'CBA_ADJ 2013-07-01..2013-07-01 -10.64',
    ]);
    expect(await chargedThrough(id)).to.equal('2013-07-01');
  });

  it('move the account back to the last remaining target date when voided, without starting a run', async () => {
    await begin('2024-01-01T00:00:00Z');
    await tag(SystemTag.AUTO_PAY_OFF);
    const id = await subscribe('solo-now');
    const ahead = await engine.acme.generateInvoice({ accountId, targetDate: '2024-03-01' });
    expect(await chargedThrough(id)).to.equal('2024-04-01');
    await engine.settle(engine.acme.invoices.void(ahead.id));
    expect(await chargedThrough(id)).to.equal('2024-02-01');
    expect(await invoices()).to.have.length(2);
    await expectCode(engine.acme.generateInvoice({ accountId }), 'INVOICE_NOTHING_TO_DO');
    await engine.runTo('2024-02-01T00:00:00Z');
    expect((await standing()).at(-1)).to.equal(
      'COMMITTED [RECURRING 2024-02-01..2024-03-01 19.95] owes 19.95',
    );
  });

  it('leave nothing to bill when voided, until the next bill cycle day takes effect', async () => {
    await begin('2024-01-01T00:00:00Z', { billCycleDayLocal: 1 });
    await tag(SystemTag.AUTO_PAY_OFF);
    const id = await subscribe('solo-now');
    for (const billCycleDayLocal of [9, 17])
      await engine.acme.subscriptions.changeBillCycleDay(id, { billCycleDayLocal });
    const targetDate = '2024-01-17';
    await engine.acme.invoices.void((await engine.acme.generateInvoice({ accountId, targetDate })).id);
    // The first day of the moved cycle is still in the future.
    await expectCode(engine.acme.generateInvoice({ accountId }), 'INVOICE_NOTHING_TO_DO');
    expect(await engine.acme.invoices.verifyCoverage(accountId)).to.eql([]);
    await engine.runTo('2024-01-17T00:00:00Z');
    expect((await standing()).at(-1)).to.equal('COMMITTED [RECURRING 2024-02-01..2024-02-17 10.3] owes 10.3');
  });

  it('cannot be voided if an item is repaired on another draft, unless that draft is voided first', async () => {
    await begin('2024-01-01T00:00:00Z');
    await tag(SystemTag.AUTO_INVOICING_DRAFT);
    const id = await subscribe('solo-now');
    engine.clock.set('2024-01-11T00:00:00Z');
    await engine.acme.subscriptions.changePlan(id, { planName: 'team-now', billingPolicy: 'IMMEDIATE' });
    await engine.settle();
    const [first, second] = await invoices();
    if (!first || !second) throw new Error('invoices are missing');
    expect(itemLines(second)).to.eql([
      'RECURRING 2024-01-11..2024-02-01 20.29',
      'REPAIR_ADJ 2024-01-11..2024-02-01 -13.51',
    ]);
    await expectCode(engine.acme.invoices.void(first.id), 'INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_REPAIRED');
    await engine.acme.invoices.void(second.id);
    const again = await engine.acme.generateInvoice({ accountId });
    expect(itemLines(again)).to.eql(itemLines(second));
    await engine.acme.invoices.void(again.id);
    await engine.acme.invoices.void(first.id);
    const secondRun = await engine.acme.generateInvoice({ accountId });
    expect(itemLines(secondRun)).to.eql([
      'RECURRING 2024-01-01..2024-01-11 6.44',
      'RECURRING 2024-01-11..2024-02-01 20.29',
    ]);
  });

  it('can be voided if they contain both an item and its repair, so that all days are billed again', async () => {
    await begin('2024-01-01T00:00:00Z');
    await tag(SystemTag.AUTO_INVOICING_DRAFT, SystemTag.AUTO_INVOICING_REUSE_DRAFT);
    const id = await subscribe('solo-now');
    engine.clock.set('2024-01-11T00:00:00Z');
    await engine.acme.subscriptions.changePlan(id, { planName: 'team-now', billingPolicy: 'IMMEDIATE' });
    await engine.settle();
    const draft = await invoiceAt(0);
    expect([draft.items.length, (await invoices()).length]).to.eql([3, 1]);
    await engine.acme.invoices.void(draft.id);
    const secondRun = await engine.acme.generateInvoice({ accountId });
    expect(itemLines(secondRun)).to.eql([
      'RECURRING 2024-01-01..2024-01-11 6.44',
      'RECURRING 2024-01-11..2024-02-01 20.29',
    ]);
  });
});
