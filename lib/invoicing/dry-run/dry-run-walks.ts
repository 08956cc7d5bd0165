import type { SourceQuestion, SuppliedBySubscription } from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type LocalDate, maxDate } from '../../values/time/index.ts';
import type { AccountBilling } from '../evaluation/account-billing.ts';
import {
  type DryRunWalk,
  type DryRunWalkInput,
  type IsWatched,
  walkToTargetDate,
  walkToUpcomingInvoice,
} from '../evaluation/dry-run-walk.ts';
import { lastUsageDate, questionOf, withSupply } from '../evaluation/usage-supply.ts';

export interface DryRunWalks {
  /** Leads to the invoice of a date, where one is asked for, else to the next one; null = there will be none. */
  readonly walkTo: (targetDate: LocalDate | null) => DryRunWalk | null;
  /** What usage sources have to be asked; null = nothing, or they need not be. */
  readonly question: SourceQuestion | null;
  /** The walk with what they have told. */
  readonly walkWith: (usages: SuppliedBySubscription, targetDate: LocalDate | null) => DryRunWalk | null;
}

export const NO_WALK: DryRunWalks = { walkTo: () => null, question: null, walkWith: () => null };

export interface WalksInput {
  readonly billing: AccountBilling;
  /** null = the invoice of a date is asked for, else the next one of these subscriptions. */
  readonly choice: IsWatched | null;
  /** The earliest date that a run looks at. */
  readonly targetDate: LocalDate;
  readonly asksSources: boolean;
  readonly nextId: () => Uuid;
}

/** The walk to the invoice that is asked for, and what has to be known of usage for it. */
export function walksOf(
  input: DryRunWalkInput,
  { billing, choice, targetDate, asksSources, nextId }: WalksInput,
): DryRunWalks {
  const walkOf = (subscriptions: DryRunWalkInput['subscriptions'], asked: LocalDate | null): DryRunWalk => {
    const given = { ...input, subscriptions, targetDate: asked ?? input.targetDate };
    return choice === null ? walkToTargetDate(given, nextId) : walkToUpcomingInvoice(given, choice, nextId);
  };
  const last = choice === null ? maxDate(input.targetDate, targetDate) : lastUsageDate(billing, targetDate);
  return {
    walkTo: (asked) => walkOf(billing.subscriptions, asked),
    question: asksSources ? questionOf({ ...billing, targetDate: last }, input.config) : null,
    walkWith: (usages, asked) => walkOf(withSupply(billing.subscriptions, usages), asked),
  };
}
