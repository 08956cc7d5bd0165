import type {
  EInvoiceAddress,
  EInvoiceAllowance,
  EInvoiceDocument,
  EInvoiceLine,
  EInvoiceParty,
  EInvoicePeriod,
  EInvoiceTaxGroup,
} from '../../lib/ports/index.ts';
import { group, leaf, type XmlElement } from './xml-elements.ts';
import { BUSINESS_PROCESS, DISCOUNT, isZero, type XmlParts } from './xml-parts.ts';

const UBL = 'urn:oasis:names:specification:ubl:schema:xsd:';

/** Writes an amount with its currency. */
type AmountOf = (name: string, amount: string) => XmlElement | null;

/** Returns a UBL 2.1 Invoice or CreditNote. The two differ only in the names of their elements. */
export function ubl(document: EInvoiceDocument, specification: string): XmlParts {
  const kind = document.typeCode === '381' ? 'CreditNote' : 'Invoice';
  const amount: AmountOf = (name, value) => leaf(name, value, { currencyID: document.currency });
  return {
    root: kind,
    namespaces: {
      xmlns: `${UBL}${kind}-2`,
      'xmlns:cac': `${UBL}CommonAggregateComponents-2`,
      'xmlns:cbc': `${UBL}CommonBasicComponents-2`,
    },
    beforeLines: [
      leaf('cbc:CustomizationID', specification),
      leaf('cbc:ProfileID', BUSINESS_PROCESS),
      leaf('cbc:ID', document.number),
      leaf('cbc:IssueDate', document.issueDate),
      kind === 'Invoice' ? leaf('cbc:DueDate', document.dueDate) : null,
      leaf(`cbc:${kind}TypeCode`, document.typeCode),
      leaf('cbc:Note', document.note),
      leaf('cbc:DocumentCurrencyCode', document.currency),
      leaf('cbc:BuyerReference', document.buyerReference),
      period(document.period),
      precedingInvoice(document),
      group('cac:AccountingSupplierParty', [party(document.seller, sellerTaxes(document.seller))]),
      group('cac:AccountingCustomerParty', [party(document.buyer, [vatScheme(document.buyer.vatId)])]),
      delivery(document),
      paymentMeans(document),
      group('cac:PaymentTerms', [leaf('cbc:Note', document.paymentTerms)]),
      group('cac:TaxTotal', [
        amount('cbc:TaxAmount', document.totals.tax),
        ...document.taxes.map((tax) => taxSubtotal(tax, amount)),
      ]),
      monetaryTotal(document, amount),
    ],
    linesIn: null,
    line: (line) => documentLine(line, { kind, amount }),
    afterLines: [],
  };
}

function period(given: EInvoicePeriod | null): XmlElement | null {
  return group('cac:InvoicePeriod', [leaf('cbc:StartDate', given?.start), leaf('cbc:EndDate', given?.end)]);
}

function precedingInvoice({ precedingInvoice: given }: EInvoiceDocument): XmlElement | null {
  return group('cac:BillingReference', [
    group('cac:InvoiceDocumentReference', [
      leaf('cbc:ID', given?.number),
      leaf('cbc:IssueDate', given?.issueDate),
    ]),
  ]);
}

function party(given: EInvoiceParty, taxSchemes: readonly (XmlElement | null)[]): XmlElement | null {
  const { endpoint, registration, contact } = given;
  return group('cac:Party', [
    leaf('cbc:EndpointID', endpoint?.value, { schemeID: endpoint?.scheme ?? null }),
    group('cac:PartyIdentification', [leaf('cbc:ID', given.identifier)]),
    group('cac:PartyName', [leaf('cbc:Name', given.tradingName)]),
    address('cac:PostalAddress', given.address),
    ...taxSchemes,
    group('cac:PartyLegalEntity', [
      leaf('cbc:RegistrationName', given.name),
      leaf('cbc:CompanyID', registration?.value, { schemeID: registration?.scheme ?? null }),
    ]),
    group('cac:Contact', [
      leaf('cbc:Name', contact?.name),
      leaf('cbc:Telephone', contact?.phone),
      leaf('cbc:ElectronicMail', contact?.email),
    ]),
  ]);
}

function sellerTaxes({ vatId, taxNumber }: EInvoiceParty) {
  return [vatScheme(vatId), taxScheme(taxNumber, 'FC')];
}

const vatScheme = (vatId: string | null) => taxScheme(vatId, 'VAT');

function taxScheme(id: string | null, scheme: string): XmlElement | null {
  if (id === null) return null;
  return group('cac:PartyTaxScheme', [
    leaf('cbc:CompanyID', id),
    group('cac:TaxScheme', [leaf('cbc:ID', scheme)]),
  ]);
}

function address(name: string, given: EInvoiceAddress): XmlElement | null {
  return group(name, [
    leaf('cbc:StreetName', given.line1),
    leaf('cbc:AdditionalStreetName', given.line2),
    leaf('cbc:CityName', given.city),
    leaf('cbc:PostalZone', given.postalCode),
    leaf('cbc:CountrySubentity', given.state),
    group('cac:Country', [leaf('cbc:IdentificationCode', given.country)]),
  ]);
}

function delivery({ delivery: { address: place, date } }: EInvoiceDocument): XmlElement | null {
  return group('cac:Delivery', [
    leaf('cbc:ActualDeliveryDate', date),
    group('cac:DeliveryLocation', [address('cac:Address', place)]),
  ]);
}

function paymentMeans({ paymentMeans: given }: EInvoiceDocument): XmlElement | null {
  if (given === null) return null;
  return group('cac:PaymentMeans', [
    leaf('cbc:PaymentMeansCode', given.code),
    leaf('cbc:PaymentID', given.reference),
    group('cac:PayeeFinancialAccount', [
      leaf('cbc:ID', given.iban),
      leaf('cbc:Name', given.accountName),
      group('cac:FinancialInstitutionBranch', [leaf('cbc:ID', given.bic)]),
    ]),
  ]);
}

function taxSubtotal({ net, tax, exemption, ...given }: EInvoiceTaxGroup, amount: AmountOf) {
  return group('cac:TaxSubtotal', [
    amount('cbc:TaxableAmount', net),
    amount('cbc:TaxAmount', tax),
    group('cac:TaxCategory', [
      leaf('cbc:ID', given.category),
      leaf('cbc:Percent', given.rate),
      leaf('cbc:TaxExemptionReasonCode', exemption?.code),
      leaf('cbc:TaxExemptionReason', exemption?.text),
      group('cac:TaxScheme', [leaf('cbc:ID', 'VAT')]),
    ]),
  ]);
}

function monetaryTotal({ totals }: EInvoiceDocument, amount: AmountOf): XmlElement | null {
  return group('cac:LegalMonetaryTotal', [
    amount('cbc:LineExtensionAmount', totals.net),
    amount('cbc:TaxExclusiveAmount', totals.net),
    amount('cbc:TaxInclusiveAmount', totals.gross),
    isZero(totals.prepaid) ? null : amount('cbc:PrepaidAmount', totals.prepaid),
    isZero(totals.rounding) ? null : amount('cbc:PayableRoundingAmount', totals.rounding),
    amount('cbc:PayableAmount', totals.payable),
  ]);
}

function documentLine(
  line: EInvoiceLine,
  { kind, amount }: { readonly kind: 'Invoice' | 'CreditNote'; readonly amount: AmountOf },
): XmlElement | null {
  const quantity = kind === 'Invoice' ? 'cbc:InvoicedQuantity' : 'cbc:CreditedQuantity';
  return group(`cac:${kind}Line`, [
    leaf('cbc:ID', line.id),
    leaf(quantity, line.quantity, { unitCode: line.unitCode }),
    amount('cbc:LineExtensionAmount', line.amount),
    period(line.period),
    ...line.allowances.map((each) => allowance(each, amount)),
    group('cac:Item', [
      leaf('cbc:Description', line.description),
      leaf('cbc:Name', line.name),
      group('cac:ClassifiedTaxCategory', [
        leaf('cbc:ID', line.tax.category),
        leaf('cbc:Percent', line.tax.rate),
        group('cac:TaxScheme', [leaf('cbc:ID', 'VAT')]),
      ]),
    ]),
    group('cac:Price', [amount('cbc:PriceAmount', line.price)]),
  ]);
}

function allowance({ amount: off, share, reason }: EInvoiceAllowance, amount: AmountOf): XmlElement | null {
  return group('cac:AllowanceCharge', [
    leaf('cbc:ChargeIndicator', 'false'),
    leaf('cbc:AllowanceChargeReasonCode', DISCOUNT),
    leaf('cbc:AllowanceChargeReason', reason),
    leaf('cbc:MultiplierFactorNumeric', share?.percent),
    amount('cbc:Amount', off),
    share === null ? null : amount('cbc:BaseAmount', share.base),
  ]);
}
