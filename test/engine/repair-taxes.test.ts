import type {
  AdditionalItem,
  InvoiceForPlugins,
  InvoicePlugin,
  TenantBilling,
  Uuid,
} from '../../lib/index.ts';
import { decimal, formatDecimal, SystemTag } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, expectCode, openEngine, type TestEngine } from '../support/index.ts';

const RATE = '20';

/** A plugin that taxes charges and repairs by the rate `part`. */
const taxing = (part: () => string): InvoicePlugin => ({
  name: 'tax',
  getAdditionalInvoiceItems: async ({ items }: InvoiceForPlugins) => ({
    items: items.flatMap(({ id, itemType, amount }): readonly AdditionalItem[] =>
      itemType === 'RECURRING' || itemType === 'REPAIR_ADJ'
        ? [{ itemType: 'TAX', linkedItemId: id, amount: amount.times(part()), description: `VAT ${RATE} %` }]
        : [],
    ),
  }),
});

eachDatabaseByTurns.describe('repair taxes (invoicing §14 rule 9)', (open) => {
  let engine: TestEngine;
  let acme: TenantBilling;
  let part: string;

  beforeEach(async () => {
    part = '0.2';
    engine = await openEngine(open, {
      now: '2024-01-01T00:00:00Z',
      invoicePlugins: [taxing(() => part)],
      configuration: { 'org.service.invoice.creditNotes': 'true' },
    });
    acme = engine.acme;
  });
  afterEach(async () => {
    expect(await engine.breaches()).to.eql([]);
  });

  async function cancelled(tags: readonly Uuid[] = []): Promise<Uuid> {
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    const { subscriptionId } = await acme.createSubscription({ accountId, planName: 'solo-now' });
    await engine.settle();
    if (tags.length > 0) await acme.tags.add({ type: 'ACCOUNT', id: accountId }, tags);
    engine.clock.set('2024-01-16T00:00:00Z');
    await engine.settle(acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' }));
    return accountId;
  }

  it('are negative items on the invoice of the repair, and cannot be adjusted', async () => {
    const accountId = await cancelled();
    const [charged, repaired] = await acme.invoices.ofAccount({ accountId, withItems: true });
    const amounts = repaired?.items.map(({ itemType, amount }) => `${itemType} ${formatDecimal(amount)}`);
    expect(amounts).to.eql(['REPAIR_ADJ -10.3', 'TAX -2.06', 'CBA_ADJ 12.36']);
    const tax = repaired?.items.find(({ itemType }) => itemType === 'TAX');
    const adjusting = acme.invoices.adjustItem({
      accountId,
      invoiceId: repaired?.id ?? '',
      invoiceItemId: tax?.id ?? '',
      amount: decimal('1'),
    });
    await expectCode(adjusting, 'INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID');
    const [note] = await acme.creditNotes.ofInvoice(charged?.id ?? '');
    expect(note?.lines.map(({ amount }) => formatDecimal(amount))).to.eql(['10.3', '2.06']);
  });

  it('reduce the remaining tax of the charge until the repair is voided', async () => {
    const accountId = await cancelled([SystemTag.AUTO_INVOICING_DRAFT]);
    const [charged, repaired] = await acme.invoices.ofAccount({ accountId, withItems: true });
    const tax = charged?.items.find(({ itemType }) => itemType === 'TAX');
    const adjust = (amount: string) =>
      acme.invoices.adjustItem({
        accountId,
        invoiceId: charged?.id ?? '',
        invoiceItemId: tax?.id ?? '',
        amount: decimal(amount),
      });
    await expectCode(
      adjust(formatDecimal(tax?.amount ?? decimal(0))),
      'INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID',
    );
    expect(formatDecimal(tax?.repairable ?? decimal(0))).to.equal(
      formatDecimal((tax?.amount ?? decimal(0)).minus('2.06')),
    );
    await acme.invoices.void(repaired?.id ?? '');
    const [restored] = await acme.invoices.ofAccount({ accountId, withItems: true });
    const again = restored?.items.find(({ id }) => id === tax?.id);
    expect(again?.repairable).to.eql(tax?.amount);
  });

  it('are rejected if they are positive or exceed the repaired amount', async () => {
    for (const wrong of ['-0.2', '1.2']) {
      const { id: accountId } = await acme.createAccount({ currency: 'USD' });
      const { subscriptionId } = await acme.createSubscription({ accountId, planName: 'solo-now' });
      await engine.settle();
      await acme.subscriptions.cancel(subscriptionId, {
        billingPolicy: 'IMMEDIATE',
        requestedDate: '2024-01-01',
      });
      part = wrong;
      await expectCode(acme.invoices.generate({ accountId }), 'INVOICE_EXTERNAL_CHARGE_AMOUNT_INVALID');
      part = '0.2';
      await engine.settle();
    }
  });
});
