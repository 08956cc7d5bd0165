import type { Catalog } from '../../catalog/index.ts';
import type {
  Account,
  BillingEvent,
  InvoicingCursor,
  OngoingCharge,
  StoredCursor,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { decimal, formatDecimal } from '../../values/money/index.ts';
import { formatLocalDate, parseLocalDate } from '../../values/time/index.ts';
import { recurs } from '../periods/recurring-proposals.ts';
import { isBehind } from './catalog-changes.ts';
import type { StoredFacts } from './stored-facts.ts';

/** A subscription whose own billing events are all that bills it: an add-on's end with its base. */
export interface ChargedSubscription {
  readonly recordId: number;
  /** All of its billing events, in order. */
  readonly events: readonly BillingEvent[];
}

/**
 * What bills a subscription on after the evaluation that leaves `cursor`: its last billing event, if that recurs, began
 * before what is settled and is followed by none. Until the subscription or the catalog changes, windows begin at that event
 * (§7.2 step 2) and see none but it. Null = the next evaluation needs more.
 */
export function ongoingChargeAfter(
  { recordId, events }: ChargedSubscription,
  { settledThrough }: Pick<InvoicingCursor, 'settledThrough'>,
): OngoingCharge | null {
  const event = events.at(-1);
  if (event === undefined || settledThrough === null) return null;
  if (!recurs(event) || event.localDate >= settledThrough || leavesFreeItems(event)) return null;
  return {
    subscriptionRecordId: recordId,
    bundleId: event.bundleId,
    eventRecordId: event.totalOrdering,
    event: writeEvent(event),
  };
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
  return catalog.isRevised() || catalog.isRevised(readEvent(ongoing.event).planName) ? ongoing : null;
}

/** The billing event of an ongoing charge. */
export function ongoingEvent(subscriptionId: Uuid, charge: OngoingCharge): BillingEvent {
  const { bundleId, eventRecordId } = charge;
  return { ...readEvent(charge.event), subscriptionId, bundleId, totalOrdering: eventRecordId };
}

/** What subscriptions that were bought alike have in common, so that their texts are equal. */
type SharedFacts = Omit<BillingEvent, 'subscriptionId' | 'bundleId' | 'totalOrdering'>;
type StoredEvent = StoredFacts<SharedFacts>;

/** The facts as they are stored: without their names, since every cursor has them. */
type StoredValues = [
  effectiveDate: StoredEvent['effectiveDate'],
  localDate: StoredEvent['localDate'],
  transitionType: StoredEvent['transitionType'],
  productName: StoredEvent['productName'],
  planName: StoredEvent['planName'],
  phaseName: StoredEvent['phaseName'],
  phasePrettyName: StoredEvent['phasePrettyName'],
  phaseDuration: StoredEvent['phaseDuration'],
  isEvergreen: StoredEvent['isEvergreen'],
  catalogEffectiveDate: StoredEvent['catalogEffectiveDate'],
  fixedPrice: StoredEvent['fixedPrice'],
  recurringPrice: StoredEvent['recurringPrice'],
  billingPeriod: StoredEvent['billingPeriod'],
  billingMode: StoredEvent['billingMode'],
  billCycleDayLocal: StoredEvent['billCycleDayLocal'],
  isAccountAligned: StoredEvent['isAccountAligned'],
  billingAlignment: StoredEvent['billingAlignment'],
  isRequestedDay: StoredEvent['isRequestedDay'],
  quantity: StoredEvent['quantity'],
];

function writeEvent(event: BillingEvent): string {
  const values: StoredValues = [
    event.effectiveDate,
    formatLocalDate(event.localDate),
    event.transitionType,
    event.productName,
    event.planName,
    event.phaseName,
    event.phasePrettyName,
    event.phaseDuration,
    event.isEvergreen,
    event.catalogEffectiveDate,
    event.fixedPrice && formatDecimal(event.fixedPrice),
    event.recurringPrice && formatDecimal(event.recurringPrice),
    event.billingPeriod,
    event.billingMode,
    event.billCycleDayLocal,
    event.isAccountAligned,
    event.billingAlignment,
    event.isRequestedDay,
    event.quantity,
  ];
  return JSON.stringify(values);
}

/** Of many subscriptions read one after the other most have the text of the one before. */
let lastRead: { readonly text: string; readonly facts: SharedFacts } | undefined;

function readEvent(text: string): SharedFacts {
  if (lastRead?.text === text) return lastRead.facts;
  const values: StoredValues = JSON.parse(text);
  const [
    effectiveDate,
    localDate,
    transitionType,
    productName,
    planName,
    phaseName,
    phasePrettyName,
    phaseDuration,
    isEvergreen,
    catalogEffectiveDate,
    fixedPrice,
    recurringPrice,
    billingPeriod,
    billingMode,
    billCycleDayLocal,
    isAccountAligned,
    billingAlignment,
    isRequestedDay,
    quantity,
  ] = values;
  const facts: SharedFacts = {
    effectiveDate,
    localDate: parseLocalDate(localDate),
    transitionType,
    productName,
    planName,
    phaseName,
    phasePrettyName,
    phaseDuration,
    isEvergreen,
    catalogEffectiveDate,
    fixedPrice: fixedPrice === null ? null : decimal(fixedPrice),
    recurringPrice: recurringPrice === null ? null : decimal(recurringPrice),
    billingPeriod,
    billingMode,
    billCycleDayLocal,
    isAccountAligned,
    billingAlignment,
    isRequestedDay,
    quantity,
  };
  lastRead = { text, facts };
  return facts;
}
