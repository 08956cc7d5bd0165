/**
 * The built-in keys (§14 rule 3), in English. The company's texts are empty until the tenant sets them. The page omits
 * empty texts.
 */
export const english = {
  invoiceEmailSubject: 'Your invoice',
  invoiceTitle: 'Invoice',
  creditNoteTitle: 'Credit note',
  creditNoteNumber: 'Credit note number',
  creditNoteInvoice: 'For invoice',
  creditNoteTo: 'Credit to',
  invoiceDate: 'Date',
  invoiceNumber: 'Invoice number',
  invoiceAmount: 'Total',
  invoiceAmountPaid: 'Paid',
  invoiceBalance: 'Amount due',
  companyName: '',
  companyAddress: '',
  companyCityProvincePostalCode: '',
  companyCountry: '',
  invoiceItemDescription: 'Description',
  invoiceItemServicePeriod: 'Service period',
  invoiceItemAmount: 'Amount',
  // Existing clients do not know these keys.
  invoiceBillTo: 'Bill to',
  invoiceFooter: '',
  invoicePaymentInstructions: '',
  invoiceNoItems: 'No charges',
  invoiceStatusDraft: 'Draft',
  invoiceStatusVoid: 'Void',
  invoiceStatusPaid: 'Paid',
  itemAccountCreditUsed: 'Account credit used',
  itemAccountCreditGenerated: 'Added to account credit',
  itemCredit: 'Credit',
  itemRepair: 'Adjustment for a change of subscription',
  itemUsageRepair: 'Adjustment for usage',
  itemAdjustment: 'Adjustment',
  itemExternalCharge: 'Charge',
  itemTax: 'Tax',
  invoiceDueDate: 'Due date',
  creditNoteInvoiceDate: 'Invoice date',
  invoiceNet: 'Subtotal',
  invoiceTaxRounding: 'Rounding of taxes',
  invoiceTaxDifference: 'Difference from the tax rate',
  taxId: 'Tax ID',
  vatId: 'VAT ID',
  registrationNumber: 'Registration number',
  taxVat: 'VAT',
  taxSales: 'Sales tax',
  taxGst: 'GST',
  taxConsumption: 'Consumption tax',
  taxBase: 'Taxable amount',
  taxZeroRated: 'Zero-rated',
  taxExempt: 'Exempt',
  taxReverseCharge: 'Reverse charge',
  taxIntraCommunity: 'Intra-Community supply',
  taxExport: 'Export',
  taxOutOfScope: 'Outside the scope of tax',
  itemChildInvoice: 'Invoice',
  itemListPrice: 'List price',
  itemProrated: 'prorated',
  paymentTitle: 'Bank transfer',
  paymentPayee: 'Payee',
  paymentBank: 'Bank',
  paymentIban: 'IBAN',
  paymentBic: 'BIC',
  paymentReference: 'Reference',
  invoiceWrittenOff: 'Written off',
  paymentByParent: 'This amount is on the invoice of the parent account. No payment is required.',
  paymentNone: 'No payment is required.',
};
export type TextKey = keyof typeof english;

/**
 * Keys of the texts about the company. The translations do not contain these texts, so a document uses the tenant's own
 * texts in the document's language or the default language.
 */
type OfCompany =
  | 'companyName'
  | 'companyAddress'
  | 'companyCityProvincePostalCode'
  | 'companyCountry'
  | 'invoiceFooter'
  | 'invoicePaymentInstructions';

/** The texts of another language. */
export type TranslatedTexts = Readonly<Record<Exclude<TextKey, OfCompany>, string>>;
