import type { OverdueStateView } from '../../../lib/overdue/index.ts';
import { type Field, field, model } from '../wire/model.ts';
import { bool, date, int, text } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';

const onlyD = { onlyD: true } as const;
/** Of a day that is asked for: it is in no other answer. */
const ofDay = { onlyD: true, absentable: true } as const;

const stateFields = {
  name: field(text(), 'R'),
  externalMessage: field(text(), 'R'),
  // http-api §4 line 9.
  daysBetweenPaymentRetries: field(listOf(int()), 'R', onlyD),
  isDisableEntitlementAndChangesBlocked: field(bool, 'R'),
  isBlockChanges: field(bool, 'R'),
  isClearState: field(bool, 'R'),
  reevaluationIntervalDays: field(int(), 'R', { nullable: true }),
} satisfies Record<keyof OverdueStateView, Field>;

const OverdueStep = model('OverdueStep', { date: field(date, 'R'), ...stateFields });

const OverdueCriterionReason = model('OverdueCriterionReason', {
  kind: field(text(), 'R'),
  holds: field(bool, 'R'),
  text: field(text(), 'R'),
});

const OverdueReason = model('OverdueReason', {
  state: field(text(), 'R'),
  holds: field(bool, 'R'),
  text: field(text(), 'R'),
  criteria: field(listOf(OverdueCriterionReason), 'R'),
});

/** The state of an account (overdue §10); with a day that was asked for, what leads to it. */
export const OverdueState = model('OverdueState', {
  ...stateFields,
  asOf: field(date, 'R', ofDay),
  isExempt: field(bool, 'R', ofDay),
  steps: field(listOf(OverdueStep), 'R', ofDay),
  reasons: field(listOf(OverdueReason), 'R', ofDay),
});
