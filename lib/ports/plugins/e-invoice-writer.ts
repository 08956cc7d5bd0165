import type { EInvoiceProfile, TaxCategory } from '../../records/index.ts';

/** A value with its code list. `scheme` is null if the value has no code list. */
export interface CodedId {
  readonly scheme: string | null;
  readonly value: string;
}

export interface EInvoiceAddress {
  readonly line1: string | null;
  readonly line2: string | null;
  readonly city: string | null;
  readonly postalCode: string | null;
  readonly state: string | null;
  /** Country code of ISO 3166-1 alpha-2. */
  readonly country: string;
}

export interface EInvoiceContact {
  readonly name: string | null;
  readonly phone: string | null;
  readonly email: string | null;
}

export interface EInvoiceParty {
  /** Registered name (BT-27, BT-44). */
  readonly name: string;
  /** Trading name, if it differs from the registered name (BT-28, BT-45). */
  readonly tradingName: string | null;
  /** VAT id, including the country prefix (BT-31, BT-48). */
  readonly vatId: string | null;
  /** Another tax number of the seller (BT-32). */
  readonly taxNumber: string | null;
  /** Another number that identifies the buyer, such as a tax number without a country (BT-46). */
  readonly identifier: string | null;
  /** Number in a company register (BT-30, BT-47). */
  readonly registration: CodedId | null;
  /** Electronic address, with its code in the EAS list (BT-34, BT-49). */
  readonly endpoint: CodedId | null;
  readonly address: EInvoiceAddress;
  readonly contact: EInvoiceContact | null;
}

/** A period from `yyyy-MM-dd` to `yyyy-MM-dd`, including both days. */
export interface EInvoicePeriod {
  readonly start: string | null;
  readonly end: string | null;
}

export interface EInvoiceTax {
  readonly category: TaxCategory;
  /** Tax rate in percent, such as `19`. The value is null for category O. */
  readonly rate: string | null;
}

export interface EInvoiceLine {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Quantity. It is negative for a reduction, because prices cannot be negative (BR-27). */
  readonly quantity: string;
  /** Unit of UN/ECE Recommendation 20 or 21. */
  readonly unitCode: string;
  readonly price: string;
  /** Discounts of the line. The list is empty if the line has no discounts. */
  readonly allowances: readonly EInvoiceAllowance[];
  /** Amount: quantity × price, rounded to the currency's minor unit, less the allowances (BT-131). */
  readonly amount: string;
  readonly period: EInvoicePeriod | null;
  readonly tax: EInvoiceTax;
}

/** A discount of a line (BG-27), with the reason code 95. */
export interface EInvoiceAllowance {
  readonly amount: string;
  /** The base amount and the percentage that result in the amount, or null if there is no such percentage. */
  readonly share: { readonly base: string; readonly percent: string } | null;
  /** Name of the coupon. */
  readonly reason: string | null;
}

/** The tax of one category and rate (BG-23). */
export interface EInvoiceTaxGroup extends EInvoiceTax {
  readonly net: string;
  readonly tax: string;
  readonly exemption: { readonly code: string | null; readonly text: string | null } | null;
}

export interface EInvoicePaymentMeans {
  /** Payment means code of UNTDID 4461, such as 58 for a SEPA credit transfer, or 1 if the parent account pays. */
  readonly code: string;
  /** The text by which the seller recognizes the transfer (BT-83), or null if payment is not by transfer. */
  readonly reference: string | null;
  readonly iban: string | null;
  readonly bic: string | null;
  readonly accountName: string | null;
}

/**
 * An invoice or credit note in the business terms of EN 16931. Amounts are strings with the decimals of the currency.
 * Strings contain only characters that XML 1.0 allows.
 */
export interface EInvoiceDocument {
  /** Type code (BT-3): 380 for an invoice, 381 for a credit note. */
  readonly typeCode: '380' | '381';
  readonly number: string;
  readonly issueDate: string;
  /** Due date, or null if the buyer does not have to pay. */
  readonly dueDate: string | null;
  /** Currency code of ISO 4217. */
  readonly currency: string;
  readonly note: string | null;
  /** The buyer's reference, such as a Leitweg-ID (BT-10). */
  readonly buyerReference: string | null;
  readonly period: EInvoicePeriod | null;
  /** The invoice that a credit note credits (BG-3). */
  readonly precedingInvoice: { readonly number: string; readonly issueDate: string } | null;
  readonly seller: EInvoiceParty;
  readonly buyer: EInvoiceParty;
  /**
   * Place where the services are used, which is the buyer's address (BG-15). `date` is set only if there is no period
   * (BT-72).
   */
  readonly delivery: { readonly address: EInvoiceAddress; readonly date: string | null };
  readonly paymentMeans: EInvoicePaymentMeans | null;
  readonly paymentTerms: string | null;
  readonly taxes: readonly EInvoiceTaxGroup[];
  readonly lines: readonly EInvoiceLine[];
  readonly totals: {
    /** Sum of the lines (BT-106, BT-109). */
    readonly net: string;
    /** Sum of the taxes (BT-110). */
    readonly tax: string;
    /** net + tax (BT-112). */
    readonly gross: string;
    /** Payments and account credit (BT-113). */
    readonly prepaid: string;
    /** Difference between the charged taxes and the taxes that BR-CO-17 requires (BT-114). */
    readonly rounding: string;
    /** gross − prepaid + rounding (BT-115). */
    readonly payable: string;
  };
}

/**
 * Writes e-invoices as XML. `billwright/e-invoice` implements this port. The writer is called on demand and by the
 * delivery of e-invoices, any number of times, without a lock and outside transactions. The caller gets a thrown
 * `BillingError` unchanged, and any other error as an unexpected error.
 */
export interface EInvoiceWriter {
  /** Returns the XML of a document. The engine calls this only for profiles that the syntax supports. */
  xml(
    document: EInvoiceDocument,
    options: { readonly syntax: 'UBL' | 'CII'; readonly profile: EInvoiceProfile },
  ): Promise<string>;
}
