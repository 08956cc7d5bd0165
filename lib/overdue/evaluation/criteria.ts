import type { PaymentResponse } from '../../records/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import { type Duration, durationEnd, type LocalDate } from '../../values/time/index.ts';
import type { OverdueCondition } from '../config/overdue-config.ts';
import type { BillingSnapshot } from './billing-snapshot.ts';

/** One thing that a condition asks for (§1.1). */
export type Criterion =
  | { readonly kind: 'TIME'; readonly duration: Duration }
  | { readonly kind: 'COUNT'; readonly count: number }
  | { readonly kind: 'TOTAL'; readonly total: Decimal }
  | { readonly kind: 'RESPONSE'; readonly responses: readonly PaymentResponse[] }
  | { readonly kind: 'TAG_CARRIED'; readonly tag: string }
  | { readonly kind: 'TAG_MISSING'; readonly tag: string };

/** The criteria that a condition gives, in the order of §1.1. */
export function criteriaOf(condition: OverdueCondition): readonly Criterion[] {
  const { unpaidFor, unpaidCount, unpaidTotal, responses, tagCarried, tagMissing } = condition;
  const criteria: Criterion[] = [];
  if (unpaidFor !== null) criteria.push({ kind: 'TIME', duration: unpaidFor });
  if (unpaidCount !== null) criteria.push({ kind: 'COUNT', count: unpaidCount });
  if (unpaidTotal !== null) criteria.push({ kind: 'TOTAL', total: unpaidTotal });
  if (responses !== null) criteria.push({ kind: 'RESPONSE', responses });
  if (tagCarried !== null) criteria.push({ kind: 'TAG_CARRIED', tag: tagCarried });
  if (tagMissing !== null) criteria.push({ kind: 'TAG_MISSING', tag: tagMissing });
  return criteria;
}

/** Whether the criterion holds for what is owed today. */
export function criterionHolds(criterion: Criterion, snapshot: BillingSnapshot, today: LocalDate): boolean {
  switch (criterion.kind) {
    case 'TIME': {
      const reached = thresholdDate(snapshot.anchor, criterion.duration);
      return reached !== null && reached <= today;
    }
    case 'COUNT':
      return snapshot.unpaidCount >= criterion.count;
    case 'TOTAL':
      return snapshot.unpaidTotal.greaterThanOrEqualTo(criterion.total);
    case 'RESPONSE':
      return (
        snapshot.lastPaymentResponse !== null && criterion.responses.includes(snapshot.lastPaymentResponse)
      );
    case 'TAG_CARRIED':
      return snapshot.tags.has(criterion.tag);
    case 'TAG_MISSING':
      return !snapshot.tags.has(criterion.tag);
  }
}

/** The date on which a time criterion begins to hold; null: never, as nothing is unpaid or the time has no end. */
export function thresholdDate(anchor: LocalDate | null, duration: Duration): LocalDate | null {
  return anchor === null ? null : (durationEnd(anchor, duration) ?? null);
}
