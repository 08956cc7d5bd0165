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

const CII = 'urn:un:unece:uncefact:data:standard:';

/** Returns a CrossIndustryInvoice D16B document. It is used for invoices and credit notes. */
export function cii(document: EInvoiceDocument, specification: string): XmlParts {
  return {
    root: 'rsm:CrossIndustryInvoice',
    namespaces: {
      'xmlns:rsm': `${CII}CrossIndustryInvoice:100`,
      'xmlns:ram': `${CII}ReusableAggregateBusinessInformationEntity:100`,
      'xmlns:qdt': `${CII}QualifiedDataType:100`,
      'xmlns:udt': `${CII}UnqualifiedDataType:100`,
    },
    beforeLines: [
      group('rsm:ExchangedDocumentContext', [
        group('ram:BusinessProcessSpecifiedDocumentContextParameter', [leaf('ram:ID', BUSINESS_PROCESS)]),
        group('ram:GuidelineSpecifiedDocumentContextParameter', [leaf('ram:ID', specification)]),
      ]),
      group('rsm:ExchangedDocument', [
        leaf('ram:ID', document.number),
        leaf('ram:TypeCode', document.typeCode),
        date('ram:IssueDateTime', document.issueDate),
        group('ram:IncludedNote', [leaf('ram:Content', document.note)]),
      ]),
    ],
    linesIn: 'rsm:SupplyChainTradeTransaction',
    line: lineItem,
    afterLines: [
      group('ram:ApplicableHeaderTradeAgreement', [
        leaf('ram:BuyerReference', document.buyerReference),
        party('ram:SellerTradeParty', document.seller),
        party('ram:BuyerTradeParty', document.buyer),
      ]),
      delivery(document),
      settlement(document),
    ],
  };
}

/** Writes a date as `yyyyMMdd`, format 102. */
function date(name: string, given: string | null | undefined, type = 'udt'): XmlElement | null {
  const text = given?.replaceAll('-', '');
  return group(name, [leaf(`${type}:DateTimeString`, text, { format: '102' })]);
}

function period(given: EInvoicePeriod | null): XmlElement | null {
  return group('ram:BillingSpecifiedPeriod', [
    date('ram:StartDateTime', given?.start),
    date('ram:EndDateTime', given?.end),
  ]);
}

function lineItem(line: EInvoiceLine): XmlElement | null {
  return group('ram:IncludedSupplyChainTradeLineItem', [
    group('ram:AssociatedDocumentLineDocument', [leaf('ram:LineID', line.id)]),
    group('ram:SpecifiedTradeProduct', [
      leaf('ram:Name', line.name),
      leaf('ram:Description', line.description),
    ]),
    group('ram:SpecifiedLineTradeAgreement', [
      group('ram:NetPriceProductTradePrice', [leaf('ram:ChargeAmount', line.price)]),
    ]),
    group('ram:SpecifiedLineTradeDelivery', [
      leaf('ram:BilledQuantity', line.quantity, { unitCode: line.unitCode }),
    ]),
    group('ram:SpecifiedLineTradeSettlement', [
      group('ram:ApplicableTradeTax', [
        leaf('ram:TypeCode', 'VAT'),
        leaf('ram:CategoryCode', line.tax.category),
        leaf('ram:RateApplicablePercent', line.tax.rate),
      ]),
      period(line.period),
      ...line.allowances.map(allowance),
      group('ram:SpecifiedTradeSettlementLineMonetarySummation', [leaf('ram:LineTotalAmount', line.amount)]),
    ]),
  ]);
}

function allowance({ amount, share, reason }: EInvoiceAllowance): XmlElement | null {
  return group('ram:SpecifiedTradeAllowanceCharge', [
    group('ram:ChargeIndicator', [leaf('udt:Indicator', 'false')]),
    leaf('ram:CalculationPercent', share?.percent),
    leaf('ram:BasisAmount', share?.base),
    leaf('ram:ActualAmount', amount),
    leaf('ram:ReasonCode', DISCOUNT),
    leaf('ram:Reason', reason),
  ]);
}

function party(name: string, given: EInvoiceParty): XmlElement | null {
  const { address, contact, endpoint, registration } = given;
  return group(name, [
    leaf('ram:ID', given.identifier),
    leaf('ram:Name', given.name),
    group('ram:SpecifiedLegalOrganization', [
      leaf('ram:ID', registration?.value, { schemeID: registration?.scheme ?? null }),
      leaf('ram:TradingBusinessName', given.tradingName),
    ]),
    group('ram:DefinedTradeContact', [
      leaf('ram:PersonName', contact?.name),
      group('ram:TelephoneUniversalCommunication', [leaf('ram:CompleteNumber', contact?.phone)]),
      group('ram:EmailURIUniversalCommunication', [leaf('ram:URIID', contact?.email)]),
    ]),
    postalAddress(address),
    group('ram:URIUniversalCommunication', [
      leaf('ram:URIID', endpoint?.value, { schemeID: endpoint?.scheme ?? null }),
    ]),
    group('ram:SpecifiedTaxRegistration', [leaf('ram:ID', given.vatId, { schemeID: 'VA' })]),
    group('ram:SpecifiedTaxRegistration', [leaf('ram:ID', given.taxNumber, { schemeID: 'FC' })]),
  ]);
}

function postalAddress(address: EInvoiceAddress): XmlElement | null {
  return group('ram:PostalTradeAddress', [
    leaf('ram:PostcodeCode', address.postalCode),
    leaf('ram:LineOne', address.line1),
    leaf('ram:LineTwo', address.line2),
    leaf('ram:CityName', address.city),
    leaf('ram:CountryID', address.country),
    leaf('ram:CountrySubDivisionName', address.state),
  ]);
}

function delivery({ delivery: { address, date: delivered } }: EInvoiceDocument): XmlElement | null {
  return group('ram:ApplicableHeaderTradeDelivery', [
    group('ram:ShipToTradeParty', [postalAddress(address)]),
    group('ram:ActualDeliverySupplyChainEvent', [date('ram:OccurrenceDateTime', delivered)]),
  ]);
}

function settlement(document: EInvoiceDocument): XmlElement | null {
  const { paymentMeans: means, precedingInvoice, currency, totals } = document;
  return group('ram:ApplicableHeaderTradeSettlement', [
    leaf('ram:PaymentReference', means?.reference),
    leaf('ram:InvoiceCurrencyCode', currency),
    group('ram:SpecifiedTradeSettlementPaymentMeans', [
      leaf('ram:TypeCode', means?.code),
      group('ram:PayeePartyCreditorFinancialAccount', [
        leaf('ram:IBANID', means?.iban),
        leaf('ram:AccountName', means?.accountName),
      ]),
      group('ram:PayeeSpecifiedCreditorFinancialInstitution', [leaf('ram:BICID', means?.bic)]),
    ]),
    ...document.taxes.map(tradeTax),
    period(document.period),
    group('ram:SpecifiedTradePaymentTerms', [
      leaf('ram:Description', document.paymentTerms),
      date('ram:DueDateDateTime', document.dueDate),
    ]),
    group('ram:SpecifiedTradeSettlementHeaderMonetarySummation', [
      leaf('ram:LineTotalAmount', totals.net),
      leaf('ram:TaxBasisTotalAmount', totals.net),
      leaf('ram:TaxTotalAmount', totals.tax, { currencyID: currency }),
      isZero(totals.rounding) ? null : leaf('ram:RoundingAmount', totals.rounding),
      leaf('ram:GrandTotalAmount', totals.gross),
      isZero(totals.prepaid) ? null : leaf('ram:TotalPrepaidAmount', totals.prepaid),
      leaf('ram:DuePayableAmount', totals.payable),
    ]),
    group('ram:InvoiceReferencedDocument', [
      leaf('ram:IssuerAssignedID', precedingInvoice?.number),
      date('ram:FormattedIssueDateTime', precedingInvoice?.issueDate, 'qdt'),
    ]),
  ]);
}

function tradeTax({ net, tax, category, rate, exemption }: EInvoiceTaxGroup): XmlElement | null {
  return group('ram:ApplicableTradeTax', [
    leaf('ram:CalculatedAmount', tax),
    leaf('ram:TypeCode', 'VAT'),
    leaf('ram:ExemptionReason', exemption?.text),
    leaf('ram:BasisAmount', net),
    leaf('ram:CategoryCode', category),
    leaf('ram:ExemptionReasonCode', exemption?.code),
    leaf('ram:RateApplicablePercent', rate),
  ]);
}
