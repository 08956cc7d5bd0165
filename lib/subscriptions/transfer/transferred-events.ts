import { BcdTransfer } from '../../ports/index.ts';
import { type LifecycleEvent, LifecycleEventType } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import {
  type DatedInstant,
  dayOfMonth,
  type Instant,
  localDateOf,
  maxInstant,
  type TimeZone,
} from '../../values/time/index.ts';
import type { RunningSubscription } from '../edits/running-subscription.ts';
import { withdrawnByCancels } from '../edits/undo.ts';
import {
  DatedBy,
  datedBy,
  decidedOf,
  type EventDraft,
  isPlanChoice,
  isStart,
  readReason,
  writeReason,
} from '../timeline/lifecycle-events.ts';
import { choiceDrafts, withDerivedPhases } from '../timeline/phase-events.ts';
import { eventsInEffect } from '../timeline/transitions.ts';

export interface TransferredEventsInput {
  readonly running: RunningSubscription;
  /** The withdrawn events of the subscription. */
  readonly history: readonly LifecycleEvent[];
  /** When the bundle is transferred, by the target account's calendar. */
  readonly transfer: DatedInstant;
  readonly bcdTransfer: BcdTransfer;
  /** Of the target account. */
  readonly zone: TimeZone;
  readonly now: Instant;
}

/**
 * The events with which a transferred subscription begins on the target account, in the order of their sequence (§17.4
 * rules 4, 5): the plan and phase from before the transfer, where there is one, then all later events, each at its own
 * instant with its day in the target's calendar. A pending cancellation does not continue.
 */
export function transferredEvents(input: TransferredEventsInput): readonly EventDraft[] {
  const { transfer, zone } = input;
  const events = eventsToContinue(input);
  const before = events.filter(({ effective }) => effective.at < transfer.at);
  const later = events.filter(({ effective }) => effective.at >= transfer.at);
  return [...continuation(before, input), ...later.map((event) => copied(event, zone))];
}

/** The TRANSFER that continues what was in force, with the day and quantity requested besides the plan. */
function continuation(
  before: readonly LifecycleEvent[],
  { transfer, bcdTransfer, zone }: TransferredEventsInput,
): readonly EventDraft[] {
  const choice = before.findLast(isPlanChoice);
  if (choice === undefined) return [];
  const phase = before.findLast((event) => isPlanChoice(event) || event.type === LifecycleEventType.PHASE);
  const requestedDay = before.findLast(({ billCycleDay }) => billCycleDay !== null)?.billCycleDay ?? null;
  const { type: _type, ...plan } = copied(choice, zone);
  return choiceDrafts(LifecycleEventType.TRANSFER, {
    ...plan,
    effective: transfer,
    phaseName: phase?.phaseName ?? null,
    billCycleDay: requestedDay === null ? null : transferredDay(requestedDay, bcdTransfer, transfer),
    quantity: before.findLast(({ quantity }) => quantity !== null)?.quantity ?? null,
    reason: reasonOfTransfer(choice),
  });
}

/** The phases keep their alignment and the plan its choice; only the date is that of the transfer. */
function reasonOfTransfer(choice: LifecycleEvent): string {
  const decided = decidedOf(choice);
  if (choice.reason === null) return writeReason({ ...datedBy(DatedBy.TRANSFER), decided });
  const { alignment, alignedBy } = readReason(choice.reason);
  return writeReason({ ...datedBy(DatedBy.TRANSFER), alignment, alignedBy, decided });
}

/** Later events keep their dates, and their plans as they were chosen. */
function reasonAhead(event: LifecycleEvent): string | null {
  if (!isPlanChoice(event)) return event.reason;
  const reason = event.reason === null ? datedBy(DatedBy.REQUESTED_DATE) : readReason(event.reason);
  return writeReason({ ...reason, decided: decidedOf(event) });
}

function transferredDay(
  requestedDay: number,
  bcdTransfer: BcdTransfer,
  transfer: DatedInstant,
): number | null {
  switch (bcdTransfer) {
    case BcdTransfer.USE_EXISTING:
      return requestedDay;
    case BcdTransfer.ALIGN_WITH_EFF_DT:
      return dayOfMonth(transfer.date);
    case BcdTransfer.NONE:
      return null;
    default:
      return neverTransfer(bcdTransfer);
  }
}

/**
 * The events in effect as if no cancellation were pending, with the phases that must be stored by now or by the transfer,
 * whichever is later, and the next one.
 */
function eventsToContinue({
  running,
  history,
  transfer,
  now,
}: TransferredEventsInput): readonly LifecycleEvent[] {
  const storedUpTo = maxInstant(now, transfer.at);
  const { events, catalog, account } = running;
  const cancels = events.filter(({ type }) => type === LifecycleEventType.CANCEL);
  const kept = events.filter((event) => !cancels.includes(event));
  const stored = [...kept, ...withdrawnByCancels(history, cancels)];
  const inEffect = eventsInEffect(stored);
  const ahead = withDerivedPhases({ events: stored, plans: catalog, zone: account.timeZone });
  const toStore = ahead.filter((event, index) => {
    if (inEffect.includes(event)) return true;
    const followed = ahead.slice(0, index).findLast(({ id }) => id === event.id);
    assertInvariant(followed, `A derived event of subscription ${event.subscriptionId} follows none`, {
      eventId: event.id,
    });
    return followed.effective.at <= storedUpTo;
  });
  return toStore.toSorted((a, b) => a.effective.at - b.effective.at);
}

function copied(event: LifecycleEvent, zone: TimeZone): EventDraft {
  return {
    type: isStart(event) ? LifecycleEventType.TRANSFER : event.type,
    effective: datedIn(event.effective, zone),
    planName: event.planName,
    phaseName: event.phaseName,
    priceListName: event.priceListName,
    phaseAnchor: event.phaseAnchor && datedIn(event.phaseAnchor, zone),
    phaseAnchorType: event.phaseAnchorType,
    billCycleDay: event.billCycleDay,
    quantity: event.quantity,
    reason: reasonAhead(event),
  };
}

/** The same instant, with its day in another calendar. */
export function datedIn({ at }: DatedInstant, zone: TimeZone): DatedInstant {
  return { at, date: localDateOf(at, zone) };
}

function neverTransfer(bcdTransfer: never): never {
  throw new Error(`Unknown transfer of the bill cycle day ${String(bcdTransfer)}`);
}
