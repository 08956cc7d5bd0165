import { SystemTag, type Uuid } from '../../lib/index.ts';
import { anyDatabase, engineBefore, expect, payerBeforeEach } from '../support/index.ts';

const does = (action: string) => [{ key: action, value: 'true', isUpdatable: false }];
const UNKNOWN = does('ACTION_RETURN_PLUGIN_STATUS_UNDEFINED');
const PENDING = does('ACTION_RETURN_PLUGIN_STATUS_PENDING');

anyDatabase.describe('holds released during another payment of the invoice (payments §9.3)', (open) => {
  const engine = engineBefore(open, { now: '2012-05-31T00:03:42Z', catalog: null });
  const { acme } = engine;
  const account = payerBeforeEach(engine);

  /**
   * Creates an invoice of 80 whose automatic payment is held back by AUTO_PAY_OFF, pays this amount through the API,
   * then removes the tag.
   */
  async function released(amount: string, properties: typeof UNKNOWN) {
    const object = { id: account.id, type: 'ACCOUNT' } as const;
    await acme.tags.add(object, [SystemTag.AUTO_PAY_OFF]);
    const items = [{ amount: '80' }];
    const [item] = await acme.invoices.addCharges({ accountId: account.id, items, autoCommit: true });
    await engine.settle();
    if (!item) throw new Error('no charge was made');
    const { invoiceId } = item;
    const paid = await acme.invoicePayments.pay({ invoiceId, amount, properties });
    if (!paid) throw new Error('nothing was paid');
    await engine.settle(acme.tags.remove(object, [SystemTag.AUTO_PAY_OFF]));
    return { invoiceId, paymentId: paid.payment.id, transactionId: paid.transaction.id };
  }
  const shown = async (invoiceId: Uuid) => {
    const payments = await acme.payments.invoicePaymentsOfInvoice(invoiceId);
    return [
      Number((await acme.invoices.get(invoiceId)).balance),
      ...payments.flatMap(({ transactions }) =>
        transactions.map(({ status, amount }) => `${status} ${Number(amount)}`),
      ),
    ];
  };
  const holds = async () =>
    (
      await engine.storage.read(engine.tenant, (session) =>
        session.payments.findHoldsByAccounts([account.id]),
      )
    ).length;
  const ends = (transactionId: Uuid, status: string) =>
    engine.gateway.configure(
      { CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId, status },
      engine.tenant.id,
    );

  it('wait for an unknown payment, and are paid in full if that payment fails', async () => {
    const { invoiceId, transactionId } = await released('10', UNKNOWN);
    expect([await shown(invoiceId), await holds()]).to.eql([[80, 'UNKNOWN 10'], 1]);
    ends(transactionId, 'ERROR');
    engine.clock.advance({ minutes: 10 });
    await engine.settle();
    expect([await shown(invoiceId), await holds()]).to.eql([[0, 'PAYMENT_FAILURE 10', 'SUCCESS 80'], 0]);
  });

  it('wait for an unknown payment, and pay only the remaining amount if that payment succeeds', async () => {
    const { invoiceId, transactionId } = await released('10', UNKNOWN);
    ends(transactionId, 'PROCESSED');
    engine.clock.advance({ minutes: 10 });
    await engine.settle();
    expect([await shown(invoiceId), await holds()]).to.eql([[0, 'SUCCESS 10', 'SUCCESS 70'], 0]);
  });

  it('immediately pay the amount that a pending payment does not cover, and pay the rest if that payment fails', async () => {
    const { invoiceId, paymentId, transactionId } = await released('10', PENDING);
    expect([await shown(invoiceId), await holds()]).to.eql([[10, 'PENDING 10', 'SUCCESS 70'], 1]);
    const status = 'PAYMENT_FAILURE';
    await engine.settle(acme.payments.recordNotifiedOutcome({ paymentId, transactionId, status }));
    expect([await shown(invoiceId), await holds()]).to.eql([
      [0, 'PAYMENT_FAILURE 10', 'SUCCESS 70', 'SUCCESS 10'],
      0,
    ]);
  });

  it('end when a pending payment of the full amount is completed', async () => {
    const { invoiceId, paymentId } = await released('80', PENDING);
    expect([await shown(invoiceId), await holds()]).to.eql([[80, 'PENDING 80'], 1]);
    await engine.settle(acme.invoicePayments.complete({ paymentId }));
    expect([await shown(invoiceId), await holds()]).to.eql([[0, 'SUCCESS 80'], 0]);
  });

  it('are not retried automatically while they wait, and remain in place under a new tag', async () => {
    const { invoiceId, paymentId, transactionId } = await released('10', UNKNOWN);
    engine.clock.advance({ days: 20 });
    await engine.settle();
    expect([await shown(invoiceId), await holds()]).to.eql([[80, 'UNKNOWN 10'], 1]);
    const object = { id: account.id, type: 'ACCOUNT' } as const;
    await acme.tags.add(object, [SystemTag.MANUAL_PAY]);
    const status = 'PAYMENT_FAILURE';
    await engine.settle(acme.payments.fixTransaction({ paymentId, transactionId, status }));
    expect([await shown(invoiceId), await holds()]).to.eql([[80, 'PAYMENT_FAILURE 10'], 1]);
    await engine.settle(acme.tags.remove(object, [SystemTag.MANUAL_PAY]));
    expect([await shown(invoiceId), await holds()]).to.eql([[0, 'PAYMENT_FAILURE 10', 'SUCCESS 80'], 0]);
  });
});
