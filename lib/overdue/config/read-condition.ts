import { PaymentResponse } from '../../records/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Findings } from './findings.ts';
import type { Reading } from './form.ts';
import { controlTagNames, type OverdueCondition } from './overdue-config.ts';
import { oneOf, readDuration } from './read-values.ts';
import type { WrittenRecord, WrittenValue } from './written.ts';

/** A condition, and where its time criterion stands. */
export interface ReadCondition {
  readonly condition: OverdueCondition | null;
  readonly timeAt: number | null;
  /** Whether it is there and nobody has written a criterion; false for one that cannot be read, which is reported. */
  readonly isEmpty: boolean;
}

/** A condition that is there but cannot be read asks for nothing, so that it is not reported as missing too. */
export function readCondition(part: WrittenValue | undefined, reading: Reading): ReadCondition {
  if (part === undefined) return { condition: null, timeAt: null, isEmpty: false };
  const criteria = part.record();
  return criteria === undefined
    ? { condition: noCriteria, timeAt: null, isEmpty: false }
    : readCriteria(criteria, reading);
}

const noCriteria: OverdueCondition = {
  unpaidFor: null,
  unpaidCount: null,
  unpaidTotal: null,
  responses: null,
  tagCarried: null,
  tagMissing: null,
};

function readCriteria(record: WrittenRecord, { form, findings }: Reading): ReadCondition {
  const before = findings.count;
  const time = record.take('timeSinceEarliestUnpaidInvoiceEqualsOrExceeds');
  const count = record.take('numberOfUnpaidInvoicesEqualsOrExceeds');
  const total = record.take('totalUnpaidInvoiceBalanceEqualsOrExceeds');
  const responses = record.take(form.responses);
  const condition: OverdueCondition = {
    unpaidFor: time === undefined ? null : (readDuration(time, findings, form.leastTime) ?? null),
    unpaidCount: notNegative(count, count?.wholeNumber(), findings),
    unpaidTotal: notNegative(total, total?.amount(), findings),
    responses: responses === undefined ? null : readResponses(responses.items('response'), findings),
    tagCarried: oneOf(record.take('controlTagInclusion'), controlTagNames, findings) ?? null,
    tagMissing: oneOf(record.take('controlTagExclusion'), controlTagNames, findings) ?? null,
  };
  record.refuseOthers();
  // What is wrong with a condition is said, and not that it asks for nothing either.
  const isEmpty = Object.values(condition).every((each) => each === null) && findings.count === before;
  return { condition, timeAt: time?.at ?? null, isEmpty };
}

/** An empty list asks for nothing (§1.1 rule 3). */
function readResponses(
  items: readonly WrittenValue[],
  findings: Findings,
): readonly PaymentResponse[] | null {
  const known = Object.values(PaymentResponse);
  return items.length === 0 ? null : items.flatMap((item) => oneOf(item, known, findings) ?? []);
}

function notNegative<T extends number | Decimal>(
  written: WrittenValue | undefined,
  value: T | undefined,
  findings: Findings,
): T | null {
  if (written === undefined || value === undefined) return null;
  const isNegative = typeof value === 'number' ? value < 0 : value.lessThan(0);
  if (!isNegative) return value;
  findings.add(written.at, `${written.label}: ${value} is negative`);
  return null;
}
