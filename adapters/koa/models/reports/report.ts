import { PaymentResponse, TransactionStatus, TransactionType } from '../../../../lib/records/index.ts';
import { FoundKind } from '../../../../lib/reports/index.ts';
import { alike, maybe, model } from '../../wire/model.ts';
import {
  bool,
  currency,
  decimalNumber,
  enumeration,
  int,
  text,
  timestamp,
  uuid,
} from '../../wire/scalars.ts';
import { listOf } from '../../wire/wire-type.ts';

const MonthFigures = model('MonthFigures', {
  currency,
  invoiced: decimalNumber,
  invoiceCount: int(),
  collected: decimalNumber,
  failedCount: int(),
  failedAmount: decimalNumber,
  recoveredCount: int(),
  recoveredAmount: decimalNumber,
});

const kept = { countedAt: maybe(timestamp), isCounting: bool } as const;

const ReportedMonth = model('ReportedMonth', { month: text(), ...kept, currencies: listOf(MonthFigures) });

/** See json-models §10.2. */
export const MonthsReport = model('MonthsReport', { isComplete: bool, months: listOf(ReportedMonth) });

const PlanFigures = model('PlanFigures', { planName: text(), ...alike(int(), 'subscriptions', 'quantity') });

export const SubscriptionsReport = model('SubscriptionsReport', { ...kept, plans: listOf(PlanFigures) });

const OverdueStateCount = model('OverdueStateCount', { name: text(), accounts: int() });

export const OverdueReport = model('OverdueReport', { states: listOf(OverdueStateCount) });

export const OverdueAccount = model('OverdueAccount', {
  accountId: uuid,
  externalKey: text(),
  ...alike(maybe(text()), 'name', 'email'),
  state: text(),
});

export const FailedPayment = model('FailedPayment', {
  ...alike(uuid, 'paymentId', 'transactionId'),
  transactionType: enumeration(TransactionType),
  status: enumeration(TransactionStatus),
  date: timestamp,
  accountId: uuid,
  accountKey: text(),
  accountName: maybe(text()),
  invoiceId: maybe(uuid),
  amount: maybe(decimalNumber),
  currency: maybe(currency),
  ...alike(maybe(text()), 'gatewayErrorCode', 'gatewayErrorMsg'),
  paymentResponse: maybe(enumeration(PaymentResponse)),
  isRecovered: bool,
});

export const FoundObject = model('FoundObject', {
  kind: enumeration(FoundKind),
  id: uuid,
  title: text(),
  accountId: uuid,
  accountName: maybe(text()),
  detail: text(),
});
