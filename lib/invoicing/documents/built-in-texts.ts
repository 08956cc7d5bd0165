import type { Locale } from './locale.ts';

/**
 * The built-in keys (§14 rule 3), in English. Those of the company are empty: they are the tenant's to say, and the
 * built-in page leaves out what is empty.
 */
const english = {
  invoiceEmailSubject: 'Your invoice',
  invoiceTitle: 'Invoice',
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
  // Beyond the keys of clients in the field.
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
  itemAdjustment: 'Adjustment',
  itemExternalCharge: 'Charge',
  itemTax: 'Tax',
};
export type TextKey = keyof typeof english;

/** What belongs to the company is taken from the default language. */
type OfCompany =
  | 'companyName'
  | 'companyAddress'
  | 'companyCityProvincePostalCode'
  | 'companyCountry'
  | 'invoiceFooter'
  | 'invoicePaymentInstructions';

const german: Texts = {
  invoiceEmailSubject: 'Ihre Rechnung',
  invoiceTitle: 'Rechnung',
  invoiceDate: 'Datum',
  invoiceNumber: 'Rechnungsnummer',
  invoiceAmount: 'Gesamtbetrag',
  invoiceAmountPaid: 'Bezahlt',
  invoiceBalance: 'Offener Betrag',
  invoiceItemDescription: 'Beschreibung',
  invoiceItemServicePeriod: 'Leistungszeitraum',
  invoiceItemAmount: 'Betrag',
  invoiceBillTo: 'Rechnung an',
  invoiceNoItems: 'Keine Posten',
  invoiceStatusDraft: 'Entwurf',
  invoiceStatusVoid: 'Storniert',
  invoiceStatusPaid: 'Bezahlt',
  itemAccountCreditUsed: 'Verrechnetes Guthaben',
  itemAccountCreditGenerated: 'Ihrem Guthaben gutgeschrieben',
  itemCredit: 'Gutschrift',
  itemRepair: 'Korrektur wegen Vertragsänderung',
  itemAdjustment: 'Korrektur',
  itemExternalCharge: 'Leistung',
  itemTax: 'Steuer',
};

const french: Texts = {
  invoiceEmailSubject: 'Votre facture',
  invoiceTitle: 'Facture',
  invoiceDate: 'Date',
  invoiceNumber: 'Numéro de facture',
  invoiceAmount: 'Total',
  invoiceAmountPaid: 'Payé',
  invoiceBalance: 'Montant dû',
  invoiceItemDescription: 'Description',
  invoiceItemServicePeriod: 'Période de service',
  invoiceItemAmount: 'Montant',
  invoiceBillTo: 'Facturé à',
  invoiceNoItems: 'Aucun montant facturé',
  invoiceStatusDraft: 'Brouillon',
  invoiceStatusVoid: 'Annulée',
  invoiceStatusPaid: 'Payée',
  itemAccountCreditUsed: 'Crédit du compte utilisé',
  itemAccountCreditGenerated: 'Ajouté au crédit du compte',
  itemCredit: 'Crédit',
  itemRepair: 'Ajustement suite à un changement d’abonnement',
  itemAdjustment: 'Ajustement',
  itemExternalCharge: 'Frais',
  itemTax: 'Taxe',
};

const spanish: Texts = {
  invoiceEmailSubject: 'Su factura',
  invoiceTitle: 'Factura',
  invoiceDate: 'Fecha',
  invoiceNumber: 'Número de factura',
  invoiceAmount: 'Total',
  invoiceAmountPaid: 'Pagado',
  invoiceBalance: 'Importe pendiente',
  invoiceItemDescription: 'Descripción',
  invoiceItemServicePeriod: 'Periodo de servicio',
  invoiceItemAmount: 'Importe',
  invoiceBillTo: 'Facturar a',
  invoiceNoItems: 'Sin cargos',
  invoiceStatusDraft: 'Borrador',
  invoiceStatusVoid: 'Anulada',
  invoiceStatusPaid: 'Pagada',
  itemAccountCreditUsed: 'Saldo a favor utilizado',
  itemAccountCreditGenerated: 'Añadido al saldo a favor',
  itemCredit: 'Crédito',
  itemRepair: 'Ajuste por cambio de suscripción',
  itemAdjustment: 'Ajuste',
  itemExternalCharge: 'Cargo',
  itemTax: 'Impuesto',
};

const arabic: Texts = {
  invoiceEmailSubject: 'فاتورتك',
  invoiceTitle: 'فاتورة',
  invoiceDate: 'التاريخ',
  invoiceNumber: 'رقم الفاتورة',
  invoiceAmount: 'الإجمالي',
  invoiceAmountPaid: 'المدفوع',
  invoiceBalance: 'المبلغ المستحق',
  invoiceItemDescription: 'الوصف',
  invoiceItemServicePeriod: 'فترة الخدمة',
  invoiceItemAmount: 'المبلغ',
  invoiceBillTo: 'فاتورة إلى',
  invoiceNoItems: 'لا توجد رسوم',
  invoiceStatusDraft: 'مسودة',
  invoiceStatusVoid: 'ملغاة',
  invoiceStatusPaid: 'مدفوعة',
  itemAccountCreditUsed: 'الرصيد المستخدم من الحساب',
  itemAccountCreditGenerated: 'مضاف إلى رصيد الحساب',
  itemCredit: 'رصيد دائن',
  itemRepair: 'تسوية بسبب تغيير الاشتراك',
  itemAdjustment: 'تسوية',
  itemExternalCharge: 'رسوم',
  itemTax: 'ضريبة',
};

const hebrew: Texts = {
  invoiceEmailSubject: 'החשבונית שלך',
  invoiceTitle: 'חשבונית',
  invoiceDate: 'תאריך',
  invoiceNumber: 'מספר חשבונית',
  invoiceAmount: 'סך הכול',
  invoiceAmountPaid: 'שולם',
  invoiceBalance: 'יתרה לתשלום',
  invoiceItemDescription: 'תיאור',
  invoiceItemServicePeriod: 'תקופת השירות',
  invoiceItemAmount: 'סכום',
  invoiceBillTo: 'לכבוד',
  invoiceNoItems: 'אין חיובים',
  invoiceStatusDraft: 'טיוטה',
  invoiceStatusVoid: 'מבוטלת',
  invoiceStatusPaid: 'שולמה',
  itemAccountCreditUsed: 'יתרת זכות שנוצלה',
  itemAccountCreditGenerated: 'נוסף ליתרת הזכות',
  itemCredit: 'זיכוי',
  itemRepair: 'התאמה עקב שינוי במינוי',
  itemAdjustment: 'התאמה',
  itemExternalCharge: 'חיוב',
  itemTax: 'מס',
};

const japanese: Texts = {
  invoiceEmailSubject: '請求書のお知らせ',
  invoiceTitle: '請求書',
  invoiceDate: '発行日',
  invoiceNumber: '請求書番号',
  invoiceAmount: '合計金額',
  invoiceAmountPaid: '支払済金額',
  invoiceBalance: 'ご請求金額',
  invoiceItemDescription: '内容',
  invoiceItemServicePeriod: 'ご利用期間',
  invoiceItemAmount: '金額',
  invoiceBillTo: '請求先',
  invoiceNoItems: '請求項目はありません',
  invoiceStatusDraft: '下書き',
  invoiceStatusVoid: '無効',
  invoiceStatusPaid: '支払済',
  itemAccountCreditUsed: '残高からの充当',
  itemAccountCreditGenerated: '残高への繰入れ',
  itemCredit: 'クレジット',
  itemRepair: '契約変更による調整',
  itemAdjustment: '調整',
  itemExternalCharge: '料金',
  itemTax: '税',
};

type Texts = Readonly<Record<Exclude<TextKey, OfCompany>, string>>;

/** Texts by language, for documents whose tenant has uploaded none. */
export const builtInTexts: ReadonlyMap<Locale, ReadonlyMap<string, string>> = new Map(
  Object.entries({
    en: english,
    de: german,
    fr: french,
    es: spanish,
    ar: arabic,
    he: hebrew,
    ja: japanese,
  }).map(([language, texts]) => [language as Locale, new Map(Object.entries(texts))]),
);
