import type { BillingEvent, OngoingCharge } from '../../../lib/records/index.ts';
import { decimal, formatDecimal } from '../../../lib/values/money/index.ts';
import { bigintOrNull, type Field, readDay, textOrNull, uuid, uuidOrNull, writeDay } from '../sql/columns.ts';

/** What subscriptions bought alike have in common, so that their texts are equal. */
type SharedFacts = Omit<BillingEvent, 'subscriptionId' | 'bundleId' | 'totalOrdering'>;

/** What goes on by itself charges no usage. */
const NO_USAGES: BillingEvent['usages'] = [];

/** The charge in three columns: its subscription's ids are stored apart from the rest. */
export function ongoingChargeOrNull(): Field<OngoingCharge | null> {
  const subscription = uuid('subscription_id');
  const bundle = uuidOrNull('ongoing_bundle_id');
  const eventRecord = bigintOrNull('ongoing_event_record_id');
  const text = textOrNull('ongoing_event');
  // Most cursors read one after another have the text of the previous one.
  let last: { readonly text: string; readonly facts: SharedFacts | null } | undefined;
  const factsOf = (stored: string): SharedFacts | null => {
    if (last?.text !== stored) last = { text: stored, facts: readFacts(stored) };
    return last.facts;
  };
  return {
    columns: [...bundle.columns, ...eventRecord.columns, ...text.columns],
    write: (charge, cells) => {
      bundle.write(charge?.event.bundleId ?? null, cells);
      eventRecord.write(charge?.event.totalOrdering ?? null, cells);
      text.write(charge && JSON.stringify(valuesOf(charge.event)), cells);
    },
    read: (row) => {
      const bundleId = bundle.read(row);
      const totalOrdering = eventRecord.read(row);
      const stored = text.read(row);
      if (bundleId === null || totalOrdering === null || stored === null) return null;
      const facts = factsOf(stored);
      return (
        facts && { event: { ...facts, subscriptionId: subscription.read(row), bundleId, totalOrdering } }
      );
    },
  };
}

/**
 * Values without their names, which are the same for every cursor: amounts and dates as text, instants as epoch
 * milliseconds.
 */
function valuesOf(event: SharedFacts) {
  return [
    event.effectiveDate,
    writeDay(event.localDate),
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
    writeDay(event.cycleStart),
  ] as const;
}

/** null = the text is older than the start of the cycle, which the event does not tell. */
function readFacts(text: string): SharedFacts | null {
  const values: ReturnType<typeof valuesOf> = JSON.parse(text);
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
    cycleStart,
  ] = values;
  if (cycleStart === undefined) return null;
  return {
    effectiveDate,
    localDate: readDay(localDate),
    cycleStart: readDay(cycleStart),
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
    usages: NO_USAGES,
  };
}
