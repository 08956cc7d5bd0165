import { DocumentTextKind, SystemTag, type Uuid } from '../../lib/index.ts';
import { german, InvoicedBusinesses } from '../support/e-invoices/invoiced-businesses.ts';
import { eachDatabaseByTurns, expect } from '../support/index.ts';
import { issuedDocumentsOf, taxLinesOf } from '../support/invoicing/documents-of-account.ts';

const standard = { category: 'S', rate: '19' } as const;
const reduced = { category: 'S', rate: '7' } as const;

const template = `{{language}} {{direction}} {{text.invoiceTitle}}
{{#seller}}From {{name}} / {{legalName}}, {{formattedTaxId}}, {{formattedIban}}{{/seller}}
To {{account.company}}, {{account.formattedTaxId}}, order {{account.customFields.purchase.order}}
{{#invoice}}No. {{formattedInvoiceNumber}} of {{formattedIssueDate}}, due {{formattedDueDate}}
Note: {{note}} / {{sellerNote}}
{{#leadingLines}}
- {{name}}: {{formattedQuantity}} at {{formattedUnitPrice}} ({{calculation}}), {{formattedTaxRate}} = {{formattedAmount}}
{{#usage}}
  - {{total}}{{#tiers}}, {{tier}}: {{formattedQuantity}} blocks of {{formattedBlockSize}} at {{formattedPrice}} = {{formattedAmount}}{{/tiers}}
{{/usage}}
{{/leadingLines}}
{{#closingLines}}
- {{name}}: {{formattedQuantity}} at {{formattedUnitPrice}} ({{calculation}}), {{formattedTaxRate}} = {{formattedAmount}}
{{#usage}}
  - {{total}}{{#tiers}}, {{tier}}: {{formattedQuantity}} blocks of {{formattedBlockSize}} at {{formattedPrice}} = {{formattedAmount}}{{/tiers}}
{{/usage}}
{{/closingLines}}
Net {{formattedNet}}
{{#taxes}}
{{name}} [{{category}} {{rate}}]: {{formattedTax}} on {{formattedNet}}
{{/taxes}}
{{#totals}}
{{label}}: {{value}}
{{/totals}}
{{#paymentDetails}}
{{label}}: {{value}}
{{/paymentDetails}}
{{/invoice}}`;

const expected = [
  'en-US ltr Invoice',
  'From Orchard / Orchard Software GmbH, VAT ID: DE136695976, DE89 3704 0044 0532 0130 00',
  'To Kunde AG, VAT ID: DE129273398, order &lt;4711&gt;',
  'No. 2 of Apr 1, 2026, due Apr 15, 2026',
  'Note: Order &lt;b&gt;4711&lt;&#x2F;b&gt; / Geschäftsführer: Eva Apfel',
  '- meter-monthly: 5 at €9.90 (5 × €9.90), 19% = €49.50',
  '- meter-monthly:  at  (), 19% = €6.53',
  '  - 1,250 calls, 1: 10 blocks of 100 at €0.53 = €5.30, 2: 3 blocks of 100 at €0.41 = €1.23',
  '- Reduced book:  at  (), 7% = €10.00',
  'Net €66.03',
  'VAT 19% [S 19]: €10.65 on €56.03',
  'VAT 7% [S 7]: €0.70 on €10.00',
  'Subtotal: €66.03',
  'VAT 19%: €10.65',
  'VAT 7%: €0.70',
  'Total: €77.38',
  'Amount due: €77.38',
  'Payee: Orchard Software GmbH',
  'Bank: Beispielbank',
  'IBAN: DE89 3704 0044 0532 0130 00',
  'BIC: COBADEFFXXX',
  'Reference: 2',
  '',
];

eachDatabaseByTurns.describe('tenant templates (invoicing §14)', (open) => {
  it('show prices, tiers, taxes, seller, note and custom fields of the whole invoice', async () => {
    const shop = await InvoicedBusinesses.open(open);
    const { acme, engine } = shop;
    const accountId = await shop.account({ ...german, locale: 'en_US' }, standard, reduced);
    const order = { name: 'purchase.order', value: '<4711>' };
    await acme.customFields.add({ type: 'ACCOUNT', id: accountId }, [order]);
    const subscriptionId = await shop.subscribe(accountId, 'meter-monthly', 5);
    const usageRecords = [{ recordDate: '2026-03-10', amount: '1250' }];
    await acme.recordUsage({
      subscriptionId,
      trackingId: 'march',
      unitUsageRecords: [{ unitType: 'calls', usageRecords }],
    });
    await acme.tags.add({ type: 'ACCOUNT', id: accountId }, [SystemTag.AUTO_INVOICING_DRAFT]);
    await engine.runTo('2026-04-01T08:00:00Z');
    const drafts = await acme.invoices.ofAccount({ accountId, withItems: true });
    const draft = drafts.find(({ status }) => status === 'DRAFT');
    const invoiceId = draft?.id ?? '';
    const items = [{ amount: '10', description: 'Reduced book', invoiceId }];
    await acme.invoices.addCharges({ accountId, items });
    await acme.invoices.setNote({ invoiceId, note: 'Order <b>4711</b>' });
    await engine.settle(acme.invoices.commit(invoiceId));
    await acme.invoiceTexts.upload({ kind: DocumentTextKind.TEMPLATE, text: template });
    const page = (await acme.invoices.html(invoiceId)).replaceAll('\u00a0', ' ');
    expect(page.split('\n')).to.eql(expected);
  });
});

eachDatabaseByTurns.describe('documents of a family with taxes (invoicing §12, §14 rule 9)', (open) => {
  it('show net + tax = gross on invoices of the child, the summary of the parent, and their credit notes', async () => {
    const shop = await InvoicedBusinesses.open(open);
    const { engine } = shop;
    const parentAccountId = await shop.account(german);
    const child = { ...german, parentAccountId, isPaymentDelegatedToParent: true };
    const childId = await shop.account(child, standard, reduced);
    const subscriptionId = await shop.subscribe(childId, 'team-monthly', 3);
    const { id: invoiceId } = await shop.charge(childId, ['9.99', 'Work'], ['4.99', 'Reduced book']);
    await engine.runTo('2026-03-02T08:00:00Z');
    await shop.adjust(invoiceId, '0.5');
    await engine.runTo('2026-03-11T08:00:00Z');
    await engine.cancelNow(subscriptionId);
    await engine.runTo('2026-03-12T08:00:00Z');
    const linesOf = async (accountId: Uuid) => {
      const documents = await issuedDocumentsOf(engine, accountId);
      for (const { facts } of documents) expect(facts.net.plus(facts.tax).equals(facts.gross)).to.equal(true);
      return documents.map(({ facts }) => {
        const { kind, gross, deductions, accountCredit, due } = facts;
        const deducted = deductions.map(({ amount }) => ` ${amount}`).join('');
        return `${kind} ${taxLinesOf(facts).join(', ')} = ${gross}${deducted}; credit ${accountCredit}, due ${due}`;
      });
    };
    expect(await linesOf(childId)).to.eql([
      'INVOICE S 19 %: 99.99 + 19 = 118.99; credit -80.61, due 38.38',
      'INVOICE S 19 %: 9.99 + 1.9, S 7 %: 4.99 + 0.35 = 17.23 -5.95; credit 0, due 11.28',
      'INVOICE  = 0 -80.61; credit 80.61, due 0',
      'CREDIT_NOTE S 19 %: 5 + 0.95 = 5.95; credit 0, due 0',
      'CREDIT_NOTE S 19 %: 67.74 + 12.87 = 80.61; credit 0, due 0',
    ]);
    expect(await linesOf(parentAccountId)).to.eql([
      'INVOICE  = 136.22 -5.95 -80.61; credit 0, due 49.66',
      'CREDIT_NOTE  = 5.95; credit 0, due 0',
      'CREDIT_NOTE  = 80.61; credit 0, due 0',
    ]);
    expect(await engine.breaches()).to.eql([]);
  });
});
