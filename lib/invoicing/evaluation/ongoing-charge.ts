import type { Catalog } from '../../catalog/index.ts';
import type {
  Account,
  BillingEvent,
  InvoicingCursor,
  OngoingCharge,
  StoredCursor,
} from '../../records/index.ts';
import { decimal } from '../../values/money/index.ts';
import { recurs } from '../periods/recurring-proposals.ts';
import { isBehind } from './catalog-changes.ts';

/**
 * What bills a subscription on after the evaluation that leaves `cursor`: its last billing event, if that recurs, began
 * before what is settled and is followed by none. Until the subscription or the catalog changes, windows begin at that event
 * (§7.2 step 2) and see none but it. Null = the next evaluation needs more.
 * @param events all billing events, in order, of a subscription that they alone bill: an add-on's end with its base.
 */
export function ongoingChargeAfter(
  events: readonly BillingEvent[],
  { settledThrough }: Pick<InvoicingCursor, 'settledThrough'>,
): OngoingCharge | null {
  const event = events.at(-1);
  if (event === undefined || settledThrough === null) return null;
  if (!recurs(event) || event.localDate >= settledThrough || leavesFreeItems(event)) return null;
  return { event };
}

/**
 * True if items may lie beyond what is settled: nothing repairs free ones, so that those of periods that were billed before
 * their end (`inArrear.mode`) stay when periods are billed after it. Less than one may round to nothing.
 */
function leavesFreeItems({ billingMode, recurringPrice, quantity }: BillingEvent): boolean {
  return billingMode === 'IN_ARREAR' && (recurringPrice?.times(decimal(quantity)).lessThan(1) ?? false);
}

/** The ongoing charge that the next evaluation can be made from; null = the events are to be loaded. */
export function ongoingChargeOf(
  cursor: StoredCursor,
  {
    account,
    catalog,
  }: {
    readonly account: Pick<Account, 'billCycleDayLocal'>;
    readonly catalog: Pick<Catalog, 'revision' | 'isRevised'>;
  },
): OngoingCharge | null {
  const { ongoing, dirtyFrom } = cursor;
  // The account's first day is taken from all events of its subscriptions.
  const hasDay = account.billCycleDayLocal !== 0;
  if (!hasDay || ongoing === null || dirtyFrom !== null || isBehind(cursor, catalog)) return null;
  return catalog.isRevised() || catalog.isRevised(ongoing.event.planName) ? ongoing : null;
}
