import { orchard } from '../support/e-invoices/invoiced-businesses.ts';
import { creditNoteOfVoid, invoiceOfBusiness } from '../support/http/e-invoice-samples.ts';
import {
  configure,
  eve,
  expectRefusal,
  expectStatus,
  type Reply,
  serveEach,
} from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect } from '../support/index.ts';

const german = { name: 'Kunde AG', country: 'DE', taxId: 'DE129273398', email: 'rechnung@kunde.example' };
const full = { ...german, city: 'Köln', postalCode: '50667', address1: 'Ring 5' };
const NOWHERE = '00000000-0000-4000-8000-000000000000';

const formats = [
  ['', 'xml', '<Invoice xmlns="urn:oasis', 'urn:cen.eu:en16931:2017<'],
  ['?format=UBL', 'xml', '<Invoice xmlns="urn:oasis', 'urn:cen.eu:en16931:2017<'],
  ['?format=UBL&profile=XRECHNUNG', 'xml', '<Invoice xmlns="urn:oasis', 'xeinkauf.de:kosit:xrechnung_3.0<'],
  [
    '?format=UBL&profile=PEPPOL_BIS3',
    'xml',
    '<Invoice xmlns="urn:oasis',
    'peppol.eu:2017:poacc:billing:3.0<',
  ],
  ['?format=CII', 'xml', '<rsm:CrossIndustryInvoice ', 'urn:cen.eu:en16931:2017<'],
  ['?format=CII&profile=XRECHNUNG', 'xml', '<rsm:CrossIndustryInvoice ', 'xeinkauf.de:kosit:xrechnung_3.0<'],
  ['?format=FACTUR_X', 'pdf', '%PDF-1.7', 'factur-x.xml'],
  ['?format=FACTUR_X&profile=XRECHNUNG', 'pdf', '%PDF-1.7', 'xrechnung.xml'],
] as const;

eachDatabaseByTurns.describe('e-invoices over HTTP (invoicing §22)', (open) => {
  const serving = serveEach(open, { configuration: { 'org.service.invoice.creditNotes': 'true' } });

  const seller = async (more: object = {}) =>
    expectStatus(await serving.post('/sellers', { ...orchard, ...more }), 201);
  const ofInvoice = (id: string, query = '', headers = {}) =>
    serving.get(`/invoices/${id}/e-invoice${query}`, headers);
  const ofNote = (id: string, query = '', headers = {}) =>
    serving.get(`/creditNotes/${id}/e-invoice${query}`, headers);

  it('can be downloaded in each format and profile, for an invoice and for its credit note', async () => {
    await seller();
    const invoiceId = await invoiceOfBusiness(serving, full);
    const answers = new Map<string, Reply>();
    for (const [query] of formats) answers.set(query, await ofInvoice(invoiceId, query));
    const noteId = await creditNoteOfVoid(serving, invoiceId);
    for (const [query, type, start, profile] of formats) {
      const note = await ofNote(noteId, query);
      for (const [reply, file, root] of [
        [answers.get(query), `invoice-1.${type}`, start],
        [note, `credit-note-1.${type}`, start.replace('<Invoice xmlns', '<CreditNote xmlns')],
      ] as const) {
        const at = `${file} ${query}`;
        expect([at, reply?.status]).to.eql([at, 200]);
        expect(reply?.headers.get('content-type'), at).to.equal(`application/${type}`);
        expect(reply?.headers.get('content-disposition'), at).to.equal(`attachment; filename="${file}"`);
        expect(reply?.headers.get('x-content-type-options'), at).to.equal('nosniff');
        const head = type === 'pdf' ? '' : '<?xml version="1.0" encoding="UTF-8"?>\n';
        expect(reply?.text.slice(0, 200), at).to.satisfy((text: string) => text.startsWith(head + root));
        expect(reply?.text, at).to.include(profile);
      }
    }
  });

  it('use the formatted invoice number, in plain characters, as the file name', async () => {
    await seller();
    await configure(serving, {
      'org.killbill.invoice.numberPattern': 'R/{yyyy}#{n:4}',
      'org.killbill.invoice.creditNotes': 'true',
    });
    const reply = expectStatus(await ofInvoice(await invoiceOfBusiness(serving, full)), 200);
    expect(reply.headers.get('content-disposition')).to.equal(
      'attachment; filename="invoice-R-2024-0001.xml"',
    );
    expect(reply.text).to.include('<cbc:ID>R/2024#0001</cbc:ID>');
  });

  const account = (...fields: readonly string[]) =>
    fields.map((field) => `account ${field}: acme.accounts.update (PUT /accounts/{accountId})`);
  const ofSeller = (...fields: readonly string[]) =>
    fields.map((field) => `seller ${field}: acme.sellers.upload (POST /sellers)`);
  const reverse = { amount: 0, taxRate: 0, taxCategory: 'AE' };
  for (const { what, profile, from, tax, missing } of [
    {
      what: 'that a German authority requires',
      profile: 'XRECHNUNG',
      from: {
        country: null,
        taxId: null,
        phone: null,
        email: null,
        iban: null,
        bic: null,
        city: null,
        postalCode: null,
      },
      missing: [
        ...account('email or taxId', 'country (two letters)', 'city', 'postalCode'),
        ...ofSeller(
          'taxId',
          'phone',
          'email',
          'email or taxId',
          'country (two letters)',
          'city',
          'postalCode',
          'iban',
        ),
      ],
    },
    {
      what: 'of a reverse charge',
      profile: 'EN16931',
      from: { country: null },
      tax: reverse,
      missing: [
        ...account('taxId (a VAT id, for the reverse charge)', 'country (two letters)'),
        ...ofSeller('country (two letters)'),
      ],
    },
    {
      what: 'of a charge without a tax category',
      profile: 'EN16931',
      from: {},
      tax: { amount: 19 },
      missing: [
        'tax categories: return TAX items with taxCategory, taxRate and linkedItemId from the invoice plugin',
        ...account('country (two letters)'),
      ],
    },
    {
      what: 'of the Peppol network',
      profile: 'PEPPOL_BIS3',
      from: { taxId: '12/345/67890' },
      missing: [
        'account taxId (a VAT id): acme.accounts.update (PUT /accounts/{accountId}), or the custom field electronicAddress of the account (POST /accounts/{accountId}/customFields), such as 0208:0123456749',
        ...account('country (two letters)'),
        ...ofSeller('taxId (a VAT id of a country in the Peppol network)'),
      ],
    },
  ])
    it(`cannot be created with missing fields ${what}, which the error lists completely`, async () => {
      await seller(from);
      const invoiceId = await invoiceOfBusiness(serving, { name: 'Kunde AG' }, tax);
      const reply = await ofInvoice(invoiceId, `?profile=${profile}`);
      const noteId = await creditNoteOfVoid(serving, invoiceId);
      for (const [document, answer] of [
        ['invoice 1', reply],
        ['credit note 1', await ofNote(noteId, `?profile=${profile}`)],
      ] as const) {
        expectRefusal(answer, 422, 4041);
        const { message } = answer.json as { readonly message: string };
        const [start = '', list = ''] = message.split(/(?<=requires): /);
        expect(start).to.equal(`An e-invoice for ${document} requires`);
        const [fields = '', ...advice] = list.split('. ');
        expect(fields.split('; ').toSorted()).to.eql(missing.toSorted());
        const isKept = document === 'invoice 1' && missing.some((field) => /^(seller|tax) /.test(field));
        expect(advice.join('. ')).to.match(
          isKept ? /^An issued invoice keeps .* void the invoice and bill it again/ : /^$/,
        );
      }
    });

  for (const [query, message] of [
    ['?format=PDF', 'Query parameter format is not one of UBL, CII, FACTUR_X'],
    ['?profile=ZUGFERD', 'Query parameter profile is not one of EN16931, XRECHNUNG, PEPPOL_BIS3'],
    ['?format=CII&profile=PEPPOL_BIS3', 'The profile PEPPOL_BIS3 exists in UBL only, not as CII'],
    ['?format=FACTUR_X&profile=PEPPOL_BIS3', 'The profile PEPPOL_BIS3 exists in UBL only, not as FACTUR_X'],
  ] as const)
    it(`are not available with ${query}`, async () => {
      await seller();
      const invoiceId = await invoiceOfBusiness(serving, full);
      const ofInvoiceReply = await ofInvoice(invoiceId, query);
      const noteId = await creditNoteOfVoid(serving, invoiceId);
      for (const reply of [ofInvoiceReply, await ofNote(noteId, query), await ofNote(NOWHERE, query)]) {
        expectRefusal(reply, 400, 60_002);
        expect(reply.json).to.include({ message });
      }
    });

  it('are not available for unknown documents, documents of another tenant or void invoices', async () => {
    await seller();
    const invoiceId = await invoiceOfBusiness(serving, full);
    expectRefusal(await ofInvoice(NOWHERE), 404, 4006);
    expectRefusal(await ofInvoice(invoiceId, '', eve), 404, 4006);
    expectRefusal(await ofInvoice('1'), 404, 60_008);
    const noteId = await creditNoteOfVoid(serving, invoiceId);
    expectRefusal(await ofInvoice(invoiceId), 400, 4023);
    expectRefusal(await ofNote(NOWHERE), 404, 60_007);
    expectRefusal(await ofNote(noteId, '', eve), 404, 60_007);
    expectRefusal(await ofNote('1'), 404, 60_008);
  });
});
