import type { CursorToSave, InvoicingCursor, OngoingCharge, StoredCursor } from '../../records/index.ts';
import type { AccountBilling } from './account-billing.ts';
import type { AccountRun } from './evaluate-account.ts';
import type { SubscriptionBilling } from './evaluate-subscription.ts';
import { staysKept } from './kept-as-billed.ts';
import { ongoingChargeAfter } from './ongoing-charge.ts';
import { countsDaily } from './safety-bounds.ts';

type Evaluated = Pick<AccountRun, 'evaluations'>;

/**
 * The cursors that a run leaves: those of the subscriptions that it has evaluated, and those that it only brings to the
 * catalog's revision.
 */
export function cursorsAfter(billing: AccountBilling, run: Evaluated): readonly CursorToSave[] {
  return [...evaluatedCursors(billing, run), ...untouchedCursors(billing, run)];
}

/** Counts the day's items, old and new, for the next run's safety bound. */
function evaluatedCursors(billing: AccountBilling, run: Evaluated): readonly CursorToSave[] {
  const { account, subscriptions, runDate } = billing;
  const before = new Map(subscriptions.map((each) => [each.subscriptionId, each]));
  const revisionOf = revisionsNoted(billing);
  return run.evaluations.map(({ subscriptionId, cursor, items }) => {
    const subscription = before.get(subscriptionId);
    const { itemsCreatedToday = 0, cursor: read = null } = subscription ?? {};
    return {
      ...(read?.recordId === undefined ? {} : { recordId: read.recordId }),
      ...cursor,
      accountRecordId: account.recordId,
      catalogRevision: revisionOf(cursor),
      itemsDate: runDate,
      itemsCount: itemsCreatedToday + items.filter(countsDaily).length,
      ongoing: subscription === undefined ? null : ongoingAfter(billing, subscription, cursor),
      usage: cursor.usage ?? null,
      keepsOngoing: subscription?.ongoing != null,
    };
  });
}

/**
 * The ongoing charges after the run. What goes on stays as it is stored; for the others it is determined anew, as soon as
 * the account has a bill cycle day.
 */
function ongoingAfter(
  { account, newBillCycleDay, billedAlone }: AccountBilling,
  { subscriptionId, events, ongoing = null }: SubscriptionBilling,
  cursor: InvoicingCursor,
): OngoingCharge | null {
  if (ongoing !== null) return ongoing;
  const hasDay = newBillCycleDay !== null || account.billCycleDayLocal !== 0;
  return hasDay && billedAlone.has(subscriptionId) ? ongoingChargeAfter(events, cursor) : null;
}

/**
 * Cursors of subscriptions that a later catalog does not change: they get its revision, so that the next run need not
 * compare again.
 */
function untouchedCursors(billing: AccountBilling, run: Evaluated): readonly StoredCursor[] {
  const { behind } = billing;
  if (behind.length === 0) return behind;
  const evaluated = new Set(run.evaluations.map(({ subscriptionId }) => subscriptionId));
  const revisionOf = revisionsNoted(billing);
  return (
    behind
      .filter(({ subscriptionId }) => !evaluated.has(subscriptionId))
      // The later catalog may change parts of the event that are not billed, such as names.
      .map((cursor) => ({ ...cursor, catalogRevision: revisionOf(cursor), ongoing: null }))
  );
}

/** The catalog's revision, or the earlier one where the subscription's next evaluation still looks at days billed by it. */
function revisionsNoted({
  behind,
  subscriptions,
  catalogRevision,
}: AccountBilling): (cursor: InvoicingCursor) => number | null {
  const earlier = new Map(behind.map((cursor) => [cursor.subscriptionId, cursor.catalogRevision]));
  const evaluated = new Map(subscriptions.map((each) => [each.subscriptionId, each]));
  return (cursor) => {
    const subscription = evaluated.get(cursor.subscriptionId);
    const isKept = subscription !== undefined && staysKept(subscription, cursor);
    return isKept ? (earlier.get(cursor.subscriptionId) ?? null) : catalogRevision;
  };
}
