import type {
  Invoice,
  InvoicePayment,
  PaymentAttempt,
  PaymentMethod,
  PaymentTransaction,
} from '../../../lib/records/index.ts';
import { createUuidV7, type Uuid } from '../../../lib/values/ids/index.ts';
import { decimal, ZERO } from '../../../lib/values/money/index.ts';
import { type Instant, localDate, parseWireInstant } from '../../../lib/values/time/index.ts';

/** Records for unit tests: one account and one invoice of 249.95 USD, each with overrides. */

let systemMs = 1_335_830_622_000;
const generator = createUuidV7({ now: () => systemMs++, randomBytes: (length) => new Uint8Array(length) });

export const nextId = (): Uuid => generator.next();
export function at(text: string): Instant {
  const found = parseWireInstant(text);
  if (found === undefined) throw new Error(`${text} is not an instant`);
  return found;
}

export const NOW = at('2012-05-31T00:03:42Z');
export const ACCOUNT_ID = nextId();
export const INVOICE_ID = nextId();
export const PAYMENT_ID = nextId();

export function transaction(members: Partial<PaymentTransaction> = {}): PaymentTransaction {
  const id = nextId();
  return {
    recordId: 1,
    id,
    paymentId: PAYMENT_ID,
    accountRecordId: 1,
    attemptId: null,
    externalKey: id,
    transactionType: 'PURCHASE',
    effectiveDate: NOW,
    status: 'SUCCESS',
    amount: decimal('249.95'),
    currency: 'USD',
    processedAmount: members.amount ?? decimal('249.95'),
    processedCurrency: members.currency ?? 'USD',
    gatewayErrorCode: null,
    gatewayErrorMsg: null,
    paymentResponse: null,
    invoiceRefund: null,
    leaseUntil: null,
    createdDate: NOW,
    ...members,
  };
}

export function invoice(members: Partial<Invoice> = {}): Invoice {
  const day = localDate(2012, 5, 31);
  return {
    recordId: 1,
    id: INVOICE_ID,
    accountId: ACCOUNT_ID,
    accountRecordId: 1,
    invoiceNumber: 1,
    invoiceDate: day,
    targetDate: day,
    commitDate: day,
    issuedDate: NOW,
    note: null,
    currency: 'USD',
    status: 'COMMITTED',
    isMigration: false,
    isWrittenOff: false,
    isParentInvoice: false,
    parentInvoiceId: null,
    parentAccountId: null,
    contributedAmount: null,
    groupId: INVOICE_ID,
    createdDate: NOW,
    amount: decimal('249.95'),
    creditAdj: ZERO,
    refundAdj: ZERO,
    rawBalance: decimal('249.95'),
    ...members,
  };
}

export function attemptRow(members: Partial<InvoicePayment> = {}): InvoicePayment {
  return {
    recordId: 1,
    id: nextId(),
    accountRecordId: 1,
    invoiceId: INVOICE_ID,
    type: 'ATTEMPT',
    status: 'INIT',
    paymentId: PAYMENT_ID,
    paymentDate: NOW,
    amount: ZERO,
    currency: 'USD',
    processedCurrency: 'USD',
    transactionExternalKey: 'K',
    linkedInvoicePaymentId: null,
    createdDate: NOW,
    ...members,
  };
}

export function method(members: Partial<PaymentMethod> = {}): PaymentMethod {
  const id = nextId();
  return {
    recordId: 1,
    id,
    externalKey: id,
    accountId: ACCOUNT_ID,
    accountRecordId: 1,
    pluginName: 'sandbox',
    isActive: true,
    createdDate: NOW,
    ...members,
  };
}

export function attempt(members: Partial<PaymentAttempt> = {}): PaymentAttempt {
  return {
    recordId: 1,
    id: nextId(),
    accountId: ACCOUNT_ID,
    accountRecordId: 1,
    paymentMethodId: null,
    paymentExternalKey: PAYMENT_ID,
    transactionId: null,
    transactionExternalKey: 'K',
    transactionType: 'PURCHASE',
    stateName: 'INIT',
    amount: decimal('249.95'),
    currency: 'USD',
    pluginNames: ['__INVOICE_PAYMENT_CONTROL_PLUGIN__'],
    pluginProperties: null,
    isApiPayment: false,
    createdDate: NOW,
    ...members,
  };
}
