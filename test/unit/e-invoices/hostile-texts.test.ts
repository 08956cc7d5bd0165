import { SaxesParser } from 'saxes';
import { eInvoiceWriter } from '../../../adapters/e-invoice/index.ts';
import type { LineName } from '../../../lib/invoicing/e-invoices/e-invoice-lines.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { localDate } from '../../../lib/values/time/index.ts';
import { buyer, eInvoiceOf, seller, taxed } from '../../support/e-invoices/e-invoice-documents.ts';
import { usageOf, viewedItem } from '../../support/invoicing/documents.ts';
import { expect } from '../../support/unit.ts';

const hostile = {
  markup: '</cbc:Name></ram:Name><script>alert("x")</script><!-- x --><?xml version="1.1"?>',
  'the end of a CDATA section': 'a ]]> b <![CDATA[ c ]]>',
  entities: '&amp; & &lt; &#0; &#x1F; &xxe; % "double" \'single\'',
  'a document type': '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;',
  '100,000 characters': `${'W'.repeat(99_997)}<&>`,
  'control characters': 'a\u0000\u0001\u0007\u0008\u000b\u000c\u001b[31m\u001fb\u007f\u0085c',
  'white space': '  a \t\t b\r\nc\rd\n\n\u00a0\u2028e  ',
  'right-to-left overrides': '\u202e\u202dabc\u2066\u2067\u202b123\u200f',
  emoji: '👩‍👩‍👧‍👦🏳️‍🌈🇩🇪 tea 🍵',
  'lone surrogates': 'a\ud800b\udc00c \ud83c\udf75 d\ud83c',
  'characters outside XML': 'a\ufffeb\uffffc\ufffdd\u{1fffe}e\u{10ffff}f',
} as const;

/** Returns the characters that invoicing §22 rule 8 keeps, with U+FFFD in place of lone surrogates. */
function allowed(text: string): string {
  const kept = Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
    const isControl = code < 0x20 && ![0x09, 0x0a, 0x0d].includes(code);
    return isControl || code === 0xfffe || code === 0xffff ? '' : character;
  });
  return kept.join('');
}

const inLines = (text: string) =>
  allowed(text)
    .split(/\r\n|\r|\n/)
    .join('\n')
    .trim();
const inOneLine = (text: string) => allowed(text).trim().split(/\s+/).join(' ');
const withoutBlanks = (text: string) => inOneLine(text).replaceAll(' ', '');

const SUPPLIER = 'cac:AccountingSupplierParty/cac:Party';
const CUSTOMER = 'cac:AccountingCustomerParty/cac:Party';
const PAYEE = 'cac:PaymentMeans/cac:PayeeFinancialAccount';
const TRADE = 'rsm:SupplyChainTradeTransaction';
const SELLER = `${TRADE}/ram:ApplicableHeaderTradeAgreement/ram:SellerTradeParty`;
const BUYER = `${TRADE}/ram:ApplicableHeaderTradeAgreement/ram:BuyerTradeParty`;
const DELIVERY = `${TRADE}/ram:ApplicableHeaderTradeDelivery/ram:ShipToTradeParty/ram:PostalTradeAddress`;
const SETTLEMENT = `${TRADE}/ram:ApplicableHeaderTradeSettlement`;
const CREDITOR = `${SETTLEMENT}/ram:SpecifiedTradeSettlementPaymentMeans`;
const PRODUCT = `${TRADE}/ram:IncludedSupplyChainTradeLineItem/ram:SpecifiedTradeProduct`;

interface Place {
  /** Paths of the text in UBL and in CII, below the root. */
  readonly at: readonly [ubl: string, cii: string];
  /** How the text is written; default: on one line. */
  readonly written?: (text: string) => string;
}

const address = (ubl: string, cii: string) =>
  ({
    address1: { at: [`${ubl}/cbc:StreetName`, `${cii}/ram:LineOne`] },
    address2: { at: [`${ubl}/cbc:AdditionalStreetName`, `${cii}/ram:LineTwo`] },
    city: { at: [`${ubl}/cbc:CityName`, `${cii}/ram:CityName`] },
    postalCode: { at: [`${ubl}/cbc:PostalZone`, `${cii}/ram:PostcodeCode`] },
    state: { at: [`${ubl}/cbc:CountrySubentity`, `${cii}/ram:CountrySubDivisionName`] },
  }) as const;

const party = (ubl: string, cii: string) =>
  ({
    legalName: { at: [`${ubl}/cac:PartyLegalEntity/cbc:RegistrationName`, `${cii}/ram:Name`] },
    phone: {
      at: [
        `${ubl}/cac:Contact/cbc:Telephone`,
        `${cii}/ram:DefinedTradeContact/ram:TelephoneUniversalCommunication/ram:CompleteNumber`,
      ],
    },
    email: {
      at: [
        `${ubl}/cac:Contact/cbc:ElectronicMail`,
        `${cii}/ram:DefinedTradeContact/ram:EmailURIUniversalCommunication/ram:URIID`,
      ],
    },
    name: { at: [`${ubl}/cac:Contact/cbc:Name`, `${cii}/ram:DefinedTradeContact/ram:PersonName`] },
    registrationNumber: {
      at: [`${ubl}/cac:PartyLegalEntity/cbc:CompanyID`, `${cii}/ram:SpecifiedLegalOrganization/ram:ID`],
    },
    ...address(`${ubl}/cac:PostalAddress`, `${cii}/ram:PostalTradeAddress`),
  }) as const;

const tradingName = (ubl: string, cii: string): Place['at'] => [
  `${ubl}/cac:PartyName/cbc:Name`,
  `${cii}/ram:SpecifiedLegalOrganization/ram:TradingBusinessName`,
];

/** Every text that users enter, by owner and field. */
const places: Readonly<Record<string, Readonly<Record<string, Place>>>> = {
  seller: {
    ...party(SUPPLIER, SELLER),
    taxId: {
      at: [`${SUPPLIER}/cac:PartyTaxScheme/cbc:CompanyID`, `${SELLER}/ram:SpecifiedTaxRegistration/ram:ID`],
    },
    iban: {
      at: [`${PAYEE}/cbc:ID`, `${CREDITOR}/ram:PayeePartyCreditorFinancialAccount/ram:IBANID`],
      written: withoutBlanks,
    },
    bic: {
      at: [
        `${PAYEE}/cac:FinancialInstitutionBranch/cbc:ID`,
        `${CREDITOR}/ram:PayeeSpecifiedCreditorFinancialInstitution/ram:BICID`,
      ],
      written: withoutBlanks,
    },
  },
  'name of the seller as': { name: { at: tradingName(SUPPLIER, SELLER) } },
  'account of the seller as': {
    legalName: {
      at: [`${PAYEE}/cbc:Name`, `${CREDITOR}/ram:PayeePartyCreditorFinancialAccount/ram:AccountName`],
    },
  },
  buyer: {
    ...party(CUSTOMER, BUYER),
    company: { at: tradingName(CUSTOMER, BUYER) },
    taxId: { at: [`${CUSTOMER}/cac:PartyIdentification/cbc:ID`, `${BUYER}/ram:ID`] },
    electronicAddress: {
      at: [`${CUSTOMER}/cbc:EndpointID`, `${BUYER}/ram:URIUniversalCommunication/ram:URIID`],
    },
    buyerReference: {
      at: ['cbc:BuyerReference', `${TRADE}/ram:ApplicableHeaderTradeAgreement/ram:BuyerReference`],
    },
  },
  'delivery to the buyer at': address('cac:Delivery/cac:DeliveryLocation/cac:Address', DELIVERY),
  document: {
    note: { at: ['cbc:Note', 'rsm:ExchangedDocument/ram:IncludedNote/ram:Content'], written: inLines },
    exemption: {
      at: [
        'cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory/cbc:TaxExemptionReason',
        `${SETTLEMENT}/ram:ApplicableTradeTax/ram:ExemptionReason`,
      ],
    },
  },
  line: {
    planName: { at: ['cac:InvoiceLine/cac:Item/cbc:Name', `${PRODUCT}/ram:Name`] },
    description: { at: ['cac:InvoiceLine/cac:Item/cbc:Name', `${PRODUCT}/ram:Name`] },
    unitName: {
      at: ['cac:InvoiceLine/cac:Item/cbc:Description', `${PRODUCT}/ram:Description`],
      written: inLines,
    },
  },
};

/** Returns a text for a user field: the owner and the field, then the hostile text. */
const textOf = (owner: string, field: string, text: string) => `${owner} ${field} ${text}`;

/** Returns the e-invoice with a different text in every user field. */
function documentWith(text: string) {
  const all = (owner: string, fields: readonly string[]) =>
    Object.fromEntries(fields.map((field) => [field, textOf(owner, field, text)]));
  const names = ['name', 'legalName', 'address1', 'address2', 'city', 'state', 'postalCode'];
  const ids = ['taxId', 'email', 'phone'];
  const plan = viewedItem('RECURRING', '100');
  const charge = viewedItem('EXTERNAL_CHARGE', '10', { description: textOf('line', 'description', text) });
  const usage = usageOf('12400');
  const [unit] = usage.usage;
  if (unit === undefined) throw new Error('the usage has no unit');
  const unitName = textOf('line', 'unitName', text);
  const metered = { ...usage, usage: [{ ...unit, unit: unitName, name: unitName }] };
  const exemption = textOf('document', 'exemption', text);
  const exempt = { tax: '0', rate: '0', category: 'E', exemption } as const;
  const planName = { name: textOf('line', 'planName', text), detail: null, notes: [] };
  return eInvoiceOf(
    [plan, charge, metered].flatMap((item) => taxed(item, exempt)),
    {
      names: new Map<Uuid, LineName>([
        [plan.id, planName],
        [metered.id, { name: 'Calls', detail: unitName, notes: [] }],
      ]),
      seller: seller(all('seller', [...names, ...ids, 'registrationNumber', 'iban', 'bic'])),
      buyer: buyer(all('buyer', [...names, ...ids, 'company'])),
      customFields: {
        buyerReference: textOf('buyer', 'buyerReference', text),
        electronicAddress: `0204:${textOf('buyer', 'electronicAddress', text)}`,
        registrationNumber: textOf('buyer', 'registrationNumber', text),
      },
      invoice: {
        currency: 'EUR',
        commitDate: localDate(2026, 11, 23),
        note: textOf('document', 'note', text),
      },
    },
  );
}

/** Returns the texts of a document by element path. @throws if the document is not well-formed. */
function textsByPath(xml: string): ReadonlyMap<string, readonly string[]> {
  const parser = new SaxesParser({ xmlns: true, forceXMLVersion: true, defaultXMLVersion: '1.0' });
  const path: string[] = [];
  const texts = new Map<string, string[]>();
  let text = '';
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name }) => {
    path.push(name);
    text = '';
  });
  parser.on('text', (part) => {
    text += part;
  });
  parser.on('closetag', () => {
    const at = path.slice(1).join('/');
    texts.set(at, [...(texts.get(at) ?? []), text]);
    path.pop();
    text = '';
  });
  parser.write(xml).close();
  return texts;
}

describe('hostile strings in e-invoices (invoicing §22 rule 8)', () => {
  for (const [what, text] of Object.entries(hostile))
    for (const [index, syntax] of (['UBL', 'CII'] as const).entries())
      it(`are escaped and read back in every field of ${syntax} with ${what}`, async () => {
        const document = documentWith(text);
        const texts = textsByPath(await eInvoiceWriter().xml(document, { syntax, profile: 'EN16931' }));
        for (const [owner, fields] of Object.entries(places))
          for (const [field, { at, written = inOneLine }] of Object.entries(fields)) {
            const named = /seller|buyer/.exec(owner)?.[0] ?? owner;
            const found = texts.get(at[index] ?? '') ?? [];
            expect(found, `${owner} ${field}`).to.include(written(textOf(named, field, text)));
          }
      });

  it('produce the same elements as a harmless string', async () => {
    for (const syntax of ['UBL', 'CII'] as const) {
      const elements = async (text: string) => {
        const xml = await eInvoiceWriter().xml(documentWith(text), { syntax, profile: 'XRECHNUNG' });
        return [...textsByPath(xml)].map(([path, texts]) => `${path} ${texts.length}`);
      };
      const harmless = await elements('Text');
      for (const [what, text] of Object.entries(hostile)) expect(await elements(text), what).to.eql(harmless);
    }
  });

  it('are left out if they contain only forbidden characters and white space', async () => {
    const nothing = ' \u0000\u0007\t\ufffe ';
    const document = eInvoiceOf(taxed(viewedItem('EXTERNAL_CHARGE', '10'), { tax: '1.9' }), {
      seller: seller({ legalName: nothing, address2: nothing, state: nothing, phone: nothing, bic: nothing }),
      buyer: buyer({ legalName: nothing, company: nothing, name: 'Jeanne', email: nothing }),
      customFields: { buyerReference: nothing, electronicAddress: nothing, registrationNumber: nothing },
      invoice: { currency: 'EUR', commitDate: localDate(2026, 11, 23), note: nothing },
    });
    expect([document.seller.name, document.buyer.name, document.note]).to.eql(['ACME', 'Jeanne', null]);
    for (const syntax of ['UBL', 'CII'] as const) {
      const texts = textsByPath(await eInvoiceWriter().xml(document, { syntax, profile: 'EN16931' }));
      expect([...texts.values()].flat().map((text) => text.trim())).to.not.include(nothing.trim());
      expect(texts.has('cbc:BuyerReference')).to.equal(false);
    }
  });
});
