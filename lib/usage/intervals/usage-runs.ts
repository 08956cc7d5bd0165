import type { BillingEvent, UsageSection } from '../../records/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import { compareText } from '../rating/quantities.ts';

/** An uninterrupted stretch of billing events that keep one usage section (§6.1). */
export interface UsageRun {
  readonly section: UsageSection;
  readonly events: readonly [BillingEvent, ...BillingEvent[]];
  /** The event that ends the run; null = it reaches through the target date. */
  readonly closedBy: BillingEvent | null;
}

/**
 * The runs of one subscription, by start, then usage name.
 * @param events all of the subscription, in order; those after the target date are not looked at (§6).
 */
export function usageRuns(events: readonly BillingEvent[], targetDate: LocalDate): readonly UsageRun[] {
  const runs: UsageRun[] = [];
  let open: ReadonlyMap<string, OpenRun> = new Map();
  for (const event of withoutEmptyPauses(events)) {
    if (event.localDate > targetDate) break;
    const still = new Map<string, OpenRun>();
    for (const section of event.usages) {
      const key = keyOf(section);
      const before = open.get(key);
      before?.events.push(event);
      still.set(key, before ?? { section, events: [event] });
    }
    for (const [key, run] of open) if (!still.has(key)) runs.push({ ...run, closedBy: event });
    open = still;
  }
  for (const run of open.values()) runs.push({ ...run, closedBy: null });
  return runs.sort(byStart);
}

interface OpenRun {
  readonly section: UsageSection;
  readonly events: [BillingEvent, ...BillingEvent[]];
}

function keyOf({ name, versionDate, priceIdentity }: UsageSection): string {
  return JSON.stringify([name, versionDate, priceIdentity]);
}

/** Block and unblock at one instant cancel out (§6.1). */
function withoutEmptyPauses(events: readonly BillingEvent[]): readonly BillingEvent[] {
  return events.filter((event, index) => {
    const next = events[index + 1];
    return !(
      event.transitionType === 'START_BILLING_DISABLED' &&
      next?.transitionType === 'END_BILLING_DISABLED' &&
      next.effectiveDate === event.effectiveDate
    );
  });
}

function byStart(a: UsageRun, b: UsageRun): number {
  const [first, second] = [a.events[0], b.events[0]];
  return first.effectiveDate - second.effectiveDate || compareText(a.section.name, b.section.name);
}

/** True for what ends a subscription for good. */
export function isEnd({ transitionType }: BillingEvent): boolean {
  return transitionType === 'CANCEL' || transitionType === 'EXPIRED';
}

/** True while a subscription is billed from this event on. */
export function isBilled(event: BillingEvent): boolean {
  return !isEnd(event) && event.transitionType !== 'START_BILLING_DISABLED';
}
