import type { OverdueCondition } from '../../../lib/overdue/config/overdue-config.ts';
import type { BillingSnapshot, UnpaidInvoice } from '../../../lib/overdue/evaluation/evaluate.ts';
import { billingSnapshot, type OverdueConfig, type OverdueState } from '../../../lib/overdue/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { type Duration, parseLocalDate, type TimeUnit } from '../../../lib/values/time/index.ts';

/** `30 DAYS`, `1 MONTHS`. */
export function duration(text: string): Duration {
  const [number, unit] = text.split(' ');
  return { unit: unit as TimeUnit, number: Number(number) };
}

export function condition(members: Partial<OverdueCondition> = {}): OverdueCondition {
  return {
    unpaidFor: null,
    unpaidCount: null,
    unpaidTotal: null,
    responses: null,
    tagCarried: null,
    tagMissing: null,
    ...members,
  };
}

export function state(name: string, members: Partial<OverdueState> = {}): OverdueState {
  return {
    name,
    isClearState: false,
    condition: condition(),
    externalMessage: '',
    blockChanges: false,
    disableEntitlement: false,
    cancellationPolicy: 'NONE',
    reevaluationInterval: null,
    ...members,
  };
}

/** A state that begins this many days after the anchor. */
export function stateAt(days: number, name: string, members: Partial<OverdueState> = {}): OverdueState {
  return state(name, { condition: condition({ unpaidFor: duration(`${days} DAYS`) }), ...members });
}

/** Each interval in days; null = none. */
export function config(states: readonly OverdueState[], initial: number | null = null): OverdueConfig {
  return { initialReevaluationInterval: initial === null ? null : duration(`${initial} DAYS`), states };
}

const off = { disableEntitlement: true } as const;
const auto = (days: number) => ({ reevaluationInterval: duration(`${days} DAYS`) });

/** The configurations of the worked examples (overdue §12). */
export const configA = config(
  [
    stateAt(50, 'OD3', off),
    stateAt(40, 'OD2', { ...off, ...auto(10) }),
    stateAt(30, 'OD1', { blockChanges: true, ...auto(10) }),
  ],
  30,
);
export const configC = config(
  [
    stateAt(11, 'CANCELLATION', { cancellationPolicy: 'IMMEDIATE' }),
    stateAt(7, 'BLOCKED', { ...off, ...auto(4) }),
    stateAt(5, 'WARNING', { blockChanges: true, ...auto(2) }),
  ],
  5,
);

/** `2012-05-31 249.95`, with the commit date after `committed` and the target date after `for`. */
export function owed(...texts: readonly string[]): readonly UnpaidInvoice[] {
  return texts.map((text, index) => {
    const [date, balance, ...more] = text.split(' ');
    const after = (word: string) => {
      const at = more.indexOf(word);
      return at < 0 ? null : parseLocalDate(more[at + 1] ?? '');
    };
    return {
      invoiceId: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}` as Uuid,
      invoiceDate: parseLocalDate(date ?? ''),
      commitDate: after('committed'),
      targetDate: after('for'),
      balance: decimal(balance ?? ''),
    };
  });
}

/** A debt on a date, with default facts. */
export function snapshotOf(
  today: string,
  invoices: readonly UnpaidInvoice[],
  facts: Partial<Pick<BillingSnapshot, 'lastPaymentResponse' | 'tags'>> = {},
): BillingSnapshot {
  return billingSnapshot(invoices, {
    lastPaymentResponse: 'OTHER',
    tags: new Set(),
    ...facts,
    today: parseLocalDate(today),
  });
}
