import { aliasHeaders, createAccount, createdId, exampleCatalog, list } from '../support/http/index.ts';
import { expectRefusal, outcomeOf, type Serving, serveInTestMode, xmlType } from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect, migrated } from '../support/index.ts';

interface InvoiceJson {
  readonly invoiceId: string;
  readonly invoiceNumber: number | string;
  readonly targetDate: string;
  readonly amount: number;
  readonly balance: number;
  readonly status: string;
  readonly items: readonly {
    readonly startDate: string;
    readonly endDate: string | null;
    readonly amount: number;
  }[];
}

interface PaymentJson {
  readonly targetInvoiceId: string;
  readonly purchasedAmount: number;
  readonly transactions: readonly {
    readonly status: string;
    readonly transactionType: string;
    readonly amount: number;
  }[];
}

type ClockJson = Readonly<Record<'currentUtcTime' | 'timeZone' | 'localDate', string>>;

eachDatabaseByTurns.describe('main workflow over HTTP', (open) => {
  let serving: Serving;
  let call: Serving['call'];

  before(async () => {
    serving = await serveInTestMode(await open(migrated));
    call = serving.call;
  });
  after(() => serving.close());

  async function clock(method: string, query: string): Promise<ClockJson> {
    const reply = await call(method, `/1.0/kb/test/clock${query}`, {
      headers: { 'x-service-createdby': undefined },
    });
    expect(reply.status, reply.text).to.equal(200);
    return reply.json as ClockJson;
  }

  it('sets the clock to a date and moves the clock by units of time (platform P1 "Clock")', async () => {
    expect(await clock('POST', '?requestedDate=2025-01-31T10:00:30.750')).to.eql({
      currentUtcTime: '2025-01-31T10:00:30.000Z',
      timeZone: 'UTC',
      localDate: '2025-01-31',
    });
    expect(await clock('PUT', '?months=1')).to.include({ currentUtcTime: '2025-02-28T10:00:30.000Z' });
    expect(await clock('PUT', '?months=1')).to.include({ localDate: '2025-03-28' });
    expect(await clock('PUT', '?weeks=1&days=3')).to.include({ localDate: '2025-03-31' });
    expect(await clock('PUT', '?days=-3')).to.include({ localDate: '2025-03-28' });
    await clock('POST', '?requestedDate=2025-03-28T20:00Z');
    const tokyo = { timeZone: 'Asia/Tokyo', localDate: '2025-03-29' };
    expect(await clock('GET', '?timeZone=Asia/Tokyo')).to.include(tokyo);
    expect(await clock('POST', '')).to.include({ currentUtcTime: '2026-01-01T00:00:00.000Z' });
    expectRefusal(await call('PUT', '/1.0/kb/test/clock?years=100000'), 400, 60002);
    for (const date of ['9999-12-31T23:59:59Z', '9000-01-01', '1969-12-31', '0001-01-01']) {
      const refused = await call('POST', `/1.0/kb/test/clock?requestedDate=${date}`);
      expect(outcomeOf(refused), date).to.eql([400, 60002]);
    }
    expect(await clock('GET', '')).to.include({ currentUtcTime: '2026-01-01T00:00:00.000Z' });
  });

  it('limits the wait of a test endpoint in dialect K and rejects longer waits in dialect D (R62)', async () => {
    const before = await clock('POST', '?requestedDate=2025-01-31');
    for (const [method, path] of [
      ['GET', 'queues?timeoutSec=360'],
      ['POST', 'clock?requestedDate=2025-02-01&timeoutSec=360'],
      ['PUT', 'clock?days=1&timeoutSec=121'],
    ] as const) {
      expect(outcomeOf(await call(method, `/1.0/kb/test/${path}`)), path).to.eql([400, 60002]);
      expect(await clock('GET', '')).to.include({ localDate: before.localDate });
    }
    for (const [method, path] of [
      ['GET', 'queues?timeoutSec=360'],
      ['POST', 'clock?requestedDate=2025-02-01&timeoutSec=360'],
      ['PUT', 'clock?days=1&timeoutSec=9223372036854775807'],
    ] as const)
      expect((await call(method, `/1.0/kb/test/${path}`, { headers: aliasHeaders })).status, path).to.equal(
        200,
      );
    expect(await clock('GET', '')).to.include({ localDate: '2025-02-02' });
  });

  it('bills and collects payments for a year of a subscription', async () => {
    await clock('POST', '?requestedDate=2024-01-31');
    const uploaded = await call('POST', '/1.0/kb/catalog', {
      body: await exampleCatalog(),
      headers: xmlType,
    });
    expect(uploaded.status, uploaded.text).to.equal(201);
    const account = await call('POST', '/1.0/kb/accounts', {
      body: { externalKey: 'ada', name: 'Ada', currency: 'USD', timeZone: 'America/New_York' },
    });
    const accountId = createdId(account);
    const method = await call('POST', `/1.0/kb/accounts/${accountId}/paymentMethods?isDefault=true`, {
      body: { pluginName: 'killbill-payment-test' },
    });
    expect(method.status, method.text).to.equal(201);
    const created = await call('POST', '/1.0/kb/subscriptions', {
      body: { accountId, bundleExternalKey: 'notes', planName: 'canopy-monthly' },
    });
    expect(created.status, created.text).to.equal(201);
    expect((await call('GET', '/1.0/kb/test/queues')).status).to.equal(200);
    const dryRun = await call('POST', `/1.0/kb/invoices/dryRun?accountId=${accountId}&targetDate=2024-02-29`);
    for (let month = 1; month <= 12; month += 1) await clock('PUT', '?months=1');

    const path = `/1.0/kb/accounts/${accountId}/invoices?includeInvoiceComponents=true`;
    const invoices = (await list(serving, path)) as readonly InvoiceJson[];
    const payments = (await list(
      serving,
      `/1.0/kb/accounts/${accountId}/invoicePayments`,
    )) as readonly PaymentJson[];

    expect(invoices.map((invoice) => invoice.invoiceNumber)).to.eql(invoices.map((_, index) => index + 1));
    expect(invoices.every((invoice) => invoice.balance === 0 && invoice.status === 'COMMITTED')).to.equal(
      true,
    );
    const periods = invoices.flatMap((invoice) =>
      invoice.items.filter((item) => item.endDate !== null).map((item) => [item.startDate, item.endDate]),
    );
    expect(periods.length).to.be.at.least(12);
    for (const [index, [start]] of periods.entries()) {
      if (index > 0) expect(start).to.equal(periods[index - 1]?.[1]);
    }
    expect(payments.map((payment) => payment.targetInvoiceId)).to.have.members(
      invoices.map((invoice) => invoice.invoiceId),
    );
    expect(
      payments.map(({ purchasedAmount, transactions: [purchase] }) => [
        purchasedAmount,
        purchase?.transactionType,
        purchase?.status,
      ]),
    ).to.have.deep.members(invoices.map(({ amount }) => [amount, 'PURCHASE', 'SUCCESS']));

    const second = invoices[1];
    expect(dryRun.json).to.deep.include({ invoiceNumber: null, amount: second?.amount });
    const { json: shown } = await call('GET', `/1.0/kb/accounts/${accountId}?accountWithBalanceAndCBA=true`);
    expect(shown).to.include({ accountBalance: 0, accountCBA: 0, billCycleDayLocal: 30 });
    const inK = await call('GET', `/1.0/kb/invoices/${second?.invoiceId}`, { headers: aliasHeaders });
    expect(inK.json).to.include({ invoiceNumber: String(second?.invoiceNumber) });
  });

  it('leaves an invoice unpaid without a payment method', async () => {
    await clock('POST', '?requestedDate=2024-06-01');
    const { accountId, invoice } = await firstInvoice();
    expect(invoice?.balance).to.equal(invoice?.amount);
    expect(await list(serving, `/1.0/kb/accounts/${accountId}/payments`)).to.eql([]);
    const { json } = await call('GET', `/1.0/kb/accounts/${accountId}?accountWithBalance=true`);
    expect(json).to.include({ accountBalance: invoice?.amount });
  });

  it('leaves an invoice unpaid if the payment is declined, and shows the reason', async () => {
    await clock('POST', '?requestedDate=2024-06-01');
    serving.gateway.configure({
      CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR',
      GATEWAY_ERROR: 'no funds',
      GATEWAY_ERROR_CODE: '51',
    });
    const { invoice } = await firstInvoice({ pluginName: 'killbill-payment-test' });
    serving.gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
    expect(invoice?.balance).to.equal(invoice?.amount);
    const [payment, ...others] = (await list(
      serving,
      `/1.0/kb/invoices/${invoice?.invoiceId}/payments?withAttempts=true`,
    )) as readonly PaymentJson[];
    expect(others).to.eql([]);
    expect(payment).to.include({ targetInvoiceId: invoice?.invoiceId, purchasedAmount: 0 });
    expect(payment?.transactions.map((each) => ({ ...each }))[0]).to.include({
      status: 'PAYMENT_FAILURE',
      gatewayErrorMsg: 'no funds',
      gatewayErrorCode: '51',
    });
  });

  /** Creates a customer with a subscription and its invoice, and with a default payment method if one is given. */
  async function firstInvoice(method?: object) {
    const accountId = await createAccount({ call });
    if (method !== undefined) {
      await call('POST', `/1.0/kb/accounts/${accountId}/paymentMethods?isDefault=true`, { body: method });
    }
    await call('POST', '/1.0/kb/subscriptions', { body: { accountId, planName: 'canopy-monthly' } });
    expect((await call('GET', '/1.0/kb/test/queues')).status).to.equal(200);
    const [invoice] = (await list(
      serving,
      `/1.0/kb/accounts/${accountId}/invoices`,
    )) as readonly InvoiceJson[];
    return { accountId, invoice };
  }
});
