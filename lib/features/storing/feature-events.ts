import { type Account, BusEventType, type NewBusEvent } from '../../records/index.ts';
import { type Decimal, formatDecimal } from '../../values/money/index.ts';
import { formatInstant, formatLocalDate } from '../../values/time/index.ts';
import type { CountedSource } from '../evaluation/quota-draws.ts';

interface ThresholdReached {
  readonly feature: string;
  readonly source: CountedSource;
  readonly used: Decimal;
  readonly percent: number;
}

/** Returns the event that reports that a counter has reached a threshold (§5). */
export function quotaThresholdEvent(
  { id: accountId, recordId: accountRecordId }: Pick<Account, 'id' | 'recordId'>,
  { feature, source, used, percent }: ThresholdReached,
): NewBusEvent {
  const { subscriptionId, amount, quota } = source;
  const metaData = {
    feature,
    subscriptionId,
    threshold: percent,
    used: formatDecimal(used),
    amount: formatDecimal(amount),
    periodStart: formatLocalDate(quota.span.start),
    resetsAt: quota.resetsAt === null ? null : formatInstant(quota.resetsAt),
  };
  return { type: BusEventType.QUOTA_THRESHOLD, accountRecordId, payload: { accountId, metaData } };
}

/** Returns the event that reports a changed value of a feature (§5). */
export function featureChangeEvent(
  { id: accountId, recordId: accountRecordId }: Pick<Account, 'id' | 'recordId'>,
  change: { readonly feature: string; readonly from: string | null; readonly to: string | null },
): NewBusEvent {
  return { type: BusEventType.FEATURE_CHANGE, accountRecordId, payload: { accountId, metaData: change } };
}
