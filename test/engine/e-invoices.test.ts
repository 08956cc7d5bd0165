import { defineCatalog, type EInvoiceToSend, ErrorCode, SystemTag, type Uuid } from '../../lib/index.ts';
import { french, german, InvoicedBusinesses, orchard } from '../support/e-invoices/invoiced-businesses.ts';
import { eachDatabaseByTurns, expect, expectCode, newEvents } from '../support/index.ts';
import { rejection } from '../support/storage/opened-storage.ts';

const trialCatalog = defineCatalog({
  name: 'Orchard',
  effectiveDate: '2026-02-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['EUR'],
  products: { Trial: { category: 'BASE' } },
  plans: {
    'trial-monthly': {
      product: 'Trial',
      initialPhases: [{ type: 'TRIAL', duration: { unit: 'DAYS', number: 31 }, fixed: { EUR: '0' } }],
      finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod: 'MONTHLY', price: { EUR: '10.00' } } },
    },
  },
  priceLists: { DEFAULT: ['trial-monthly'] },
});

const standard = { category: 'S', rate: '19' } as const;
const xmlOf = ({ bytes }: { readonly bytes: Uint8Array }) => new TextDecoder().decode(bytes);

eachDatabaseByTurns.describe('e-invoices (invoicing §22)', (open) => {
  it('contain the invoice with its taxes in UBL according to EN 16931', async () => {
    const shop = await InvoicedBusinesses.open(open);
    const accountId = await shop.account(german, standard, { category: 'S', rate: '7' });
    const invoice = await shop.charge(accountId, ['100', 'Work'], ['10', 'Reduced book']);
    const file = await shop.acme.invoices.eInvoice({ invoiceId: invoice.id, format: 'UBL' });
    expect(file).to.include({ mediaType: 'application/xml', fileName: 'invoice-1.xml' });
    const xml = xmlOf(file);
    expect(xml).to.include('<cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>');
    expect(xml).to.include('<cbc:RegistrationName>Orchard Software GmbH</cbc:RegistrationName>');
    expect(xml).to.include('<cbc:PayableAmount currencyID="EUR">129.70</cbc:PayableAmount>');
    expect(xml).to.include('<cbc:Note>Geschäftsführer: Eva Apfel</cbc:Note>');
  });

  it('name the credited invoice if they are created for a credit note', async () => {
    const shop = await InvoicedBusinesses.open(open);
    const accountId = await shop.account(german, standard);
    const invoice = await shop.charge(accountId, ['100', 'Work']);
    await shop.adjust(invoice.id, '0.5');
    const [note] = await shop.acme.creditNotes.ofInvoice(invoice.id);
    const file = await shop.acme.creditNotes.eInvoice({
      creditNoteId: note?.id ?? '',
      format: 'CII',
      profile: 'XRECHNUNG',
    });
    expect(file.fileName).to.equal('credit-note-1.xml');
    const xml = xmlOf(file);
    expect(xml).to.include('<ram:TypeCode>381</ram:TypeCode>');
    expect(xml).to.include('<ram:Description>Es ist keine Zahlung erforderlich.</ram:Description>');
    expect(xml).to.include('<ram:InvoiceReferencedDocument><ram:IssuerAssignedID>1</ram:IssuerAssignedID>');
  });

  it('state a write-off in the payment terms, and request no payment', async () => {
    const shop = await InvoicedBusinesses.open(open);
    const { id: invoiceId } = await shop.charge(await shop.account(german, standard), ['100', 'Work']);
    await shop.acme.tags.add({ type: 'INVOICE', id: invoiceId }, [SystemTag.WRITTEN_OFF]);
    const xml = xmlOf(await shop.acme.invoices.eInvoice({ invoiceId, format: 'UBL' }));
    expect(xml).to.match(
      /<cbc:Note>Ausgebucht: -119,00\s€ – Es ist keine Zahlung erforderlich\.<\/cbc:Note>/,
    );
    expect(xml).to.contain('<cbc:PrepaidAmount currencyID="EUR">119.00<');
    expect(xml).to.contain('<cbc:PayableAmount currencyID="EUR">0.00<');
    expect(xml).to.not.contain('DueDate');
    expect(await shop.acme.invoices.html(invoiceId)).to.match(/Ausgebucht.*-119,00/);
  });

  it('are attached to the PDF of the invoice as Factur-X', async () => {
    const shop = await InvoicedBusinesses.open(open);
    const accountId = await shop.account(german, standard);
    const { id: invoiceId } = await shop.charge(accountId, ['100', 'Work']);
    for (const [profile, attached] of [
      ['EN16931', 'factur-x.xml'],
      ['XRECHNUNG', 'xrechnung.xml'],
    ] as const) {
      const file = await shop.acme.invoices.eInvoice({ invoiceId, format: 'FACTUR_X', profile });
      expect(file).to.include({ mediaType: 'application/pdf', fileName: 'invoice-1.pdf' });
      const pdf = Buffer.from(file.bytes).toString('latin1');
      expect(pdf).to.match(/^%PDF-1[.]7/);
      expect(pdf).to.include('<pdfaid:part>3</pdfaid:part>');
      expect(pdf).to.include(`<fx:DocumentFileName>${attached}</fx:DocumentFileName>`);
      expect(pdf).to.include('/AFRelationship /Alternative');
    }
    const plain = Buffer.from(await shop.acme.invoices.pdf(invoiceId)).toString('latin1');
    expect(plain).to.not.include('pdfaid');
  });

  it('require a renderer that can attach files if the format is Factur-X', async () => {
    const pdf = async () => ({ bytes: new Uint8Array(), missingCharacters: '' });
    for (const documentRenderer of [null, { pdf }]) {
      const shop = await InvoicedBusinesses.open(open, { documentRenderer });
      const accountId = await shop.account(german, standard);
      const { id: invoiceId } = await shop.charge(accountId, ['100', 'Work']);
      const attempt = shop.acme.invoices.eInvoice({ invoiceId, format: 'FACTUR_X' });
      await expectCode(attempt, 'NOT_IMPLEMENTED');
    }
  });

  it('use the seller data that was valid on the day of issue', async () => {
    const shop = await InvoicedBusinesses.open(open);
    const accountId = await shop.account(german, standard);
    const first = await shop.charge(accountId, ['100', 'Work']);
    shop.engine.clock.set('2026-03-02T08:00:00Z');
    await shop.acme.sellers.upload({ ...orchard, legalName: 'Orchard SE' });
    const second = await shop.charge(accountId, ['100', 'Work']);
    const names = async (invoiceId: Uuid) =>
      /<cbc:RegistrationName>(.*?)</.exec(
        xmlOf(await shop.acme.invoices.eInvoice({ invoiceId, format: 'UBL' })),
      )?.[1];
    expect(await names(first.id)).to.equal('Orchard Software GmbH');
    expect(await names(second.id)).to.equal('Orchard SE');
  });

  it('are rejected with one error that names every missing field', async () => {
    const shop = await InvoicedBusinesses.open(open);
    const accountId = await shop.account({ ...french, country: null, taxId: null }, { category: 'AE' });
    const { id: invoiceId } = await shop.charge(accountId, ['100', 'Work']);
    const error = await rejection(shop.acme.invoices.eInvoice({ invoiceId, format: 'UBL' }));
    expect(error).to.include({ code: ErrorCode.INVOICE_NOT_ELECTRONIC });
    expect(error.message).to.equal(
      'An e-invoice for invoice 1 requires: account taxId (a VAT id, for the reverse charge): acme.accounts.update (PUT /accounts/{accountId}); account country (two letters): acme.accounts.update (PUT /accounts/{accountId})',
    );
  });

  it('are created for a credit note whose tax was added by a user', async () => {
    const shop = await InvoicedBusinesses.open(open);
    const accountId = await shop.account(german);
    const [charge] = await shop.acme.invoices.addCharges({ accountId, items: [{ amount: '100' }] });
    const { invoiceId, id: linkedItemId } = charge ?? { invoiceId: accountId, id: accountId };
    const tax = { invoiceId, linkedItemId, amount: '19', taxRate: '19', taxCategory: 'S' } as const;
    await shop.acme.invoices.addTaxes({ accountId, items: [tax] });
    await shop.acme.invoices.commit(invoiceId);
    await shop.adjust(invoiceId, '0.5');
    const [note] = await shop.acme.creditNotes.ofInvoice(invoiceId);
    const xml = xmlOf(await shop.acme.creditNotes.eInvoice({ creditNoteId: note?.id ?? '', format: 'UBL' }));
    const [gross] = /<cbc:TaxInclusiveAmount[^>]*>([^<]*)/.exec(xml)?.slice(1) ?? [];
    expect(gross).to.equal('59.50');
    expect(xml).to.not.include('PayableRoundingAmount');
  });

  it('are not created for a credit note that only corrects a tax, because it has no line', async () => {
    const shop = await InvoicedBusinesses.open(open);
    const accountId = await shop.account(german, standard);
    const { id: invoiceId, items } = await shop.charge(accountId, ['100', 'Work']);
    const tax = items.find(({ itemType }) => itemType === 'TAX');
    const adjustment = { accountId, invoiceId, invoiceItemId: tax?.id ?? '', amount: '9.5' };
    await shop.engine.settle(shop.acme.invoices.adjustItem(adjustment));
    const [note] = await shop.acme.creditNotes.ofInvoice(invoiceId);
    const creditNoteId = note?.id ?? '';
    expect((await shop.acme.creditNotes.pdf(creditNoteId)).length).to.be.greaterThan(0);
    const error = await rejection(shop.acme.creditNotes.eInvoice({ creditNoteId, format: 'UBL' }));
    expect(error).to.include({ code: ErrorCode.INVOICE_NOT_ELECTRONIC });
    expect(error.message).to.equal(
      'An e-invoice for credit note 1 requires: a line for the tax of 9.5: the taxed item is not on the document, and EN 16931 computes taxes from lines (BR-CO-17). To adjust a charge together with its tax, name the charge in acme.invoices.adjustItem, or in the adjustments of acme.invoicePayments.refund',
    );
  });

  it('are created for the first paid month, but not for a free trial', async () => {
    const shop = await InvoicedBusinesses.open(open, { now: '2026-03-01T08:00:00Z' });
    await shop.acme.uploadCatalog(trialCatalog);
    const accountId = await shop.account(german, standard);
    await shop.subscribe(accountId, 'trial-monthly');
    await shop.engine.runTo('2026-04-02T08:00:00Z');
    const [free, paid] = await shop.acme.invoices.ofAccount({ accountId });
    const eInvoice = (invoiceId = '') => shop.acme.invoices.eInvoice({ invoiceId, format: 'UBL' });
    expect((await rejection(eInvoice(free?.id))).message).to.equal(
      'An e-invoice for invoice 1 requires: a charge other than 0: the document has none',
    );
    expect(xmlOf(await eInvoice(paid?.id))).to.include(
      '<cbc:PayableAmount currencyID="EUR">11.90</cbc:PayableAmount>',
    );
  });

  it('are not created for draft, void or migration invoices, nor in CII format with the PEPPOL_BIS3 profile', async () => {
    const shop = await InvoicedBusinesses.open(open);
    const accountId = await shop.account(german, standard);
    const items = [{ amount: '10', description: 'Work' }];
    const [draft] = await shop.acme.invoices.addCharges({ accountId, items });
    const eInvoice = (invoiceId: Uuid) => shop.acme.invoices.eInvoice({ invoiceId, format: 'UBL' });
    await expectCode(eInvoice(draft?.invoiceId ?? accountId), 'INVOICE_INVALID_STATUS');
    const { id: invoiceId } = await shop.charge(accountId, ['100', 'Work']);
    const wrong = { invoiceId, format: 'CII', profile: 'PEPPOL_BIS3' } as const;
    await expectCode(shop.acme.invoices.eInvoice(wrong), 'INVALID_PARAMETER');
    await shop.acme.invoices.void(invoiceId);
    await expectCode(eInvoice(invoiceId), 'INVOICE_INVALID_STATUS');
    await expectCode(eInvoice(accountId), 'INVOICE_NOT_FOUND');
  });

  it('require an e-invoice writer', async () => {
    const shop = await InvoicedBusinesses.open(open, { eInvoices: undefined });
    const accountId = await shop.account(german, standard);
    const { id: invoiceId } = await shop.charge(accountId, ['100', 'Work']);
    const error = await rejection(shop.acme.invoices.eInvoice({ invoiceId, format: 'UBL' }));
    expect(error.message).to.equal(
      'E-invoices need an e-invoice writer: open the engine with eInvoices: eInvoiceWriter() of billwright/e-invoice',
    );
    expect(error).to.include({ code: ErrorCode.NOT_IMPLEMENTED });
  });
});

/** Returns an access point that accepts, or fails with the next of these messages. */
function accessPoint(...failures: string[]) {
  const sent: EInvoiceToSend[] = [];
  const send = async (eInvoice: EInvoiceToSend): Promise<string> => {
    sent.push(eInvoice);
    const failure = failures.shift();
    if (failure !== undefined) throw new Error(failure);
    return `receipt ${sent.length}`;
  };
  return { sent, sender: { name: 'access-point', send } };
}

eachDatabaseByTurns.describe('e-invoices sent by the engine (invoicing §22 rule 9)', (open) => {
  const peppol = { 'org.service.invoice.eInvoice': 'UBL:PEPPOL_BIS3' };

  it('are sent for invoices and credit notes of businesses, and recorded with their receipts', async () => {
    const { sent, sender } = accessPoint();
    const shop = await InvoicedBusinesses.open(open, { eInvoiceSender: sender, configuration: peppol });
    const business = await shop.account(german, standard);
    const consumer = await shop.account({ ...german, taxId: null }, standard);
    const { id: invoiceId } = await shop.charge(business, ['100', 'Work']);
    const other = await shop.charge(consumer, ['100', 'Work']);
    await shop.adjust(invoiceId, '0.25');
    const deliveries = await shop.acme.invoices.eInvoiceDeliveries(invoiceId);
    const [invoice, ...notes] = deliveries;
    expect(invoice).to.deep.include({
      accountId: business,
      creditNoteId: null,
      format: 'UBL',
      profile: 'PEPPOL_BIS3',
      state: 'SENT',
      attempts: 1,
      receipt: 'receipt 1',
      lastError: null,
      nextAttemptDate: null,
    });
    const stored = await shop.acme.creditNotes.ofInvoice(invoiceId);
    expect(notes.map(({ creditNoteId }) => creditNoteId)).to.eql(stored.map(({ id }) => id));
    expect(await shop.acme.invoices.eInvoiceDeliveries(other.id)).to.eql([]);
    expect(sent.map(({ fileName }) => fileName)).to.eql(['invoice-1.xml', 'credit-note-1.xml']);
    expect(sent[0]).to.deep.include({
      deliveryId: invoice?.id,
      number: '1',
      seller: { scheme: '9930', value: 'DE136695976' },
      buyer: { scheme: '9930', value: 'DE129273398' },
    });
  });

  it('are not sent if the tenant has not enabled sending', async () => {
    const { sent, sender } = accessPoint();
    const shop = await InvoicedBusinesses.open(open, { eInvoiceSender: sender });
    const { id } = await shop.charge(await shop.account(german, standard), ['100', 'Work']);
    expect(await shop.acme.invoices.eInvoiceDeliveries(id)).to.eql([]);
    expect(sent).to.eql([]);
  });

  it('are sent again on the retry schedule, and show the last failure', async () => {
    const { sent, sender } = accessPoint('busy', 'still busy', 'gone');
    const configuration = { ...peppol, 'org.service.invoice.eInvoice.retries': '1m,1h' };
    const shop = await InvoicedBusinesses.open(open, { eInvoiceSender: sender, configuration });
    const events = newEvents(shop.engine.database);
    const accountId = await shop.account(german, standard);
    const { id: invoiceId } = await shop.charge(accountId, ['100', 'Work']);
    const delivery = async () => (await shop.acme.invoices.eInvoiceDeliveries(invoiceId))[0];
    expect(await delivery()).to.include({ state: 'PENDING', attempts: 1, lastError: 'busy' });
    await shop.engine.runTo('2026-03-01T08:01:00Z');
    expect(await delivery()).to.include({ state: 'PENDING', attempts: 2, lastError: 'still busy' });
    expect((await delivery())?.nextAttemptDate?.toISOString()).to.equal('2026-03-01T09:01:00.000Z');
    await shop.engine.runTo('2026-03-01T09:01:00Z');
    expect(await delivery()).to.include({ state: 'FAILED', attempts: 3, lastError: 'gone', receipt: null });
    expect(await events()).to.include('E_INVOICE_FAILED');
    const again = await shop.acme.invoices.resendEInvoice((await delivery())?.id ?? '');
    expect(again).to.include({ state: 'PENDING', failures: 0 });
    await shop.engine.settle();
    expect(await delivery()).to.include({
      state: 'SENT',
      attempts: 4,
      receipt: 'receipt 4',
      lastError: null,
    });
    expect(new Set(sent.map(({ deliveryId }) => deliveryId))).to.have.property('size', 1);
  });

  it('are sent again if a sender that does not respond is aborted', async () => {
    const signals: AbortSignal[] = [];
    const sender = {
      name: 'access-point',
      send: (_eInvoice: EInvoiceToSend, { signal }: { readonly signal: AbortSignal }) => {
        signals.push(signal);
        return new Promise<string>(() => undefined);
      },
    };
    const options = { eInvoiceSender: sender, configuration: peppol, longestTimerMs: 20 };
    const shop = await InvoicedBusinesses.open(open, options);
    const accountId = await shop.account(german, standard);
    const { id: invoiceId } = await shop.charge(accountId, ['100', 'Work']);
    const [delivery] = await shop.acme.invoices.eInvoiceDeliveries(invoiceId);
    expect(delivery).to.include({ state: 'PENDING', attempts: 1 });
    expect(delivery?.lastError).to.include('did not answer within 30 s');
    expect(signals.map(({ aborted }) => aborted)).to.eql([true]);
  });

  it('fail immediately if fields are missing, and name these fields in the delivery', async () => {
    const { sent, sender } = accessPoint();
    const shop = await InvoicedBusinesses.open(open, { eInvoiceSender: sender, configuration: peppol });
    const accountId = await shop.account({ ...german, country: null }, standard);
    const { id: invoiceId } = await shop.charge(accountId, ['100', 'Work']);
    const [failed] = await shop.acme.invoices.eInvoiceDeliveries(invoiceId);
    expect(failed).to.include({
      state: 'FAILED',
      attempts: 1,
      lastError:
        'An e-invoice for invoice 1 requires: account country (two letters): acme.accounts.update (PUT /accounts/{accountId})',
    });
    expect(sent).to.eql([]);
    const { events } = await shop.acme.events.list({ types: ['E_INVOICE_FAILED'], after: 'oldest' });
    expect(events.map(({ objectId }) => objectId)).to.eql([invoiceId]);
    await shop.acme.accounts.update(accountId, { changes: { country: 'DE' } });
    await shop.engine.settle(shop.acme.invoices.resendEInvoice(failed?.id ?? ''));
    expect(sent).to.have.length(1);
  });

  it('are sent once, even if their events arrive several times', async () => {
    const { sent, sender } = accessPoint();
    const shop = await InvoicedBusinesses.open(open, { eInvoiceSender: sender, configuration: peppol });
    const accountId = await shop.account(german, standard);
    const { id: invoiceId } = await shop.charge(accountId, ['100', 'Work']);
    await shop.acme.invoices.addCredits({ accountId, items: [{ amount: '5' }], autoCommit: true });
    await shop.engine.settle();
    await shop.adjust(invoiceId, '0.1');
    expect(sent.map(({ fileName }) => fileName)).to.eql(['invoice-1.xml', 'credit-note-1.xml']);
  });

  it('are sent for the invoices of children, but not for the summary of the parent', async () => {
    const { sent, sender } = accessPoint();
    const shop = await InvoicedBusinesses.open(open, { eInvoiceSender: sender, configuration: peppol });
    const parentAccountId = await shop.account(german);
    const child = { ...german, parentAccountId, isPaymentDelegatedToParent: true };
    const invoice = await shop.charge(await shop.account(child, standard), ['100', 'Work']);
    const [summary] = await shop.acme.invoices.ofAccount({ accountId: parentAccountId });
    const summaryId = summary?.id ?? '';
    const file = await shop.acme.invoices.eInvoice({ invoiceId: invoice.id, format: 'UBL' });
    expect(xmlOf(file)).to.match(/<cac:PaymentTerms>\s*<cbc:Note>Dieser Betrag steht auf der Rechnung/);
    await shop.acme.invoices.commit(summaryId);
    await shop.engine.settle();
    await shop.adjust(invoice.id, '0.5');
    const notes = await shop.acme.creditNotes.ofInvoice(summaryId);
    expect(notes).to.have.length(1);
    for (const attempt of [
      shop.acme.invoices.eInvoice({ invoiceId: summaryId, format: 'UBL' }),
      shop.acme.creditNotes.eInvoice({ creditNoteId: notes[0]?.id ?? '', format: 'CII' }),
    ]) {
      const error = await rejection(attempt);
      expect(error).to.include({ code: ErrorCode.INVOICE_NOT_ELECTRONIC });
      expect(error.message).to.match(
        /is the summary of child accounts\. A summary and its credit notes have no e-invoice/,
      );
    }
    expect(await shop.acme.invoices.eInvoiceDeliveries(summaryId)).to.eql([]);
    const deliveries = await shop.acme.invoices.eInvoiceDeliveries(invoice.id);
    expect(deliveries.map(({ state }) => state)).to.eql(['SENT', 'SENT']);
    expect(sent).to.have.length(2);
  });

  it('cannot be sent again for an unknown delivery or without a sender', async () => {
    const shop = await InvoicedBusinesses.open(open, { configuration: peppol });
    await expectCode(shop.acme.invoices.resendEInvoice(shop.engine.tenant.id), 'NOT_IMPLEMENTED');
    const { sender } = accessPoint();
    const other = await InvoicedBusinesses.open(open, { eInvoiceSender: sender });
    await expectCode(other.acme.invoices.resendEInvoice(other.engine.tenant.id), 'OBJECT_NOT_FOUND');
    await expectCode(other.acme.invoices.eInvoiceDeliveries(other.engine.tenant.id), 'INVOICE_NOT_FOUND');
  });
});
