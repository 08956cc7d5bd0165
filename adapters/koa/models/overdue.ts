import { CancellationPolicy, controlTagNames } from '../../../lib/overdue/index.ts';
import { PaymentResponse } from '../../../lib/records/index.ts';
import { field, model } from '../wire/model.ts';
import { bool, decimalNumber, enumeration, int, text } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';
import { Duration } from './duration.ts';

const maybe = { nullable: true } as const;
const ControlTag = enumeration(Object.fromEntries(controlTagNames.map((name) => [name, name])));

const OverdueCondition = model('OverdueCondition', {
  timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: field(Duration, 'W', maybe),
  controlTagInclusion: field(ControlTag, 'W', maybe),
  controlTagExclusion: field(ControlTag, 'W', maybe),
  numberOfUnpaidInvoicesEqualsOrExceeds: field(int({ minimum: 0 }), 'W', maybe),
  responseForLastFailedPayment: field(listOf(enumeration(PaymentResponse)), 'W', maybe),
  totalUnpaidInvoiceBalanceEqualsOrExceeds: field(decimalNumber, 'W', maybe),
});

const OverdueStateConfig = model('OverdueStateConfig', {
  name: field(text(50), 'W', { required: true }),
  isClearState: field(bool, 'W'),
  condition: field(OverdueCondition, 'W', maybe),
  externalMessage: field(text(), 'W'),
  isBlockChanges: field(bool, 'W'),
  isDisableEntitlement: field(bool, 'W'),
  subscriptionCancellationPolicy: field(enumeration(CancellationPolicy), 'W'),
  autoReevaluationIntervalDays: field(int(), 'W', maybe),
});

/** The configuration as JSON (overdue §1.4). Requests are read by the engine, which tells where each error stands. */
export const Overdue = model('Overdue', {
  initialReevaluationInterval: field(int(), 'W', maybe),
  overdueStates: field(listOf(OverdueStateConfig), 'W', { required: true }),
});
