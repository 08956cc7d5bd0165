import { CancellationPolicy, controlTagNames, type OverdueStateView } from '../../../lib/overdue/index.ts';
import { PaymentResponse } from '../../../lib/records/index.ts';
import { field, maybe, model, modelWith } from '../wire/model.ts';
import { bool, date, decimalNumber, enumeration, int, text } from '../wire/scalars.ts';
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

/** An overdue configuration (overdue §1.4). The engine parses the request and reports the positions of errors. */
export const Overdue = model('Overdue', {
  initialReevaluationInterval: field(int(), 'W', { nullable: true }),
  overdueStates: field(listOf(OverdueStateConfig), 'W', { required: true }),
});

const onlyD = { onlyD: true } as const;
/** Options of fields that appear only if the request contains a day. */
const ofDay = { onlyD: true, absentable: true } as const;

const stateFields = {
  name: text(),
  externalMessage: text(),
  // http-api §4 line 9.
  daysBetweenPaymentRetries: field(listOf(int()), 'R', onlyD),
  isDisableEntitlementAndChangesBlocked: bool,
  isBlockChanges: bool,
  isClearState: bool,
  reevaluationIntervalDays: maybe(int()),
} satisfies Record<keyof OverdueStateView, unknown>;

const OverdueStep = model('OverdueStep', { date, ...stateFields });

const OverdueCriterionReason = model('OverdueCriterionReason', {
  kind: text(),
  holds: bool,
  text: text(),
});

const OverdueReason = model('OverdueReason', {
  state: text(),
  holds: bool,
  text: text(),
  criteria: listOf(OverdueCriterionReason),
});

/** See overdue §10. */
export const OverdueState = model('OverdueState', {
  ...stateFields,
  asOf: field(date, 'R', ofDay),
  isExempt: field(bool, 'R', ofDay),
  steps: field(listOf(OverdueStep), 'R', ofDay),
  reasons: field(listOf(OverdueReason), 'R', ofDay),
});
