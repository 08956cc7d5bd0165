import { BillingError, formatDecimal } from '../../../lib/index.ts';
import { dayOf } from '../coupon-lives/calendar.ts';
import { shownBalance } from './observations.ts';
import type { ModelConsumption } from './quota-model.ts';
import type { Ends, Moment } from './timeline.ts';
import type { Ms } from './zones.ts';

export type Outcome<T> = { readonly answer: T } | { readonly code: number };

interface DatedMoment {
  readonly at: Date;
  readonly date: string;
}

/** Returns the answer, or the code of a refusal. */
export async function outcomeOf<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { answer: await work };
  } catch (error) {
    if (error instanceof BillingError) return { code: error.code };
    throw error;
  }
}

export const codeOf = (outcome: Outcome<unknown>): number | null => ('code' in outcome ? outcome.code : null);

export const isoOf = (at: Ms): string => new Date(at).toISOString();

export const momentOf = ({ at, date }: DatedMoment): Moment => ({ at: at.getTime(), day: dayOf(date) });

export function endsOf(cancelled: { entitlementEnd: DatedMoment; billingEnd: DatedMoment }): Ends {
  return { service: cancelled.entitlementEnd.at.getTime(), billing: cancelled.billingEnd.at.getTime() };
}

export const reasonOf = (place: number): string => `reason ${place} of the life`;

type Consumption = Omit<ModelConsumption, 'resetsAt'> & { readonly resetsAt: Ms | Date | null };

/** `allowed with 2 over, 12 used, 3 left until -`. */
export function shownUse(outcome: Outcome<Consumption>): string {
  if ('code' in outcome) return `refused with ${outcome.code}`;
  const { allowed, overage, ...balance } = outcome.answer;
  return `${allowed ? 'allowed' : 'blocked'} with ${formatDecimal(overage)} over, ${shownBalance(balance)}`;
}
