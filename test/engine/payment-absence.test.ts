import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayRequest, GatewayResult, PaymentGateway } from '../../lib/index.ts';
import { GatewayError } from '../../lib/index.ts';
import type { TestEngine } from '../support/index.ts';
import { codeOf, eachDatabaseByTurns, expect, expectCode, openEngine } from '../support/index.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';
import type { Account } from '../support/plain-views.ts';

const START = '2024-01-01T10:00:00Z';
const FIRST_CHECK = '2024-01-01T10:06:00Z';

/** A processor with a complete ledger behind a slow network: requests arrive when the network lets them through. */
class SlowNetwork {
  readonly arrived: GatewayResult[] = [];
  /** Whether the gateway gives up before the request has arrived. */
  givesUp = false;
  #isSlow = true;
  #open: () => void = () => undefined;
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  /** Delivers all delayed requests and all later ones. */
  letThrough(): void {
    this.#isSlow = false;
    this.#open();
  }

  /** Delivers later requests, but never those already delayed. */
  recover(): void {
    this.#isSlow = false;
  }

  gateway(): PaymentGateway {
    return {
      name: 'far',
      capabilities: { completeLedger: true },
      purchase: (request) => this.#purchase(request),
      getPaymentInfo: async ({ paymentId }) => this.arrived.filter((each) => each.kbPaymentId === paymentId),
    };
  }

  async #purchase({ paymentId, transactionId, amount, currency }: GatewayRequest): Promise<GatewayResult> {
    const now = new Date(0);
    const result: GatewayResult = {
      kbPaymentId: paymentId,
      kbTransactionPaymentId: transactionId,
      transactionType: 'PURCHASE',
      status: 'PROCESSED',
      amount,
      currency,
      createdDate: now,
      effectiveDate: now,
      properties: [],
    };
    const arrival = (this.#isSlow ? this.#opened : Promise.resolve()).then(() => this.arrived.push(result));
    if (this.givesUp && this.#isSlow) throw new GatewayError('no connection to the processor');
    await arrival;
    return result;
  }
}

eachDatabaseByTurns.describe('payments missing from a complete ledger (payments §7.2 rule 6)', (open) => {
  let engine: TestEngine;
  let account: Account;
  let network: SlowNetwork;

  beforeEach(async () => {
    network = new SlowNetwork();
    engine = await openEngine(open, {
      now: START,
      catalog: null,
      gateways: [network.gateway()],
      configuration: { 'org.service.payment.plugin.timeout': '100ms' },
    });
    account = await engine.acme.createAccount({ currency: 'USD' });
    await engine.acme.addPaymentMethod({ accountId: account.id, pluginName: 'far', isDefault: true });
  });
  afterEach(() => network.letThrough());

  const buy = () =>
    engine.acme.payments.purchase({
      accountId: account.id,
      amount: '10',
      externalKey: 'k',
      transactionExternalKey: 't',
    });
  const statuses = async () =>
    (await engine.acme.payments.getByKey('k')).transactions.map(({ status }) => status);

  /** Waits until the late response is recorded. */
  async function arrival(): Promise<void> {
    network.letThrough();
    for (let looks = 0; looks < 100 && (await statuses()).includes('UNKNOWN'); looks += 1) await sleep(20);
  }

  it('cause only one charge if a purchase times out and is immediately sent again', async () => {
    await expectCode(buy(), 7100);
    network.recover();
    await expectCode(buy(), 7032);
    await arrival();
    expect(network.arrived).to.have.length(1);
    expect(await statuses()).to.eql(['SUCCESS']);
    await expectCode(buy(), 7030);
  });

  it('cause only one charge if the gateway gives up on a purchase that is immediately sent again', async () => {
    network.givesUp = true;
    await expectCode(buy(), 7199);
    network.recover();
    await expectCode(buy(), 7032);
    network.letThrough();
    await sleep(20);
    expect(network.arrived).to.have.length(1);
    await engine.runTo(FIRST_CHECK);
    expect(await statuses()).to.eql(['SUCCESS']);
  });

  it('block their invoice as long as a read with plugin information finds the payment in progress', async () => {
    const invoices = new PaidInvoices(engine, account);
    const { id: invoiceId } = await invoices.add('20', { isHeldBack: true });
    const pay = () => engine.acme.invoicePayments.pay({ invoiceId, externalKey: 'k' });
    await expectCode(pay(), 7100);
    network.recover();
    const shown = await engine.acme.payments.getByKey('k', { withPluginInfo: true });
    expect(shown.transactions.map(({ status }) => status)).to.eql(['UNKNOWN']);
    expect(await engine.acme.invoicePayments.pay({ invoiceId })).to.equal(null);
    await arrival();
    expect(network.arrived).to.have.length(1);
    expect(Number(await invoices.balanceOf(invoiceId))).to.equal(0);
  });

  it('are not treated as absent by recovery while their call still runs in this process', async () => {
    await expectCode(buy(), 7100);
    await engine.runTo(FIRST_CHECK);
    expect(await statuses()).to.eql(['UNKNOWN']);
    await arrival();
    expect(await statuses()).to.eql(['SUCCESS']);
  });

  it('are treated as absent by recovery once their call has ended, so that they can be repeated', async () => {
    network.givesUp = true;
    await expectCode(buy(), 7199);
    await engine.runTo(FIRST_CHECK);
    expect(await statuses()).to.eql(['PLUGIN_FAILURE']);
    network.recover();
    expect(await codeOf(buy())).to.equal('no error');
    expect(await statuses()).to.eql(['PLUGIN_FAILURE', 'SUCCESS']);
  });
});
