import { CancellationPolicy, controlTagNames } from '../../../lib/overdue/index.ts';
import { PaymentResponse } from '../../../lib/records/index.ts';
import { field, model, modelWith } from '../wire/model.ts';
import { bool, decimalNumber, enumeration, int, text } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';
import { Duration } from './duration.ts';

const ControlTag = enumeration(controlTagNames);

const OverdueCondition = model('OverdueCondition', {
  timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: field(Duration, 'W', { nullable: true }),
  controlTagInclusion: field(ControlTag, 'W', { nullable: true }),
  controlTagExclusion: field(ControlTag, 'W', { nullable: true }),
  numberOfUnpaidInvoicesEqualsOrExceeds: field(int({ minimum: 0 }), 'W', { nullable: true }),
  responseForLastFailedPayment: field(listOf(enumeration(PaymentResponse)), 'W', { nullable: true }),
  totalUnpaidInvoiceBalanceEqualsOrExceeds: field(decimalNumber, 'W', { nullable: true }),
});

const OverdueStateConfig = modelWith('W', 'OverdueStateConfig', {
  name: field(text(50), 'W', { required: true }),
  isClearState: bool,
  condition: field(OverdueCondition, 'W', { nullable: true }),
  externalMessage: text(),
  isBlockChanges: bool,
  isDisableEntitlement: bool,
  subscriptionCancellationPolicy: enumeration(CancellationPolicy),
  autoReevaluationIntervalDays: field(int(), 'W', { nullable: true }),
});

/** An overdue configuration (overdue §1.4). The engine reads requests and reports the positions of errors. */
export const Overdue = model('Overdue', {
  initialReevaluationInterval: field(int(), 'W', { nullable: true }),
  overdueStates: field(listOf(OverdueStateConfig), 'W', { required: true }),
});
