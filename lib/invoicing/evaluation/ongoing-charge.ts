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
 * before what is settled and is followed by none. Until the subscription or the catalog changes, windows begin at that
 * event (§7.2 step 2) and see no other. Null = the next evaluation needs more, such as the events that have charged usage,
 * of which some may come late (usage §7.7).
 * @param events all billing events, in order, of a subscription that is billed by its own events alone; an add-on is not:
 * it ends with its base.
 */
export function ongoingChargeAfter(
  events: readonly BillingEvent[],
  { settledThrough }: Pick<InvoicingCursor, 'settledThrough'>,
): OngoingCharge | null {
  const event = events.at(-1);
  if (event === undefined || settledThrough === null) return null;
  if (
    !recurs(event) ||
    events.some(({ usages }) => usages.length > 0) ||
    event.localDate >= settledThrough ||
    leavesFreeItems(event)
  )
    return null;
  return { event };
}

/**
 * True if the charge may have items beyond what is settled. Nothing repairs free items, so those of periods billed before
 * their end stay when `inArrear.mode` changes to bill periods after it. An amount below 1 may round to nothing.
 */
function leavesFreeItems({ billingMode, recurringPrice, quantity }: BillingEvent): boolean {
  return billingMode === 'IN_ARREAR' && (recurringPrice?.times(decimal(quantity)).lessThan(1) ?? false);
}

/** The ongoing charge from which the next evaluation can be made; null = the events have to be loaded. */
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
  // The account's first bill cycle day is taken from all events of its subscriptions.
  const hasDay = account.billCycleDayLocal !== 0;
  if (!hasDay || ongoing === null || dirtyFrom !== null || isBehind(cursor, catalog)) return null;
  return catalog.isRevised() || catalog.isRevised(ongoing.event.planName) ? ongoing : null;
}
