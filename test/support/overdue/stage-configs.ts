import type { NewOverdueDefinition, NewOverdueState } from '../../../lib/index.ts';

export function afterDays(name: string, days: number, more: Partial<NewOverdueState> = {}): NewOverdueState {
  return {
    name,
    condition: { timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit: 'DAYS', number: days } },
    ...more,
  };
}

const disable = { isDisableEntitlement: true };
const block = { isBlockChanges: true };

/** The configurations of the examples of overdue §12. */
export const exampleConfigs: Readonly<Record<'A' | 'B' | 'C' | 'D', NewOverdueDefinition>> = {
  A: {
    initialReevaluationInterval: 30,
    overdueStates: [
      afterDays('OD3', 50, disable),
      afterDays('OD2', 40, { ...disable, autoReevaluationIntervalDays: 10 }),
      afterDays('OD1', 30, { ...block, autoReevaluationIntervalDays: 10 }),
    ],
  },
  B: {
    initialReevaluationInterval: 5,
    overdueStates: [afterDays('OD1', 5, { ...block, autoReevaluationIntervalDays: 5 })],
  },
  C: {
    initialReevaluationInterval: 5,
    overdueStates: [
      afterDays('CANCELLATION', 11, { subscriptionCancellationPolicy: 'IMMEDIATE' }),
      afterDays('BLOCKED', 7, { ...disable, autoReevaluationIntervalDays: 4 }),
      afterDays('WARNING', 5, { ...block, autoReevaluationIntervalDays: 2 }),
    ],
  },
  D: {
    initialReevaluationInterval: 10,
    overdueStates: [
      afterDays('OD3', 26, disable),
      afterDays('OD2', 18, { ...disable, autoReevaluationIntervalDays: 8 }),
      afterDays('OD1', 10, { ...block, autoReevaluationIntervalDays: 8 }),
    ],
  },
};
