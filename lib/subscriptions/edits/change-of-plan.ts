import type { OverridePlan } from '../../catalog/index.ts';
import { LifecycleEventType } from '../../records/index.ts';
import { assertInvariant, ErrorCode } from '../../values/errors/index.ts';
import { type DatedInstant, formatLocalDate, type Instant } from '../../values/time/index.ts';
import type { CheckedChange } from '../requests/change-request.ts';
import { withOverridePlan } from '../requests/plan-choice.ts';
import { checkBillable } from '../timeline/billable-terms.ts';
import type { EditTools } from '../timeline/edit-tools.ts';
import { asStored, type EventDraft } from '../timeline/event-draft.ts';
import { writeReason } from '../timeline/event-reason.ts';
import { choiceDrafts, expiryAfterPhase, phasesAfter } from '../timeline/initial-events.ts';
import { isStart } from '../timeline/lifecycle-order.ts';
import { currentPhase, phaseTimeline } from '../timeline/phase-timeline.ts';
import { changeOrigin } from '../timeline/plan-alignment.ts';
import { transitionAt } from '../timeline/transitions.ts';
import { type DecidedChange, refusal } from './decided-change.ts';
import { nextEvents, type RunningSubscription } from './running-subscription.ts';
import { eventsFrom, type SubscriptionEdit, withdrawnBy } from './subscription-edit.ts';

export interface PlanChange {
  readonly effective: DatedInstant;
  readonly edit: SubscriptionEdit;
}

/**
 * What a decided change stores and withdraws (§7 rules 8 to 10).
 * @param overridePlan made from `decided.overrides`.
 * @throws BillingError SUBSCRIPTION_CREATE_BAD_PHASE (1011), as `checkBillable`.
 */
export function planChange(
  running: RunningSubscription,
  change: { request: CheckedChange; decided: DecidedChange; overridePlan: OverridePlan | null },
  { now, nextId }: EditTools,
): PlanChange {
  const { request, decided, overridePlan } = change;
  const { effective } = decided;
  const choice = overridePlan ? withOverridePlan(decided.choice, overridePlan) : decided.choice;
  const { events } = running;
  const start = events.find((event) => isStart(event) && event.effective.at === effective.at);
  const addedEvents = nextEvents(
    running,
    changeDrafts(running, {
      request,
      effective,
      alignment: decided.alignment,
      reason: decided.reason,
      choice,
      type: start?.type,
      now,
    }),
    { now, nextId },
  );
  const later = eventsFrom(events, effective.at).filter(({ type }) => !keptByChange.has(type));
  const withdrawn = withdrawnBy(addedEvents, start === undefined ? later : [start, ...later]);
  const replaced = new Set(withdrawn.map(({ event }) => event.id));
  checkBillable({
    account: running.account,
    events: [...events.filter(({ id }) => !replaced.has(id)), ...asStored(addedEvents)],
    plans: overridePlan === null ? running.catalog : running.catalog.with(overridePlan),
    from: effective.at,
  });
  return {
    effective,
    edit: {
      subject: running,
      requested: { type: LifecycleEventType.CHANGE, effective },
      addedEvents,
      withdrawn,
      restored: [],
      addedStates: [],
      withdrawnStates: [],
    },
  };
}

const keptByChange: ReadonlySet<LifecycleEventType> = new Set([
  LifecycleEventType.BCD_CHANGE,
  LifecycleEventType.QUANTITY_CHANGE,
]);

interface DraftsInput extends Pick<DecidedChange, 'effective' | 'alignment' | 'choice' | 'reason'> {
  readonly request: CheckedChange;
  /** Type of the subscription's start, if the change falls on it and replaces it. */
  readonly type: LifecycleEventType | undefined;
  readonly now: Instant;
}

function changeDrafts(running: RunningSubscription, input: DraftsInput): readonly EventDraft[] {
  const { request, effective, choice, now } = input;
  const { plan, priceListName } = choice;
  const zone = running.account.timeZone;
  const origin = changeOrigin({
    alignment: input.alignment,
    origins: running.subscription,
    transitions: running.transitions,
    effective,
    plan,
    priceListName,
    phaseType: request.phaseType,
  });
  const timeline = phaseTimeline({ plan, ...origin, zone });
  const first = timeline[0];
  const current = currentPhase(timeline, effective.at);
  assertInvariant(first && current, `The phases of plan ${plan.name} begin after the change to it`, {
    planName: plan.name,
  });
  const expiryOf = (last: typeof current) => expiryAfterPhase(last, origin.anchor, zone);
  const quantityBefore = transitionAt(running.transitions, effective.at)?.quantity ?? 1;
  const phases = phasesAfter({
    timeline,
    current,
    now,
    expiryOfCurrent: () => notPast(running, { expiry: expiryOf(current), effective, planName: plan.name }),
    expiryOf,
  });
  const drafts = choiceDrafts(input.type ?? LifecycleEventType.CHANGE, {
    effective,
    planName: plan.name,
    phaseName: current.phase.name,
    priceListName,
    phaseAnchor: origin.anchor,
    phaseAnchorType: first.phase.type,
    billCycleDay: request.billCycleDay,
    quantity: request.quantity === quantityBefore ? null : request.quantity,
    reason: writeReason(input.reason),
  });
  return [...drafts, ...phases];
}

/** Refuses a change to a plan that would have ended by the time of the change (§5 rule 9). */
function notPast(
  running: RunningSubscription,
  {
    expiry,
    effective,
    planName,
  }: { expiry: EventDraft | undefined; effective: DatedInstant; planName: string },
): EventDraft | undefined {
  if (expiry === undefined || expiry.effective.at > effective.at) return expiry;
  throw refusal(ErrorCode.SUBSCRIPTION_CREATE_BAD_PHASE, running, {
    message: `cannot change to plan ${planName}, which would have ended on ${formatLocalDate(expiry.effective.date)} already`,
  });
}
