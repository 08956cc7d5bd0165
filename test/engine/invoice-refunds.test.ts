import { ErrorCode, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import { engineBefore, expect, expectCode, payerBeforeEach, soundAfterEach } from '../support/index.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';
import type { PaymentResult } from '../support/plain-views.ts';

const NOWHERE = '11111111-1111-4111-8111-111111111111' as Uuid;
const TOO_HIGH = ErrorCode.INVOICE_REFUND_AMOUNT_TOO_HIGH;

const does = (action: string) => [{ key: action, value: 'true', isUpdatable: false }];
const answers = (status: 'PENDING' | 'UNDEFINED' | 'ERROR' | 'CANCELED') =>
  does(`ACTION_RETURN_PLUGIN_STATUS_${status}`);

eachDatabaseByTurns.describe('invoice payment refunds (payments §9.5)', (open) => {
  const engine = engineBefore(open, { now: '2012-05-31T00:03:42Z', catalog: null });
  const account = payerBeforeEach(engine);
  const invoices = new PaidInvoices(engine, account);
  soundAfterEach(engine);

  const otherCard = async (): Promise<Uuid> =>
    (await engine.acme.paymentMethods.add({ accountId: account.id, pluginName: engine.gateway.name })).id;
  const statusOf = ({ transaction }: PaymentResult) => transaction.status;
  const whole = (invoiceItemId: Uuid) => ({ isAdjusted: true, adjustments: [{ invoiceItemId }] });

  const refused = [
    ['an adjustment of no item', { isAdjusted: true, amount: '5' }, 4025],
    ['an adjustment of an empty list of items', { isAdjusted: true, adjustments: [], amount: '5' }, 4025],
    ['an unknown item', { ...whole(NOWHERE), amount: '5' }, 4021],
    ['more than the payment', { amount: '20.01' }, 4906],
    ['an amount of 0', { amount: '0' }, 7199],
    ['a negative amount', { amount: '-1' }, 7199],
    ['no amount and no item', {}, 7199],
    ['no amount and items without adjustment', { adjustments: [{ invoiceItemId: NOWHERE }] }, 7199],
  ] as const;
  for (const [what, input, code] of refused) {
    for (const isExternal of [false, true])
      it(`are rejected with ${code} before the gateway call for ${what}${isExternal ? ' as external refunds' : ''} (rule 1)`, async () => {
        const { id, paymentId } = await invoices.paid('20');
        const calls = engine.ledger.all().length;
        await expectCode(engine.acme.invoicePayments.refund({ paymentId, isExternal, ...input }), code);
        expect(await invoices.rowsOf(paymentId)).to.eql(['ATTEMPT SUCCESS 20']);
        expect(await invoices.balanceOf(id)).to.equal(0);
        expect(engine.ledger.all()).to.have.length(calls);
      });
  }

  const badItems = [
    ['more than the item amount', '20.01', 4020],
    ['an amount of 0', '0', 4020],
    ['a negative amount', '-1', 4020],
  ] as const;
  for (const [what, amount, code] of badItems)
    it(`are rejected with ${code} for an adjustment by ${what} (rule 1a)`, async () => {
      const { itemId: invoiceItemId, paymentId } = await invoices.paid('20');
      const adjustments = [{ invoiceItemId, amount }];
      const refund = { paymentId, amount: '20', isAdjusted: true, adjustments };
      await expectCode(engine.acme.invoicePayments.refund(refund), code);
    });

  it('adjust an item by its remaining amount if they state no amount, and fail for a fully adjusted item (rule 1a)', async () => {
    const { id, itemId, paymentId } = await invoices.paid('20');
    const { invoicePayments } = engine.acme;
    const adjustments = [{ invoiceItemId: itemId, amount: '5' }];
    await invoicePayments.refund({ paymentId, isAdjusted: true, adjustments });
    const rest = await invoicePayments.refund({ paymentId, ...whole(itemId) });
    expect(Number(rest.transaction.amount)).to.equal(15);
    expect(await invoices.adjustmentsOf(id)).to.eql([-5, -15]);
    expect(await invoices.balanceOf(id)).to.equal(0);
    await expectCode(invoicePayments.refund({ paymentId, ...whole(itemId) }), 4020);
  });

  it('store the description of their adjustment (rule 1a, R56)', async () => {
    const { id, itemId: invoiceItemId, paymentId } = await invoices.paid('20');
    const { invoicePayments } = engine.acme;
    const refund = (adjustments: readonly object[], more: object = {}) =>
      invoicePayments.refund({ paymentId, isAdjusted: true, adjustments: adjustments as never, ...more });
    await refund([{ invoiceItemId, amount: '5', description: 'Goodwill' }]);
    await refund([
      { invoiceItemId, amount: '1' },
      { invoiceItemId, amount: '1', description: 'Broken' },
      { invoiceItemId, amount: '1', description: 'Late' },
    ]);
    await refund([{ invoiceItemId, amount: '2', description: '' }]);
    await refund([{ invoiceItemId, amount: '3', description: 'By check' }], { isExternal: true });
    // The stored adjustments are applied when the refund succeeds.
    const pending = await refund([{ invoiceItemId, amount: '4', description: 'Pending' }], {
      properties: answers('PENDING'),
    });
    await invoicePayments.complete({ paymentId, transactionId: pending.transaction.id });
    const { items } = await engine.acme.invoices.get(id);
    expect(
      items
        .filter(({ itemType }) => itemType === 'ITEM_ADJ')
        .map(({ description, amount }) => `${description} ${Number(amount)}`),
    ).to.eql(['Goodwill -5', 'Broken -3', 'Invoice item adjustment -2', 'By check -3', 'Pending -4']);
    for (const description of ['x'.repeat(256), 'a\u0000b'])
      await expectCode(refund([{ invoiceItemId, amount: '1', description }]), 60003);
    expect(await invoices.rowsOf(paymentId)).to.have.length(6);
  });

  it('are rejected if they adjust an item twice by more than its remaining amount in total (rule 1a)', async () => {
    const { itemId: invoiceItemId, paymentId } = await invoices.paid('20');
    const adjustments = ['12', '9'].map((amount) => ({ invoiceItemId, amount }));
    await expectCode(engine.acme.invoicePayments.refund({ paymentId, isAdjusted: true, adjustments }), 4020);
  });

  it('are rejected with 4907 if their amount is lower than the item adjustments, even as external refunds (rule 1c)', async () => {
    const { itemId: invoiceItemId, paymentId } = await invoices.paid('20');
    const adjustments = [{ invoiceItemId, amount: '6' }];
    for (const isExternal of [false, true]) {
      const refund = { paymentId, amount: '5', isAdjusted: true, adjustments, isExternal };
      await expectCode(engine.acme.invoicePayments.refund(refund), 4907);
    }
  });

  it('cannot include an amount that was already refunded or charged back (rule 1d)', async () => {
    const { paymentId } = await invoices.paid('20');
    const { invoicePayments } = engine.acme;
    await invoicePayments.refund({ paymentId, amount: '5' });
    await invoicePayments.refund({ paymentId, amount: '4', isExternal: true });
    const key = { transactionExternalKey: `charged-${paymentId}` };
    await invoicePayments.chargeback({ paymentId, amount: '3', ...key });
    await invoicePayments.reverseChargeback({ paymentId, ...key });
    await invoicePayments.chargeback({ paymentId, amount: '2' });
    const elsewhere = { paymentId, isExternal: true };
    await expectCode(invoicePayments.refund({ ...elsewhere, amount: '9.01' }), TOO_HIGH);
    await invoicePayments.refund({ ...elsewhere, amount: '9' });
    await expectCode(invoicePayments.refund({ ...elsewhere, amount: '0.01' }), TOO_HIGH);
  });

  for (const answer of ['PENDING', 'UNDEFINED'] as const) {
    for (const way of ['its gateway', 'another gateway method', 'payments'] as const)
      it(`reserve their amount if a refund by ${way} returns ${answer} (rule 1d)`, async () => {
        const { paymentId } = await invoices.paid('20');
        const { invoicePayments, payments } = engine.acme;
        const paymentMethodId = await otherCard();
        const taken = { paymentId, amount: '15', properties: answers(answer) };
        const elsewhere = { isExternal: true, paymentMethodId };
        const open = await (way === 'payments'
          ? payments.refund(taken)
          : invoicePayments.refund({ ...taken, ...(way === 'its gateway' ? {} : elsewhere) }));
        expect(statusOf(open)).to.equal(answer === 'PENDING' ? 'PENDING' : 'UNKNOWN');
        const more = { paymentId, amount: '6' };
        await expectCode(invoicePayments.refund(more), TOO_HIGH);
        await expectCode(invoicePayments.refund({ ...more, ...elsewhere }), TOO_HIGH);
        await expectCode(invoicePayments.refund({ ...more, isExternal: true }), TOO_HIGH);
        await expectCode(payments.refund(more), TOO_HIGH);
        await expectCode(invoicePayments.chargeback(more), 4901);
        await expectCode(payments.chargeback(more), 4901);
        expect(statusOf(await invoicePayments.refund({ ...more, amount: '5' }))).to.equal('SUCCESS');
      });
  }

  it('release the amount of a pending external refund that fails (rule 1d)', async () => {
    const { paymentId, id } = await invoices.paid('20');
    const { invoicePayments, payments } = engine.acme;
    const elsewhere = { isExternal: true, paymentMethodId: await otherCard() };
    const request = { ...elsewhere, paymentId, amount: '15', properties: answers('PENDING') };
    const open = await invoicePayments.refund(request);
    const ids = { paymentId: open.payment.id, transactionId: open.transaction.id };
    await payments.recordNotifiedOutcome({ ...ids, status: 'PAYMENT_FAILURE' });
    expect(await invoices.balanceOf(id)).to.equal(0);
    await invoicePayments.refund({ paymentId, amount: '20' });
    expect(await invoices.balanceOf(id)).to.equal(20);
  });

  it('complete a pending external refund under its key, without counting its own amount against the limit (rule 2)', async () => {
    const { id, itemId, paymentId } = await invoices.paid('20');
    const { invoicePayments } = engine.acme;
    const refund = {
      paymentId,
      ...whole(itemId),
      isExternal: true,
      paymentMethodId: await otherCard(),
      transactionExternalKey: `refund-${paymentId}`,
    };
    const open = await invoicePayments.refund({ ...refund, properties: answers('PENDING') });
    expect(await invoices.adjustmentsOf(id)).to.eql([]);
    const done = await invoicePayments.refund(refund);
    expect([statusOf(open), statusOf(done)]).to.eql(['PENDING', 'SUCCESS']);
    expect(done.transaction.id).to.equal(open.transaction.id);
    expect(done.payment.transactions).to.have.length(1);
    expect(await invoices.rowsOf(paymentId)).to.eql(['ATTEMPT SUCCESS 20', 'REFUND SUCCESS -20']);
    expect(await invoices.adjustmentsOf(id)).to.eql([-20]);
    expect(await invoices.balanceOf(id)).to.equal(0);
  });

  it('can be repeated after an external failure only with the original method (rule 2)', async () => {
    const { paymentId } = await invoices.paid('20');
    const { invoicePayments } = engine.acme;
    const transactionExternalKey = `refund-${paymentId}`;
    const refund = { paymentId, amount: '20', isExternal: true, transactionExternalKey };
    const paymentMethodId = await otherCard();
    const failed = await invoicePayments.refund({ ...refund, paymentMethodId, properties: answers('ERROR') });
    const another = invoicePayments.refund({ ...refund, paymentMethodId: await otherCard() });
    await expectCode(another, 'PAYMENT_INVALID_PARAMETER');
    const done = await invoicePayments.refund(refund);
    expect(done.payment.id).to.equal(failed.payment.id);
    expect(engine.ledger.ofPayment(done.payment.id)).to.have.length(2);
    expect(await invoices.rowsOf(paymentId)).to.eql(['ATTEMPT SUCCESS 20', 'REFUND SUCCESS -20']);
  });

  for (const answer of ['ERROR', 'CANCELED'] as const)
    it(`leave no row and no adjustment if the gateway returns ${answer} (rule 1e)`, async () => {
      const { id, itemId, paymentId } = await invoices.paid('20');
      await engine.acme.invoicePayments.refund({ paymentId, ...whole(itemId), properties: answers(answer) });
      expect(await invoices.rowsOf(paymentId)).to.eql(['ATTEMPT SUCCESS 20']);
      expect(await invoices.adjustmentsOf(id)).to.eql([]);
      expect(await invoices.balanceOf(id)).to.equal(0);
    });

  describe('with adjustments and a later outcome', () => {
    let id: Uuid;
    let paymentId: Uuid;
    let open: PaymentResult;
    beforeEach(async () => {
      const paid = await invoices.paid('20');
      ({ id, paymentId } = paid);
      open = await engine.acme.invoicePayments.refund({
        paymentId,
        isAdjusted: true,
        adjustments: [{ invoiceItemId: paid.itemId, amount: '8' }],
        properties: answers('PENDING'),
      });
    });
    const state = async () => ({
      row: (await invoices.rowsOf(paymentId))[1],
      adjusted: await invoices.adjustmentsOf(id),
      balance: await invoices.balanceOf(id),
      credit: await invoices.credit(),
    });
    const fix = (status: 'SUCCESS' | 'PENDING' | 'UNKNOWN' | 'PAYMENT_FAILURE') =>
      engine.acme.payments.fixTransaction({ paymentId, transactionId: open.transaction.id, status });
    const PENDING = { row: 'REFUND PENDING -8', adjusted: [], balance: 0, credit: 0 };
    const SUCCESS = { row: 'REFUND SUCCESS -8', adjusted: [-8], balance: 0, credit: 0 };

    it('adjust the items only when they are completed (rule 1e)', async () => {
      expect(await state()).to.eql(PENDING);
      await engine.acme.invoicePayments.complete({ paymentId });
      expect(await state()).to.eql(SUCCESS);
    });

    it('adjust the items when the gateway reports that the refund succeeded (rule 1e)', async () => {
      const transactionId = open.transaction.id;
      await engine.acme.payments.recordNotifiedOutcome({ paymentId, transactionId, status: 'SUCCESS' });
      expect(await state()).to.eql(SUCCESS);
    });

    it('adjust the items when recovery finds that the refund succeeded (rule 1e)', async () => {
      const transactionId = open.transaction.id;
      engine.gateway.configure({ CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId, status: 'PROCESSED' });
      await engine.acme.payments.get(paymentId, { withPluginInfo: true });
      expect(await state()).to.eql(SUCCESS);
    });

    for (const answer of ['ERROR', 'CANCELED'] as const)
      it(`adjust nothing if the completion returns ${answer} (rule 1e)`, async () => {
        await engine.acme.invoicePayments.complete({ paymentId, properties: answers(answer) });
        expect(await state()).to.eql({ ...PENDING, row: 'REFUND INIT 0' });
        await engine.acme.invoicePayments.refund({ paymentId, amount: '20' });
        expect(await invoices.balanceOf(id)).to.equal(20);
      });

    it('adjust the items even if the outcome was temporarily unknown (rule 1e)', async () => {
      await engine.acme.invoicePayments.complete({ paymentId, properties: answers('UNDEFINED') });
      expect(await state()).to.eql({ ...PENDING, row: 'REFUND INIT 0' });
      await fix('SUCCESS');
      expect(await state()).to.eql(SUCCESS);
    });

    it('adjust the items if a failure is corrected to a success (rule 1e)', async () => {
      await fix('PAYMENT_FAILURE');
      await fix('SUCCESS');
      expect(await state()).to.eql(SUCCESS);
    });

    it('adjust the items only once, and leave the adjustments as credit if a success is corrected to a failure (rule 1e)', async () => {
      await fix('SUCCESS');
      await fix('PAYMENT_FAILURE');
      expect(await state()).to.eql({ row: 'REFUND INIT 0', adjusted: [-8], balance: 0, credit: 8 });
      await fix('SUCCESS');
      expect(await state()).to.eql(SUCCESS);
      await fix('PENDING');
      await fix('SUCCESS');
      expect(await state()).to.eql(SUCCESS);
      await fix('UNKNOWN');
      await fix('SUCCESS');
      expect(await state()).to.eql(SUCCESS);
    });
  });

  it('reduce an item by no more than its amount if two refunds adjust the item (rule 1e)', async () => {
    const { id, itemId: invoiceItemId, paymentId } = await invoices.paid('20');
    const { invoicePayments } = engine.acme;
    const adjustments = [{ invoiceItemId, amount: '10' }];
    const properties = answers('PENDING');
    const adjustment = { accountId: account.id, invoiceId: id, invoiceItemId, amount: '5' };
    await engine.acme.invoices.adjustItem(adjustment);
    for (const transactionExternalKey of [`a-${paymentId}`, `b-${paymentId}`])
      await invoicePayments.refund({
        paymentId,
        isAdjusted: true,
        adjustments,
        properties,
        transactionExternalKey,
      });
    for (const transactionExternalKey of [`a-${paymentId}`, `b-${paymentId}`])
      await invoicePayments.complete({ paymentId, transactionExternalKey });
    expect(await invoices.adjustmentsOf(id)).to.eql([-5, -10, -5]);
    expect(await invoices.rowsOf(paymentId)).to.eql([
      'ATTEMPT SUCCESS 20',
      'REFUND SUCCESS -10',
      'REFUND SUCCESS -10',
    ]);
  });

  it('leave a completed invoice payment unchanged if it is completed again (payments §6.1 rule 5)', async () => {
    const { id, paymentId } = await invoices.paid('20');
    const calls = engine.ledger.ofPayment(paymentId).length;
    expect(statusOf(await engine.acme.invoicePayments.complete({ paymentId }))).to.equal('SUCCESS');
    expect(engine.ledger.ofPayment(paymentId)).to.have.length(calls);
    expect(await invoices.balanceOf(id)).to.equal(0);
    const direct = await engine.acme.payments.purchase({ accountId: account.id, amount: '5' });
    const none = engine.acme.invoicePayments.complete({ paymentId: direct.payment.id });
    await expectCode(none, 'INVOICE_PAYMENT_NOT_FOUND');
  });
});
