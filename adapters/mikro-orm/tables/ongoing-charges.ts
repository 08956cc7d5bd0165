import type { BillingEvent, OngoingCharge } from '../../../lib/records/index.ts';
import { bigintOrNull, type Field, textOrNull, uuid, uuidOrNull } from '../sql/columns.ts';
import { amountText, dayText } from './item-basis-text.ts';

/**
 * The fields of a charge that are equal for subscriptions bought together. Their stored texts are therefore equal too.
 */
type SharedFacts = Omit<
  BillingEvent,
  'subscriptionId' | 'bundleId' | 'totalOrdering' | 'discounts' | 'parentPlanName'
>;

/**
 * The empty list of usage sections, because an ongoing charge has no usage. An ongoing charge has no discounts
 * either, so the parent plan, to which coupons refer, is not stored.
 */
const NO_USAGES: BillingEvent['usages'] = [];

/**
 * Returns a field for an ongoing charge, stored in three columns. The ids that belong to the subscription are stored
 * separately.
 */
export function ongoingChargeOrNull(): Field<OngoingCharge | null> {
  const subscription = uuid('subscription_id');
  const bundle = uuidOrNull('ongoing_bundle_id');
  const eventRecord = bigintOrNull('ongoing_event_record_id');
  const text = textOrNull('ongoing_event');
  // Most cursors have the same text as the previous cursor.
  let last: { readonly text: string; readonly facts: SharedFacts | null } | undefined;
  const factsOf = (stored: string): SharedFacts | null => {
    if (last?.text !== stored) last = { text: stored, facts: readFacts(stored) };
    return last.facts;
  };
  return {
    columns: [bundle, eventRecord, text].flatMap(({ columns }) => columns),
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

const asIs: null = null;

/** The stored values in order, with their conversions. */
const stored = {
  effectiveDate: asIs,
  localDate: dayText,
  transitionType: asIs,
  productName: asIs,
  planName: asIs,
  phaseName: asIs,
  phasePrettyName: asIs,
  phaseDuration: asIs,
  isEvergreen: asIs,
  catalogEffectiveDate: asIs,
  fixedPrice: amountText,
  recurringPrice: amountText,
  billingPeriod: asIs,
  billingMode: asIs,
  billCycleDayLocal: asIs,
  isAccountAligned: asIs,
  billingAlignment: asIs,
  isRequestedDay: asIs,
  quantity: asIs,
  cycleStart: dayText,
} as const satisfies Readonly<Record<keyof Omit<SharedFacts, 'usages'>, unknown>>;

const fields = Object.entries(stored) as readonly (readonly [
  name: keyof typeof stored,
  conversion: readonly [write: (value: never) => string, read: (text: string) => unknown] | null,
])[];
// The row is copied as a whole from a template, as in `RecordTable`.
const noFacts = Object.fromEntries(fields.map(([name]) => [name, null]));

/**
 * Returns the values without their names, because all cursors have the same names. Amounts and dates are text; instants
 * are milliseconds.
 */
function valuesOf(event: SharedFacts): readonly unknown[] {
  return fields.map(([name, conversion]) => {
    const value = event[name];
    return conversion === null || value === null ? value : conversion[0](value as never);
  });
}

/**
 * Parses the shared fields. Returns null for a text without `cycleStart`, which an older version of the engine wrote.
 */
function readFacts(text: string): SharedFacts | null {
  const values: readonly unknown[] = JSON.parse(text);
  if (values.length < fields.length) return null;
  const facts: { -readonly [K in keyof SharedFacts]?: unknown } = { ...noFacts, usages: NO_USAGES };
  fields.forEach(([name, conversion], index) => {
    const value = values[index];
    facts[name] = conversion === null || value === null ? value : conversion[1](value as string);
  });
  return facts as SharedFacts;
}
