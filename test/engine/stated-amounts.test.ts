import { SystemTag, type Uuid } from '../../lib/index.ts';
import {
  codeOf,
  eachDatabaseByTurns,
  engineBefore,
  engineBeforeEach,
  expect,
  expectCode,
  payerBeforeEach,
  rowsOf,
  type TestEngine,
} from '../support/index.ts';
import { type ChargedInvoice, PaidInvoices } from '../support/payments/paid-invoices.ts';

const REFUSED = 60003;
const pending = [{ key: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', value: 'true', isUpdatable: false }];

/** Currencies of 0, 2 and 3 digits: an amount with as many digits, and one with one more. */
const currencies = [
  ['JPY', '10', '10.5'],
  ['USD', '10.01', '10.015'],
  ['KWD', '10.001', '10.0015'],
] as const;

interface Life {
  readonly acme: TestEngine['acme'];
  readonly accountId: Uuid;
  readonly currency: string;
  readonly pluginName: string;
  readonly unpaid: ChargedInvoice;
  readonly paid: ChargedInvoice & { readonly paymentId: Uuid };
  readonly authorized: Uuid;
  readonly purchased: Uuid;
  readonly open: { readonly paymentId: Uuid; readonly transactionId: Uuid };
}

async function live(engine: TestEngine, currency: string): Promise<Life> {
  engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
  const account = await engine.payingAccount({ currency });
  const invoices = new PaidInvoices(engine, account);
  const { payments } = engine.acme;
  const paid = await invoices.paid('20');
  const made = { accountId: account.id, amount: '20' };
  const open = await payments.authorize({ ...made, properties: pending });
  return {
    acme: engine.acme,
    accountId: account.id,
    currency,
    pluginName: engine.gateway.name,
    paid,
    unpaid: await invoices.add('20', { isHeldBack: true }),
    authorized: (await payments.authorize(made)).payment.id,
    purchased: (await payments.purchase(made)).payment.id,
    open: { paymentId: open.payment.id, transactionId: open.transaction.id },
  };
}

type Statement = readonly [what: string, state: (life: Life, amount: string) => Promise<unknown>];

const statements: readonly Statement[] = [
  ['an authorization', ({ acme, accountId }, amount) => acme.payments.authorize({ accountId, amount })],
  ['a purchase', ({ acme, accountId }, amount) => acme.payments.purchase({ accountId, amount })],
  ['a credit', ({ acme, accountId }, amount) => acme.payments.credit({ accountId, amount })],
  ['a capture', ({ acme, authorized: paymentId }, amount) => acme.payments.capture({ paymentId, amount })],
  ['a refund', ({ acme, purchased: paymentId }, amount) => acme.payments.refund({ paymentId, amount })],
  [
    'a chargeback',
    ({ acme, purchased: paymentId }, amount) => acme.payments.chargeback({ paymentId, amount }),
  ],
  ['a completion', ({ acme, open }, amount) => acme.payments.complete({ ...open, amount })],
  [
    'the payment of a combined request',
    ({ acme, currency, pluginName }, amount) =>
      acme.payments.combo({
        account: { name: 'Combined', currency },
        paymentMethod: { pluginName },
        transactionType: 'PURCHASE',
        amount,
      }),
  ],
  [
    'the corrected amount of a transaction',
    ({ acme, open }, processedAmount) =>
      acme.payments.fixTransaction({ ...open, status: 'SUCCESS', processedAmount }),
  ],
  [
    'the payment of an invoice',
    ({ acme, unpaid }, amount) => acme.invoicePayments.pay({ invoiceId: unpaid.id, amount }),
  ],
  [
    'the external payment of an invoice',
    ({ acme, unpaid }, amount) =>
      acme.invoicePayments.pay({ invoiceId: unpaid.id, amount, isExternal: true }),
  ],
  [
    'the payment of all invoices',
    ({ acme, accountId }, amount) => acme.invoicePayments.payAll({ accountId, amount }),
  ],
  [
    'the external payment of all invoices',
    ({ acme, accountId }, amount) =>
      acme.invoicePayments.payAll({ accountId, amount: `1${amount}`, isExternal: true }),
  ],
  [
    'a refund of the payment of an invoice',
    ({ acme, paid: { paymentId } }, amount) => acme.invoicePayments.refund({ paymentId, amount }),
  ],
  [
    'an external refund of the payment of an invoice',
    ({ acme, paid: { paymentId } }, amount) =>
      acme.invoicePayments.refund({ paymentId, amount, isExternal: true }),
  ],
  [
    'the item adjustment of a refund',
    ({ acme, paid: { paymentId, itemId: invoiceItemId } }, amount) =>
      acme.invoicePayments.refund({
        paymentId,
        amount: '20',
        isAdjusted: true,
        adjustments: [{ invoiceItemId, amount }],
      }),
  ],
  [
    'a chargeback of the payment of an invoice',
    ({ acme, paid: { paymentId } }, amount) => acme.invoicePayments.chargeback({ paymentId, amount }),
  ],
  [
    'a chargeback that records its excess',
    ({ acme, paid: { paymentId } }, amount) =>
      acme.invoicePayments.chargeback({ paymentId, amount: `1${amount}`, recordsExcess: true }),
  ],
  ...(['addCharges', 'addTaxes', 'addCredits'] as const).map(
    (operation): Statement => [
      `an item of ${operation}`,
      ({ acme, accountId }, amount) =>
        acme.invoices[operation]({ accountId, items: [{ amount: '5' }, { amount }], autoCommit: true }),
    ],
  ),
  [
    'an item adjustment',
    ({ acme, accountId, unpaid: { id: invoiceId, itemId: invoiceItemId } }, amount) =>
      acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId, amount }),
  ],
  [
    'an item of a migration invoice',
    ({ acme, accountId }, amount) =>
      acme.invoices.createMigrationInvoice({ accountId, items: [{ itemType: 'EXTERNAL_CHARGE', amount }] }),
  ],
];

/** Returns the number of rows that the operations could leave behind. */
async function stored({ database }: TestEngine): Promise<unknown> {
  const tables = [
    'accounts',
    'payments',
    'payment_transactions',
    'payment_attempts',
    'payment_methods',
    'invoices',
    'invoice_items',
  ];
  return rowsOf(
    database,
    `select ${tables.map((table) => `(select count(*) from bw_${table}) as ${table}`).join(', ')}`,
  );
}

eachDatabaseByTurns.describe('amount finer than the minor unit (invoicing §2 rule 6)', (open) => {
  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z', catalog: null });

  for (const [currency, , finer] of currencies)
    it(`is rejected in ${currency} in every input, and changes nothing`, async () => {
      const life = await live(engine, currency);
      const before = await stored(engine);
      const calls = engine.ledger.all().length;
      for (const [what, state] of statements) {
        await expectCode(state(life, finer), REFUSED, what);
        expect(await stored(engine), what).to.eql(before);
      }
      expect(engine.ledger.all()).to.have.length(calls);
    });

  for (const [currency, valid] of currencies)
    it(`is not an amount with at most the digits of ${currency}, which every operation accepts`, async () => {
      for (const [what, state] of statements)
        expect(await codeOf(state(await live(engine, currency), valid)), what).to.equal('no error');
    });

  it('is checked against the payment currency, not the account currency', async () => {
    const { id: accountId } = await engine.payingAccount({ currency: 'USD' });
    const { payments } = engine.acme;
    await expectCode(payments.purchase({ accountId, amount: '10.5', currency: 'JPY' }), REFUSED);
    expect(await codeOf(payments.purchase({ accountId, amount: '10.123', currency: 'KWD' }))).to.equal(
      'no error',
    );
  });

  it('is reported in an error with the number of digits that the currency allows', async () => {
    const { id: accountId } = await engine.payingAccount({ currency: 'JPY' });
    const refused = await engine.acme.payments.purchase({ accountId, amount: '10.999' }).catch(String);
    expect(refused).to.contain(
      'amount 10.999 is finer than the minor unit of JPY. Use no fractional digits.',
    );
  });
});

eachDatabaseByTurns.describe('older balance finer than the minor unit', (open) => {
  const engine = engineBeforeEach(open, { now: '2024-01-01T00:00:00Z', catalog: null });
  const { acme } = engine;
  const account = payerBeforeEach(engine);
  const invoices = new PaidInvoices(engine, account);

  const findings = async () =>
    (await engine.breaches()).map(({ invariant, message, accountId }) => ({ invariant, message, accountId }));
  const balanceOf = async (invoiceId: Uuid) => String((await acme.invoices.get(invoiceId)).balance);

  /** Creates an invoice of 20 with a payment of 19.996, as an earlier release allowed. */
  async function leftOver() {
    const invoice = await invoices.paid('20');
    for (const statement of [
      `update bw_payment_transactions set amount = '19.996', processed_amount = '19.996'`,
      `update bw_invoice_payments set amount = '19.996'`,
      `update bw_invoices set raw_balance = '0.004'`,
      `update bw_invoicing_states set account_balance = '0.004'`,
    ])
      await rowsOf(engine.database, statement);
    expect(await balanceOf(invoice.id)).to.equal('0.004');
    return invoice;
  }

  it('is reported by the consistency check, with the adjustment that corrects the balance', async () => {
    const { id: invoiceId, itemId: invoiceItemId } = await leftOver();
    expect(await findings()).to.eql([
      {
        invariant: 'MINOR_UNIT',
        accountId: account.id,
        message: `Invoice ${invoiceId} owes 0.004 USD, which is finer than the minor unit of its currency. Adjust its item ${invoiceItemId} by 0.004`,
      },
    ]);
    const adjustment = { accountId: account.id, invoiceId, invoiceItemId };
    await expectCode(acme.invoices.adjustItem({ ...adjustment, amount: '0.003' }), 60003);
    await acme.invoices.adjustItem({ ...adjustment, amount: '0.004' });
    expect(await balanceOf(invoiceId)).to.equal('0');
    expect(await findings()).to.eql([]);
  });

  it('can be paid exactly', async () => {
    const { id: invoiceId } = await leftOver();
    await acme.invoicePayments.pay({ invoiceId, amount: '0.004', isExternal: true });
    expect(await balanceOf(invoiceId)).to.equal('0');
    expect(await findings()).to.eql([]);
  });

  it('is paid by an external payment of all invoices, which credits the rest', async () => {
    const { id: invoiceId } = await leftOver();
    await acme.invoicePayments.payAll({ accountId: account.id, amount: '1', isExternal: true });
    expect(await balanceOf(invoiceId)).to.equal('0');
    expect(await invoices.credit()).to.equal(0.996);
    const [credit, ...others] = await findings();
    expect(others).to.eql([]);
    expect(credit?.message).to.contain(
      'account credit is 0.996 USD, which is finer than the minor unit of its currency',
    );
    // The balance that it leaves on the next invoice is found next.
    const { id: next, itemId: invoiceItemId } = await invoices.add('5', { isHeldBack: true });
    expect(await balanceOf(next)).to.equal('4.004');
    expect((await findings())[0]?.message).to.contain(`Adjust its item ${invoiceItemId} by 0.004`);
    await acme.invoices.adjustItem({
      accountId: account.id,
      invoiceId: next,
      invoiceItemId,
      amount: '0.004',
    });
    expect(await findings()).to.eql([]);
    expect(await balanceOf(next)).to.equal('4');
  });

  it('is not reported for a written-off invoice', async () => {
    const { id } = await leftOver();
    await acme.tags.add({ id, type: 'INVOICE' }, [SystemTag.WRITTEN_OFF]);
    expect((await findings()).filter(({ invariant }) => invariant === 'MINOR_UNIT')).to.eql([]);
  });

  it('can be fully refunded or charged back if it was paid', async () => {
    const { paymentId } = await leftOver();
    const { invoicePayments } = acme;
    await expectCode(invoicePayments.refund({ paymentId, amount: '19.995' }), 60003);
    const { transaction } = await invoicePayments.chargeback({ paymentId, amount: '19.996' });
    await invoicePayments.reverseChargeback({ paymentId, transactionExternalKey: transaction.externalKey });
    await invoicePayments.refund({ paymentId, amount: '19.996' });
    expect(await findings()).to.eql([]);
  });
});
