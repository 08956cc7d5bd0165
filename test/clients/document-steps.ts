import { expect } from 'chai';
import { BY, type JourneyOf } from './journey.ts';
import { failureOf } from './killbill-client.ts';

export function describeDocuments(journey: JourneyOf): void {
  describe('invoice pages', () => {
    it('are returned as HTML', async () => {
      const { client, ids } = journey();
      const page = await client.invoice.getInvoiceAsHTML(ids.get('invoiceId'));
      expect(page.status).to.equal(200);
      expect(page.data)
        .to.match(/^<!DOCTYPE html>/)
        .and.contain('Rechnung');
    });

    it('use uploaded and replaced templates', async () => {
      const { invoice } = journey().client;
      expect((await failureOf(invoice.getInvoiceTemplate())).status).to.equal(404);
      const made = await invoice.uploadInvoiceTemplate(
        '<p>{{text.invoiceTitle}} {{text.companyName}}</p>',
        BY,
      );
      // The client follows `Location` and requests JSON.
      expect(made.data).to.equal('<p>{{text.invoiceTitle}} {{text.companyName}}</p>');
      expect(await failureOf(invoice.uploadInvoiceTemplate('again', BY))).to.include({ status: 400 });
      await invoice.uploadInvoiceTemplate('<h1>{{text.invoiceTitle}} {{text.companyName}}</h1>', BY, true);
      expect((await invoice.getInvoiceTemplate()).data).to.equal(
        '<h1>{{text.invoiceTitle}} {{text.companyName}}</h1>',
      );

      expect((await failureOf(invoice.getInvoiceMPTemplate('en_US'))).status).to.equal(404);
      expect((await invoice.uploadInvoiceMPTemplate('<p>manual</p>', BY)).data).to.equal('<p>manual</p>');
      expect((await invoice.getInvoiceMPTemplate('de_DE')).data).to.equal('<p>manual</p>');
    });

    it('use uploaded translations of texts and catalog names', async () => {
      const { client, ids } = journey();
      const { invoice } = client;
      const texts = 'invoiceTitle = Bill\ncompanyName = Zoë & Co';
      expect((await failureOf(invoice.getInvoiceTranslation('en_US'))).status).to.equal(404);
      expect((await invoice.uploadInvoiceTranslation(texts, 'en_US', BY)).data).to.equal(texts);
      expect((await invoice.getInvoiceTranslation('en_US')).data).to.equal(texts);
      const page = await invoice.getInvoiceAsHTML(ids.get('invoiceId'));
      expect(page.data).to.equal('<h1>Rechnung Zoë &amp; Co</h1>');

      const names = 'gold-monthly = Gold';
      expect((await invoice.uploadCatalogTranslation(names, 'de', BY)).data).to.equal(names);
      expect((await invoice.uploadCatalogTranslation('a = b', 'de', BY, true)).data).to.equal('a = b');
      expect((await invoice.getCatalogTranslation('de')).data).to.equal('a = b');
      const wrong = await failureOf(invoice.uploadCatalogTranslation('a=\\uXX', 'fr', BY));
      expect(wrong).to.nested.include({ status: 400, 'body.code': 60003 });
    });
  });
}
