import { expect } from 'chai';
import { eInvoiceWriter } from '../../../adapters/e-invoice/index.ts';
import { readXmlTree, type XmlElement } from '../../../lib/values/documents/index.ts';
import { eInvoiceOf, taxed } from '../../support/e-invoices/e-invoice-documents.ts';
import { viewedItem } from '../../support/invoicing/documents.ts';

const writer = eInvoiceWriter();

const read = (text: string) => readXmlTree({ text, encoding: 'decoded' });

/** Returns the texts of all elements with this name. */
function textsOf(element: XmlElement, name: string): readonly string[] {
  const own = element.name === name ? [element.text] : [];
  return [...own, ...element.children.flatMap((child) => textsOf(child, name))];
}

describe('e-invoice writer', () => {
  const hostile = '</cbc:Name><script>alert("1")</script> & \u202Etxet 🎉';
  const item = viewedItem('EXTERNAL_CHARGE', '100');
  const document = eInvoiceOf(taxed(item, { tax: '19' }), {
    names: new Map([[item.id, { name: hostile, detail: ']]>', notes: [] }]]),
    invoice: { currency: 'EUR', commitDate: null, note: hostile },
  });

  it('escapes text in UBL', async () => {
    const root = read(await writer.xml(document, { syntax: 'UBL', profile: 'EN16931' }));
    expect(root.name).to.equal('Invoice');
    expect(textsOf(root, 'cbc:Name')).to.include(hostile);
    expect(textsOf(root, 'cbc:Note')).to.eql([hostile]);
    expect(textsOf(root, 'cbc:Description')).to.eql([']]>']);
    expect(textsOf(root, 'cbc:PayableAmount')).to.eql(['119.00']);
  });

  it('escapes text in CII', async () => {
    const root = read(await writer.xml(document, { syntax: 'CII', profile: 'XRECHNUNG' }));
    expect(root.name).to.equal('rsm:CrossIndustryInvoice');
    expect(textsOf(root, 'ram:Content')).to.eql([hostile]);
    expect(textsOf(root, 'ram:DuePayableAmount')).to.eql(['119.00']);
    expect(textsOf(root, 'ram:GuidelineSpecifiedDocumentContextParameter')).to.have.length(1);
  });

  it('uses separate UBL element names for credit notes', async () => {
    const note = await writer.xml(
      { ...document, typeCode: '381' },
      { syntax: 'UBL', profile: 'PEPPOL_BIS3' },
    );
    const root = read(note);
    expect(root.name).to.equal('CreditNote');
    expect(textsOf(root, 'cbc:CreditNoteTypeCode')).to.eql(['381']);
    expect(textsOf(root, 'cbc:CreditedQuantity')).to.eql(['1']);
    expect(textsOf(root, 'cbc:CustomizationID')).to.eql([
      'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0',
    ]);
  });

  it('writes no empty elements', async () => {
    for (const syntax of ['UBL', 'CII'] as const) {
      const text = await writer.xml(document, { syntax, profile: 'EN16931' });
      expect(text).to.not.match(/<([\w:]+)[^>]*><\/\1>/);
    }
  });
});
