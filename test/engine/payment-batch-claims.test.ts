import type {
  GatewayPaymentMethod,
  GatewayRequest,
  GatewayResult,
  PaymentGateway,
  PaymentMethodDetails,
  Uuid,
} from '../../lib/index.ts';
import { eachDatabase, engineBefore, expect, expectCode } from '../support/index.ts';
import { ScriptedControl } from '../support/payments/scripted-control.ts';
import type { Account } from '../support/plain-views.ts';

function oops(): never {
  throw new Error('not to be read');
}

/** A gateway result whose status getter throws. */
const unreadable = ({ paymentId, transactionId }: GatewayRequest): unknown => ({
  kbPaymentId: paymentId,
  kbTransactionPaymentId: transactionId,
  transactionType: 'PURCHASE',
  get status() {
    return oops();
  },
});

eachDatabase.describe('unreadable gateway responses (payments §2.2)', (open) => {
  let detail: unknown = null;
  let listed: unknown = null;

  const gateway: PaymentGateway = {
    name: 'odd',
    purchase: async (request) => unreadable(request) as GatewayResult,
    getPaymentInfo: async () => [],
    getPaymentMethodDetail: async () => detail as PaymentMethodDetails,
    getPaymentMethods: async () => listed as readonly GatewayPaymentMethod[],
  };

  const engine = engineBefore(open, () => ({
    now: '2024-01-01T10:00:00Z',
    catalog: null,
    gateways: [gateway],
    paymentControls: [new ScriptedControl('control')],
    configuration: { 'org.service.payment.invoice.plugin': 'control' },
  }));
  const { acme } = engine;
  beforeEach(() => {
    detail = null;
    listed = null;
  });

  async function payingOddly(): Promise<Account> {
    const account = await acme.createAccount({ currency: 'USD' });
    await acme.addPaymentMethod({ accountId: account.id, pluginName: 'odd', isDefault: true });
    return account;
  }
  const invoiced = async (account: Account): Promise<Uuid> => (await engine.charge(account.id, '20')).id;
  const statusesOf = async (invoiceId: Uuid) =>
    (await acme.payments.invoicePaymentsOfInvoice(invoiceId)).flatMap(({ transactions }) =>
      transactions.map(({ status }) => status),
    );

  it('leave only their own payment UNKNOWN in a batch with control plugins (payments §5.1)', async () => {
    const accounts = [
      await engine.payingAccount({ currency: 'USD' }),
      await payingOddly(),
      await engine.payingAccount({ currency: 'USD' }),
    ];
    const ids: Uuid[] = [];
    for (const account of accounts) ids.push(await invoiced(account));
    await engine.settle();
    expect(await Promise.all(ids.map(statusesOf))).to.eql([['SUCCESS'], ['UNKNOWN'], ['SUCCESS']]);
    const owed = await Promise.all(ids.map(async (id) => Number((await acme.invoices.get(id)).balance)));
    expect(owed).to.eql([0, 20, 0]);
  });

  it('do not prevent a method with unreadable details from being stored (payments §10.1)', async () => {
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    for (const odd of [5, { externalPaymentMethodId: {} }, throwing('externalPaymentMethodId')]) {
      detail = odd;
      const { id, externalKey } = await acme.paymentMethods.add({ accountId, pluginName: 'odd' });
      expect(externalKey).to.equal(id);
    }
  });

  it('cause a refresh of methods to fail with 7006 without changing anything (payments §10.5)', async () => {
    const { id: accountId } = await payingOddly();
    const before = await acme.paymentMethods.ofAccount(accountId);
    for (const odd of [throwing('paymentMethodId'), { paymentMethodId: Object.create(null) }, null]) {
      listed = [odd];
      const refresh = acme.paymentMethods.refresh({ accountId, pluginNames: ['odd'] });
      await expectCode(refresh, 'PAYMENT_REFRESH_PAYMENT_METHOD');
    }
    expect(await acme.paymentMethods.ofAccount(accountId)).to.eql(before);
  });
});

function throwing(member: string): object {
  return Object.defineProperty({}, member, { get: oops, enumerable: true });
}
