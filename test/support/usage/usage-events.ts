import type { BillingEvent, BillingTransitionType, UsageSection } from '../../../lib/records/index.ts';
import { localDateOf, startOfDay, type TimeZone, timeZone } from '../../../lib/values/time/index.ts';
import { day, type EventFields, event } from '../invoicing/billing-events.ts';
import { at } from './sections.ts';

export const UTC_ZONE: TimeZone = timeZone('UTC');

export interface UsageEventFields extends EventFields {
  readonly usages?: readonly UsageSection[];
  readonly zone?: TimeZone;
}

/** A billing event on a date, at the start of that day, or at an instant. */
export function usageEvent(
  type: BillingTransitionType,
  when: string,
  { usages = [], zone = UTC_ZONE, ...fields }: UsageEventFields = {},
): BillingEvent {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(when);
  const effectiveDate = isDate ? startOfDay(day(when), zone) : at(when);
  const localDate = isDate ? day(when) : localDateOf(effectiveDate, zone);
  return { ...event(type, localDate, fields), effectiveDate, localDate, usages };
}
