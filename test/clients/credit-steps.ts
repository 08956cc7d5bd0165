import { expect } from 'chai';
import type { InvoiceItem } from 'killbill';
import { BY, type JourneyOf } from './journey.ts';

/** Casts fields to the package's type, which requires more fields than the interface. */
const item = (fields: Partial<InvoiceItem>) => fields as InvoiceItem;

export function describeCredit(journey: JourneyOf): void {
  describe('charges, adjustments and credit', () => {
    it('include charges, taxes and adjustments', async () => {
      const { client, ids } = journey();
      const accountId = ids.get('accountId');
      const charge = item({ amount: 10, description: 'set-up' });
      const charged = await client.invoice.createExternalCharges(
        [charge],
        accountId,
        BY,
        '2024-02-10',
        true,
        [],
      );
      expect(charged.status).to.equal(201);
      const [made] = charged.data;
      expect(made).to.include({ itemType: 'EXTERNAL_CHARGE', amount: 10, description: 'set-up' });
      const tax = await client.invoice.createTaxItems([item({ amount: 2 })], accountId, BY, true);
      expect(tax.data[0]).to.include({ itemType: 'TAX', amount: 2 });
      const adjusted = await client.invoice.adjustInvoiceItem(
        item({ accountId, invoiceItemId: String(made?.invoiceItemId), amount: 4 }),
        String(made?.invoiceId),
        BY,
      );
      expect(adjusted.status).to.equal(201);
      expect(adjusted.data).to.include({ invoiceId: made?.invoiceId, balance: 6 });
    });

    it('include one committed and one voided draft', async () => {
      const { client, ids } = journey();
      const accountId = ids.get('accountId');
      const drafts: string[] = [];
      for (const amount of [1, 2]) {
        const { data } = await client.invoice.createExternalCharges([item({ amount })], accountId, BY);
        drafts.push(String(data[0]?.invoiceId));
      }
      const [first = '', second = ''] = drafts;
      expect((await client.invoice.getInvoice(first)).data.status).to.equal('DRAFT');
      expect((await client.invoice.commitInvoice(first, BY)).status).to.equal(204);
      expect((await client.invoice.voidInvoice(second, BY)).status).to.equal(204);
      const statuses: unknown[] = [];
      for (const id of drafts) statuses.push((await client.invoice.getInvoice(id)).data.status);
      expect(statuses).to.eql(['COMMITTED', 'VOID']);
    });

    it('include an invoice imported from another system', async () => {
      const { client, ids } = journey();
      const accountId = ids.get('accountId');
      const past = item({ itemType: 'RECURRING', amount: 20, planName: 'gold', startDate: '2023-11-01' });
      const made = await client.invoice.createMigrationInvoice([past], accountId, BY, '2023-12-01');
      expect(made.status).to.equal(201);
      expect(made.data).to.include({ status: 'COMMITTED', targetDate: '2023-12-01', amount: 20, balance: 0 });
      expect(made.data.items?.[0]).to.include({ itemType: 'RECURRING', planName: 'gold', amount: 20 });
    });

    it('include deleted credit', async () => {
      const { client, ids } = journey();
      const accountId = ids.get('accountId');
      const given = await client.credit.createCredits([item({ accountId, amount: 1000 })], BY, true);
      const invoiceId = String(given.data[0]?.invoiceId);
      const { data } = await client.invoice.getInvoice(invoiceId);
      const invoiceItemId = String(data.items?.find(({ itemType }) => itemType === 'CBA_ADJ')?.invoiceItemId);
      expect((await client.invoice.deleteCBA(invoiceId, invoiceItemId, accountId, BY)).status).to.equal(204);
      expect((await client.account.getAccount(accountId, false, true)).data.accountCBA).to.equal(0);
    });

    it('include credit that is granted, moved to the parent and spent', async () => {
      const { client, ids } = journey();
      const accountId = ids.get('accountId');
      const { data: children } = await client.account.getChildrenAccounts(accountId);
      const childAccountId = String(children[0]?.accountId);
      const given = await client.credit.createCredits(
        [item({ accountId: childAccountId, amount: 3 })],
        BY,
        true,
      );
      expect(given.status).to.equal(201);
      const creditId = String(given.data[0]?.invoiceItemId);
      expect((await client.credit.getCredit(creditId)).data).to.include({ accountId: childAccountId });
      expect((await client.account.transferChildCreditToParent(childAccountId, BY)).status).to.equal(204);
      expect((await client.account.getAccount(childAccountId, false, true)).data.accountCBA).to.equal(0);
      expect((await client.account.rebalanceExistingCBAOnAccount(accountId, BY)).status).to.equal(204);
    });
  });
}
