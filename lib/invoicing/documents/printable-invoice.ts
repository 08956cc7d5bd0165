import type { PrintableDocument, PrintableLine } from '../../ports/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { RenderedInvoice } from './rendered-invoice.ts';
import type { RenderedLine } from './rendered-lines.ts';

/** Returns the printed invoice (§14 rule 6), with the content of the built-in page. */
export function printableInvoice(view: RenderedInvoice, createdDate: Instant): PrintableDocument {
  const { text, status, invoice, paymentDetails } = view;
  return {
    ...printableFrame(view, createdDate),
    title: `${text('invoiceTitle')} ${view.formattedInvoiceNumber}`,
    heading: text('invoiceTitle'),
    status: status === null ? null : { text: text(statusTexts[status]), isGood: status === 'PAID' },
    facts: view.headFacts,
    lines: view.pageLines.map((line) => printableLine(line, view.taxColumn !== null)),
    totals: view.totals,
    isLastTotalStressed: view.creditNote !== null || invoice.status === 'COMMITTED',
    payment: paymentDetails.length === 0 ? null : { heading: text('paymentTitle'), facts: paymentDetails },
    notes: notesOf(view),
  };
}

function notesOf(view: RenderedInvoice): readonly string[] {
  const { text, facts, invoice, creditNote, isManualPay, isPaidByParent } = view;
  const isOwed = creditNote === null && isManualPay && invoice.balance.greaterThan(0);
  const instructions = isOwed && !isPaidByParent ? text('invoicePaymentInstructions') : null;
  const notes = [isPaidByParent ? text('paymentByParent') : null, instructions, facts.note, facts.sellerNote];
  return notes.filter((note) => note !== null && note !== '') as readonly string[];
}

const statusTexts = {
  DRAFT: 'invoiceStatusDraft',
  VOID: 'invoiceStatusVoid',
  PAID: 'invoiceStatusPaid',
} as const;

/** The language, sender and receiver. They are the same on all documents of an account. */
type Frame = Pick<
  PrintableDocument,
  | 'author'
  | 'createdDate'
  | 'language'
  | 'direction'
  | 'paper'
  | 'accent'
  | 'logo'
  | 'sender'
  | 'addressee'
  | 'columns'
  | 'noLines'
  | 'footer'
>;

function printableFrame(view: RenderedInvoice, createdDate: Instant): Frame {
  const { text, addressee, formattedTaxId, account, seller } = view;
  const receiver = formattedTaxId === null ? addressee : [...addressee, formattedTaxId];
  const logo = seller?.seller.logo ?? null;
  const sender = senderOf(view);
  return {
    author: sender[0] ?? null,
    createdDate: new Date(createdDate),
    language: view.language,
    direction: view.direction,
    paper: paperOf(account.country),
    accent: seller?.accent ?? null,
    logo: logo === null ? null : { ...logo, alt: sender[0] ?? '' },
    sender,
    addressee: receiver.length === 0 ? null : { label: text('invoiceBillTo'), lines: receiver },
    columns: {
      name: text('invoiceItemDescription'),
      period: text('invoiceItemServicePeriod'),
      tax: view.taxColumn,
      amount: text('invoiceItemAmount'),
    },
    noLines: text('invoiceNoItems'),
    footer: textOrNull(text('invoiceFooter')),
  };
}

/** Returns the sender. The sender is empty if there is no seller and no company name, as on the HTML page. */
function senderOf({ seller, text }: Pick<RenderedInvoice, 'seller' | 'text'>): readonly string[] {
  if (seller !== null) return [seller.seller.name, ...seller.lines];
  const name = text('companyName');
  if (name === '') return [];
  const address = (['companyAddress', 'companyCityProvincePostalCode', 'companyCountry'] as const).map(text);
  return [name, ...address.filter((line) => line !== '')];
}

function printableLine(line: RenderedLine, hasTaxColumn: boolean): PrintableLine {
  return {
    name: line.name,
    detail: line.detail,
    period: line.formattedPeriod,
    amount: line.formattedAmount,
    tax: hasTaxColumn ? line.formattedTaxRate : null,
    notes: line.notes,
  };
}

function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}

/** Countries that use Letter paper. Other countries use A4. */
const letter = new Set([
  ...['US', 'CA', 'MX', 'PR', 'GU', 'VI', 'AS', 'MP', 'UM'],
  ...['CO', 'VE', 'CL', 'CR', 'GT', 'SV', 'NI', 'PA', 'DO', 'PH', 'BZ'],
]);

/** Returns the paper size for an account's country (§14 rule 6). */
function paperOf(country: string | null): 'A4' | 'LETTER' {
  return letter.has((country ?? '').toUpperCase()) ? 'LETTER' : 'A4';
}
