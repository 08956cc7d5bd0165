import type { OverdueStateView } from '../../../lib/overdue/index.ts';
import { field, maybe, model } from '../wire/model.ts';
import { bool, date, int, text } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';

const onlyD = { onlyD: true } as const;
/** Options of fields that are present only if the request has a day. */
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
