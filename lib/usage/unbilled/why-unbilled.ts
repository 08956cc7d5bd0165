import type { BillingEvent, UsageSection } from '../../records/index.ts';
import {
  type DatedInstant,
  type Instant,
  type LocalDate,
  maxDate,
  type TimeZone,
} from '../../values/time/index.ts';
import type { FreedPoints } from '../collecting/usage-pieces.ts';
import { billedTimes, isBilledAt, isWithin } from '../intervals/billed-time.ts';
import { lookBackOf } from '../intervals/look-back.ts';
import { nextUsageDate, type UsageInterval, usageIntervals } from '../intervals/usage-intervals.ts';
import { isBilled, isEnd, usageRuns } from '../intervals/usage-runs.ts';
import { unitsOf } from '../rating/quantities.ts';
import { type BilledInterval, type BilledMatch, matchBilled } from '../settlement/billed-interval.ts';
import { isLate } from '../settlement/late-usage.ts';
import { BeyondLookBack, LateMode, type UsageConfig } from '../settlement/usage-config.ts';
import { isTooOld } from '../settlement/usage-plan.ts';

export interface BillingSoFar {
  /** All of the subscription, in order; null = it takes no part in runs now. */
  readonly events: readonly BillingEvent[] | null;
  /** On invoices that are not VOID. */
  readonly billed: readonly BilledInterval[];
  /** On those that are; default none. */
  readonly freed?: readonly FreedPoints[];
  /** Local date of the account. */
  readonly today: LocalDate;
  readonly zone: TimeZone;
  readonly config: UsageConfig;
}

/** Why a point that counts at some instant is not billed. */
export interface WhyUnbilled {
  readonly reason: UnbilledReason;
  /** The section that would charge it; null where none is in force. */
  readonly usageName: string | null;
}

/** What has become of a point so far, by the name of a section. */
export interface PointHistory {
  /** A billed interval has charged it. */
  readonly isConsumed: (usageName: string) => boolean;
  /** An invoice had charged it that is VOID now. */
  readonly isFreed: (usageName: string) => boolean;
}

/** An interval, be it complete, running or to come. */
interface KnownInterval {
  readonly usageName: string;
  readonly interval: UsageInterval;
  readonly isTooOld: boolean;
  readonly match: BilledMatch;
}

/** Tells for each point of a subscription which of its sections have not billed it, and why. */
export class UnbilledReasons {
  readonly #events: readonly BillingEvent[] | null;
  readonly #times: ReturnType<typeof billedTimes>;
  readonly #config: UsageConfig;
  readonly #intervals: readonly KnownInterval[];

  constructor(so: BillingSoFar) {
    this.#events = so.events;
    this.#times = billedTimes(so.events ?? []);
    this.#config = so.config;
    this.#intervals = so.events === null ? [] : knownIntervals({ ...so, events: so.events });
  }

  at(at: Instant, unit: string, { isConsumed, isFreed }: PointHistory): readonly WhyUnbilled[] {
    const events = this.#events;
    if (events === null) return [{ reason: UnbilledReason.NOT_YET_DUE, usageName: null }];
    if (!isBilledAt(at, this.#times)) return [{ reason: reasonOutside(events, at), usageName: null }];
    const inForce = events.findLast((event) => event.effectiveDate <= at && isBilled(event));
    const sections = (inForce?.usages ?? []).filter((section) => unitsOf(section).includes(unit));
    if (sections.length === 0) return [{ reason: UnbilledReason.UNKNOWN_UNIT, usageName: null }];
    return sections
      .filter(({ name }) => !isConsumed(name))
      .map((section) => ({ reason: this.#reasonOf(section, at, isFreed), usageName: section.name }));
  }

  #reasonOf({ name }: UsageSection, at: Instant, isFreed: PointHistory['isFreed']): UnbilledReason {
    const own = this.#intervals.find(
      ({ usageName, interval }) => usageName === name && isWithin(interval, at),
    );
    if (own === undefined) return UnbilledReason.NOT_YET_DUE;
    const { lateMode, beyondLookBack } = this.#config;
    if (own.isTooOld)
      return beyondLookBack === BeyondLookBack.NEXT_PERIOD
        ? UnbilledReason.NOT_YET_DUE
        : UnbilledReason.BEYOND_LOOKBACK;
    if (own.match.kind === 'COVERED') return UnbilledReason.COVERED;
    const isIgnored = lateMode === LateMode.IGNORE && own.match.previous.length > 0 && !isFreed(name);
    const isNeverBilled = isIgnored && isLate({ interval: own.interval, match: own.match }, at);
    return isNeverBilled ? UnbilledReason.LATE : UnbilledReason.NOT_YET_DUE;
  }
}

function reasonOutside(events: readonly BillingEvent[], at: Instant): UnbilledReason {
  const last = events.findLast(({ effectiveDate }) => effectiveDate <= at);
  if (last === undefined) return UnbilledReason.BEFORE_START;
  return isEnd(last) ? UnbilledReason.AFTER_END : UnbilledReason.BLOCKED;
}

function knownIntervals({
  events,
  billed,
  today,
  zone,
  config,
}: BillingSoFar & { readonly events: readonly BillingEvent[] }): readonly KnownInterval[] {
  const [first] = events;
  if (first === undefined) return [];
  const begin: DatedInstant = { at: first.effectiveDate, date: first.localDate };
  // Intervals to come are known as far as events, and one more.
  const last = maxDate(today, events.at(-1)?.localDate ?? today, ...billed.map(({ endDate }) => endDate));
  return usageRuns(events, last).flatMap((run) => {
    const { name: usageName } = run.section;
    const own = billed.filter((one) => one.usageName === usageName);
    const lookBack = lookBackOf(run.section, { events, billed, zone, config });
    const targetDate = nextUsageDate(run, last) ?? last;
    return usageIntervals(run, { targetDate, lookBack: begin, zone }).map((interval) => ({
      usageName,
      interval,
      isTooOld: isTooOld(interval, { lookBack, billed: own, zone }),
      match: matchBilled(interval, own),
    }));
  });
}

/** Why usage is on no invoice (§3.3). */
export const UnbilledReason = {
  /** No section that is in force then charges the unit. */
  UNKNOWN_UNIT: 'UNKNOWN_UNIT',
  /** Billing is paused then. */
  BLOCKED: 'BLOCKED',
  BEFORE_START: 'BEFORE_START',
  AFTER_END: 'AFTER_END',
  /** It came for a period that is too long ago to be billed again. */
  BEYOND_LOOKBACK: 'BEYOND_LOOKBACK',
  /** It is charged and void, of a period that is too long ago to be compared again. */
  VOIDED_BEYOND_LOOKBACK: 'VOIDED_BEYOND_LOOKBACK',
  /** The period is billed, and no tier takes so much. */
  OVERFLOW: 'OVERFLOW',
  /** A run to come bills it. */
  NOT_YET_DUE: 'NOT_YET_DUE',
  /** It came for a billed period, and the tenant bills none of that (`invoice.usage.lateMode=IGNORE`). */
  LATE: 'LATE',
  /** It came for a time that was billed as part of a longer period, which is not billed again. */
  COVERED: 'COVERED',
} as const;
export type UnbilledReason = (typeof UnbilledReason)[keyof typeof UnbilledReason];
