import {
  buyer,
  type DocumentCase,
  eInvoiceOf,
  seller,
  taxed,
} from '../../support/e-invoices/e-invoice-documents.ts';
import { viewedItem } from '../../support/invoicing/documents.ts';
import { BillingError, decimal, ErrorCode, expect } from '../../support/unit.ts';

type Items = Parameters<typeof eInvoiceOf>[0];

/** Returns the missing fields of an e-invoice. */
function missingOf(items: Items, given: DocumentCase = {}): unknown {
  try {
    eInvoiceOf(items, given);
    return [];
  } catch (error) {
    if (!(error instanceof BillingError) || error.code !== ErrorCode.INVOICE_NOT_ELECTRONIC) throw error;
    return error.facts.missing;
  }
}

const standard = () => taxed(viewedItem('RECURRING', '100'), { tax: '19' });
const untaxed = (category: 'AE' | 'K' | 'G' | 'E' | 'O') =>
  taxed(viewedItem('RECURRING', '100'), { tax: '0', rate: '0', category });

describe('e-invoice requirements (invoicing §22 rule 7)', () => {
  it('are reported in one error that names each missing field and where to set it', () => {
    const nameless = { name: null, company: null, legalName: null, country: null };
    const items = [...standard(), viewedItem('EXTERNAL_CHARGE', '5', { description: 'Setup' })];
    const given = { seller: seller({ country: null, taxId: null }), buyer: buyer(nameless) };
    expect(() => eInvoiceOf(items, given)).to.throw(
      BillingError,
      'An e-invoice for invoice 17 requires: tax category of "Setup": return a TAX item with taxCategory from the invoice plugin; account company, legalName or name: acme.accounts.update (PUT /accounts/{accountId}); account country (two letters): acme.accounts.update (PUT /accounts/{accountId}); seller taxId: acme.sellers.upload (POST /sellers); seller country (two letters): acme.sellers.upload (POST /sellers). An issued invoice keeps its seller data and taxes: set them, then void the invoice and bill it again.',
    );
  });

  it('include each seller field that the profile needs if no seller is configured', () => {
    const of = (...fields: readonly string[]) =>
      fields.map((field) => `${field}: acme.sellers.upload (POST /sellers)`);
    const always = ['seller data', 'seller name', 'seller taxId'];
    const country = 'seller country (two letters)';
    const peppol = 'seller taxId (a VAT id of a country in the Peppol network)';
    const german = ['seller city', 'seller postalCode', 'seller iban'];
    expect(missingOf(standard(), { seller: null })).to.eql(of(...always, country));
    const ofAuthority: DocumentCase = { seller: null, profile: 'XRECHNUNG' };
    const contact = ['seller phone', 'seller email'];
    expect(missingOf(standard(), ofAuthority)).to.eql(
      of(...always, 'seller email or taxId', ...contact, country, ...german),
    );
    expect(() => eInvoiceOf(standard(), ofAuthority)).to.throw(/\(POST \/sellers\)$/);
    const network: DocumentCase = { seller: null, profile: 'PEPPOL_BIS3' };
    expect(missingOf(standard(), network)).to.eql(of(...always, peppol, country));
    expect(missingOf(standard(), { ...network, buyer: buyer({ country: 'DE' }) })).to.eql(
      of(...always, peppol, ...contact, country, ...german),
    );
  });

  it('include tax categories if no item has a category', () => {
    expect(missingOf([viewedItem('RECURRING', '100')])).to.eql([
      'tax categories: return TAX items with taxCategory, taxRate and linkedItemId from the invoice plugin',
    ]);
  });

  it('include a single tax for each line', () => {
    const [charge, tax] = standard();
    const second = viewedItem('TAX', '5', {
      linkedItemId: charge?.id ?? null,
      taxRate: decimal(5),
      taxCategory: 'S',
    });
    expect(missingOf([...(charge && tax ? [charge, tax] : []), second])).to.eql([
      'one tax for "gold-monthly-evergreen": it has 2, and EN 16931 allows one tax for each line',
    ]);
  });

  it('include a line for the taxed item of each tax', () => {
    const unlinked = viewedItem('TAX', '1.9', { taxRate: decimal('19'), taxCategory: 'S' });
    expect(missingOf([...standard(), unlinked])).to.eql([
      'a line for the tax of 1.9: the taxed item is not on the document, and EN 16931 computes taxes from lines (BR-CO-17). To adjust a charge together with its tax, name the charge in acme.invoices.adjustItem, or in the adjustments of acme.invoicePayments.refund',
    ]);
  });

  it('include taxes that match the rates, except for rounding differences', () => {
    const rounded = taxed(viewedItem('RECURRING', '100'), { tax: '19.01' });
    expect(missingOf(rounded)).to.eql([]);
    const off = taxed(viewedItem('RECURRING', '100'), { tax: '10' });
    expect(missingOf(off)).to.eql([
      'taxes that follow from the rates: the document has taxes of 10, and its lines and rates result in 19',
    ]);
  });

  it('include a charge if the invoice consists only of credits', () => {
    expect(missingOf([viewedItem('CREDIT_ADJ', '-5'), viewedItem('CBA_ADJ', '5')])).to.eql([
      'a charge other than 0: the document has none',
    ]);
  });

  it('include VAT ids for a reverse charge, a supply within the EU and an export', () => {
    const noVat = { seller: seller({ taxId: '30/123/45678' }), buyer: buyer({ taxId: null }) };
    expect(missingOf(untaxed('AE'), noVat)).to.eql([
      'account taxId (a VAT id, for the reverse charge): acme.accounts.update (PUT /accounts/{accountId})',
    ]);
    expect(missingOf(untaxed('AE'), { ...noVat, customFields: { registrationNumber: '303265045' } })).to.eql(
      [],
    );
    const ofSeller =
      'seller taxId (a VAT id with the prefix of its country): acme.sellers.upload (POST /sellers)';
    expect(missingOf(untaxed('K'), noVat)).to.eql([
      'account taxId (a VAT id, for category K): acme.accounts.update (PUT /accounts/{accountId})',
      ofSeller,
    ]);
    expect(missingOf(untaxed('G'), noVat)).to.eql([ofSeller]);
  });

  it('include a reason for each exemption, and a separate document for lines of category O', () => {
    expect(missingOf(untaxed('E'))).to.eql([
      'reason of the tax exemption (category E): return a TAX item with taxExemption',
    ]);
    expect(missingOf([...standard(), ...untaxed('O')])).to.eql([
      'one kind of taxes: lines of category O need a document of their own',
    ]);
    const anonymous = seller({ taxId: null, registrationNumber: null });
    expect(missingOf(untaxed('O'), { seller: anonymous })).to.eql([
      'seller taxId or registrationNumber: acme.sellers.upload (POST /sellers)',
    ]);
  });

  it('include a currency with at most two decimals', () => {
    const items = taxed(viewedItem('RECURRING', '1.234', { currency: 'KWD' }), { tax: '0.234' });
    expect(missingOf(items, { invoice: { currency: 'KWD' } })).to.eql([
      'a currency with at most 2 decimals: EN 16931 has no amounts in KWD',
    ]);
  });

  it('include addresses, contact and bank account for XRECHNUNG', () => {
    const place = { city: null, postalCode: null };
    const given: DocumentCase = {
      profile: 'XRECHNUNG',
      seller: seller({ ...place, email: null, phone: null, iban: null }),
      buyer: buyer({ ...place, email: null, taxId: null }),
    };
    expect(missingOf(standard(), given)).to.eql([
      'account email or taxId: acme.accounts.update (PUT /accounts/{accountId})',
      'account city: acme.accounts.update (PUT /accounts/{accountId})',
      'account postalCode: acme.accounts.update (PUT /accounts/{accountId})',
      'seller phone: acme.sellers.upload (POST /sellers)',
      'seller email: acme.sellers.upload (POST /sellers)',
      'seller city: acme.sellers.upload (POST /sellers)',
      'seller postalCode: acme.sellers.upload (POST /sellers)',
      'seller iban: acme.sellers.upload (POST /sellers)',
    ]);
    expect(missingOf(standard(), { ...given, profile: 'EN16931' })).to.eql([]);
  });

  it('include electronic addresses other than e-mail addresses for PEPPOL_BIS3', () => {
    const given: DocumentCase = {
      profile: 'PEPPOL_BIS3',
      seller: seller({ country: 'US', taxId: '12-3456789' }),
      buyer: buyer({ taxId: null }),
    };
    expect(missingOf(standard(), given)).to.eql([
      'account taxId (a VAT id): acme.accounts.update (PUT /accounts/{accountId}), or the custom field electronicAddress of the account (POST /accounts/{accountId}/customFields), such as 0208:0123456749',
      'seller taxId (a VAT id of a country in the Peppol network): acme.sellers.upload (POST /sellers)',
    ]);
    const own = { electronicAddress: '0208:0123456749' };
    expect(missingOf(standard(), { ...given, seller: seller(), customFields: own })).to.eql([]);
  });

  it('include the KVK number and the address of a Dutch seller for PEPPOL_BIS3', () => {
    const dutch = seller({
      country: 'NL',
      taxId: 'NL123456789B01',
      address1: null,
      registrationNumber: null,
    });
    const given: DocumentCase = { profile: 'PEPPOL_BIS3', seller: dutch };
    expect(missingOf(standard(), given)).to.eql([
      'seller address1: acme.sellers.upload (POST /sellers)',
      'seller registrationNumber (KVK, 8 digits): acme.sellers.upload (POST /sellers)',
    ]);
  });
});
