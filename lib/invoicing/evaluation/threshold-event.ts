import {
  type Account,
  BusEventType,
  type NewBusEvent,
  ThresholdMeasure,
  type ToldThreshold,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { formatLocalDate, type Instant } from '../../values/time/index.ts';
import type { ThresholdReached } from './thresholds-reached.ts';

/** USAGE_THRESHOLD (usage §12.1). */
export function thresholdEvent(
  { usageName, measure, measured, bound, reached, startDate, endDate }: ThresholdReached,
  { account, subscriptionId }: { readonly account: Account; readonly subscriptionId: Uuid },
): NewBusEvent {
  const isQuantity = measure === ThresholdMeasure.QUANTITY;
  const metaData = {
    usageName,
    unitType: isQuantity ? measured : null,
    currency: isQuantity ? null : measured,
    threshold: bound,
    reached,
    startDate: formatLocalDate(startDate),
    endDate: formatLocalDate(endDate),
  };
  return {
    type: BusEventType.USAGE_THRESHOLD,
    accountRecordId: account.recordId,
    payload: { accountId: account.id, subscriptionId, metaData },
  };
}

/** What is kept of it, so that it is told once. */
export function toldThreshold(
  { usageName, start, measure, measured, bound, overAt }: ThresholdReached,
  { subscriptionRecordId, now }: { readonly subscriptionRecordId: number; readonly now: Instant },
): ToldThreshold {
  return { subscriptionRecordId, usageName, start, measure, measured, bound, overAt, createdDate: now };
}
