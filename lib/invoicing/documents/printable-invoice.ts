import type { PrintableDocument, PrintableLine } from '../../ports/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { RenderedInvoice, RenderedLine } from './rendered-invoice.ts';

/** Returns the printed invoice (§14 rule 6), as on the built-in page. */
export function printableInvoice(view: RenderedInvoice, createdDate: Instant): PrintableDocument {
  const { text, status, invoice } = view;
  return {
    ...printableFrame(view, createdDate),
    title: `${text('invoiceTitle')} ${view.formattedInvoiceNumber}`,
    heading: text('invoiceTitle'),
    status: status === null ? null : { text: text(statusTexts[status]), isGood: status === 'PAID' },
    facts: [
      { label: text('invoiceNumber'), value: view.formattedInvoiceNumber },
      { label: text('invoiceDate'), value: view.formattedInvoiceDate },
      ...(view.creditNote === null
        ? []
        : [{ label: text('creditNoteInvoice'), value: view.creditNote.formattedInvoiceNumber }]),
    ],
    lines: view.totalledLines.map(printableLine),
    totals: totalsOf(view),
    isLastTotalStressed: view.creditNote !== null || invoice.status === 'COMMITTED',
    note:
      view.creditNote === null && view.isManualPay && invoice.balance.greaterThan(0)
        ? textOrNull(text('invoicePaymentInstructions'))
        : null,
  };
}

const statusTexts = {
  DRAFT: 'invoiceStatusDraft',
  VOID: 'invoiceStatusVoid',
  PAID: 'invoiceStatusPaid',
} as const;

/** Language, sender and receiver, the same on all documents of an account. */
type Frame = Omit<
  PrintableDocument,
  'title' | 'heading' | 'status' | 'facts' | 'lines' | 'totals' | 'isLastTotalStressed' | 'note'
>;

type Framed = Pick<RenderedInvoice, 'text' | 'language' | 'direction' | 'account' | 'addressee'>;

function printableFrame(view: Framed, createdDate: Instant): Frame {
  const { text, addressee, account } = view;
  return {
    author: textOrNull(text('companyName')),
    createdDate: new Date(createdDate),
    language: view.language,
    direction: view.direction,
    paper: paperOf(account.country),
    sender: senderOf(view),
    addressee: addressee.length === 0 ? null : { label: text('invoiceBillTo'), lines: addressee },
    columns: {
      name: text('invoiceItemDescription'),
      period: text('invoiceItemServicePeriod'),
      amount: text('invoiceItemAmount'),
    },
    noLines: text('invoiceNoItems'),
    footer: textOrNull(text('invoiceFooter')),
  };
}

/** Returns the sender; empty if there is no company name, as on the HTML page. */
function senderOf({ text }: Pick<RenderedInvoice, 'text'>) {
  const name = text('companyName');
  if (name === '') return [];
  const address = (['companyAddress', 'companyCityProvincePostalCode', 'companyCountry'] as const).map(text);
  return [name, ...address.filter((line) => line !== '')];
}

function printableLine(line: RenderedLine): PrintableLine {
  return {
    name: line.name,
    detail: line.detail,
    period: line.formattedPeriod,
    amount: line.formattedAmount,
  };
}

function totalsOf(view: RenderedInvoice) {
  const { text, accountCredit, paidAmount, invoice } = view;
  const totals = [{ label: text('invoiceAmount'), value: view.formattedTotal }];
  if (accountCredit !== null)
    totals.push({ label: accountCredit.name, value: accountCredit.formattedAmount });
  if (view.creditNote !== null || invoice.status !== 'COMMITTED') return totals;
  if (!paidAmount.isZero())
    totals.push({ label: text('invoiceAmountPaid'), value: view.formattedPaidAmount });
  totals.push({ label: text('invoiceBalance'), value: view.formattedBalance });
  return totals;
}

function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}

/** Where paper is Letter; elsewhere it is A4. */
const letter = new Set([
  ...['US', 'CA', 'MX', 'PR', 'GU', 'VI', 'AS', 'MP', 'UM'],
  ...['CO', 'VE', 'CL', 'CR', 'GT', 'SV', 'NI', 'PA', 'DO', 'PH', 'BZ'],
]);

/** Returns the size of paper of an account's country (§14 rule 6). */
function paperOf(country: string | null): 'A4' | 'LETTER' {
  return letter.has((country ?? '').toUpperCase()) ? 'LETTER' : 'A4';
}
