import type { AdditionalItem } from '../../ports/index.ts';
import { InvoiceItemType, type PluginProperty, TaxCategory } from '../../records/index.ts';
import { type BillingError, billingError, MalformedAnswer } from '../../values/errors/index.ts';
import { converterOf } from '../../values/host-values/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { MAX_FRACTION_DIGITS } from '../../values/limits.ts';
import { Decimal, parseWireDecimal } from '../../values/money/index.ts';
import { isStorable } from '../../values/text/index.ts';
import {
  formatInstant,
  type Instant,
  instant,
  isInstantMs,
  type LocalDate,
  parseLocalDate,
  parseWireInstant,
} from '../../values/time/index.ts';
import { MAX_NOTE_LENGTH } from '../invoices/invoice-note.ts';

/** Maximum number of items, and maximum number of properties, in one plugin result. */
const MAX_PLUGIN_ITEMS = 1_000;
const MAX_PLUGIN_PROPERTIES = 1_000;

/** The properties that a plugin returned. Null means that the plugin changes no properties. */
interface Claimed {
  readonly properties: readonly PluginProperty[] | null;
}

/** Parses the result of `priorCall` (§8.2 step 6). @throws MalformedAnswer if it is invalid. */
export function claimedPrior(answer: unknown, now: Instant) {
  const { aborted, rescheduleDate, properties } = recordOf(answer);
  if (aborted != null && typeof aborted !== 'boolean')
    throw new MalformedAnswer('returned an "aborted" that is not a boolean');
  return {
    isAborted: aborted === true,
    rescheduledTo: rescheduleDate == null ? null : laterThan(now, rescheduleDate),
    properties: claimedProperties(properties),
  };
}

/**
 * Parses the result of `getAdditionalInvoiceItems`.
 * @throws MalformedAnswer; BillingError MISSING_OR_INVALID_FIELD (60003).
 */
export function claimedItems(answer: unknown) {
  const { items, note, properties } = recordOf(answer);
  return {
    items: listOf('items', items, MAX_PLUGIN_ITEMS).map((item, index) =>
      claimedItem(item, `items[${index}]`),
    ),
    note: claimedNote(note),
    properties: claimedProperties(properties),
  };
}

/** Parses the result of `getInvoiceGrouping`. @throws MalformedAnswer if it is invalid. */
export function claimedGroups(answer: unknown) {
  const { groups, properties } = recordOf(answer);
  return {
    groups: listOf('groups', groups, MAX_PLUGIN_ITEMS).map((group) =>
      listOf('itemIds', recordOf(group).itemIds, Number.MAX_SAFE_INTEGER).map(claimedId),
    ),
    properties: claimedProperties(properties),
  };
}

/** Parses the result of a completion call. @throws MalformedAnswer if it is invalid. */
export function claimedAnswer(answer: unknown): Claimed {
  return { properties: claimedProperties(recordOf(answer).properties) };
}

function claimedProperties(properties: unknown) {
  if (properties == null) return null;
  return listOf('properties', properties, MAX_PLUGIN_PROPERTIES).map((property) => {
    const { key, value, isUpdatable } = recordOf(property);
    if (typeof key !== 'string') throw new MalformedAnswer('returned a property without a key');
    if (value != null && typeof value !== 'string')
      throw new MalformedAnswer(`returned a value of property ${key} that is not text`);
    return { key, value: value ?? null, isUpdatable: isUpdatable === true };
  });
}

function laterThan(now: Instant, date: unknown): Instant {
  const at = typeof date === 'string' || date instanceof Date ? parseWireInstant(date) : undefined;
  if (at === undefined)
    throw new MalformedAnswer('returned a "rescheduleDate" that is neither a valid Date nor ISO text');
  if (at > now) return at;
  throw new MalformedAnswer(`rescheduled the run to ${formatInstant(at)}, which is not in the future`);
}

const takeItem = converterOf({
  id: 'uuid',
  invoiceId: 'uuid',
  amount: 'amount',
  rate: 'amount',
  quantity: 'amount',
  linkedItemId: 'uuid',
  startDate: 'date',
  endDate: 'date',
  bundleId: 'uuid',
  subscriptionId: 'uuid',
  catalogEffectiveDate: 'instant',
  taxRate: 'amount',
});

const idOf = (taken: unknown): Uuid | null => (taken ?? null) as Uuid | null;

/** The parser of each item field. `takeItem` has already read the texts and checked the ids. */
const itemMembers = {
  id: idOf,
  invoiceId: idOf,
  itemType: typeOf,
  amount: numberOf,
  currency: textOf,
  rate: numberOf,
  quantity: numberOf,
  description: textOf,
  itemDetails: textOf,
  linkedItemId: idOf,
  startDate: dateOf,
  endDate: dateOf,
  bundleId: idOf,
  subscriptionId: idOf,
  productName: textOf,
  planName: textOf,
  phaseName: textOf,
  usageName: textOf,
  catalogEffectiveDate: instantOf,
  taxRate: numberOf,
  taxCategory: categoryOf,
  taxExemption: textOf,
};

/** An item that a plugin returned, after its fields were parsed. */
export type ClaimedItem = {
  readonly [M in keyof typeof itemMembers]: ReturnType<(typeof itemMembers)[M]>;
};

function claimedItem(given: unknown, at: string): ClaimedItem {
  const taken: Readonly<Record<string, unknown>> = {
    ...(takeItem(recordOf(given, at), at) as AdditionalItem),
  };
  return Object.fromEntries(
    Object.entries(itemMembers).map(([name, read]) => [name, read(taken[name], `${at}.${name}`)]),
  ) as ClaimedItem;
}

function claimedNote(given: unknown): string | null {
  const note = textOf(given, 'a note');
  if (note === null || note.length <= MAX_NOTE_LENGTH) return note;
  throw new MalformedAnswer(`returned a note of more than ${MAX_NOTE_LENGTH} characters`);
}

function typeOf(given: unknown, at: string) {
  if (given == null) return null;
  if (typeof given === 'string' && Object.hasOwn(InvoiceItemType, given)) return given as InvoiceItemType;
  throw new MalformedAnswer(`returned ${at} that is not an item type`);
}

function categoryOf(given: unknown, at: string) {
  if (given == null) return null;
  if (typeof given === 'string' && Object.hasOwn(TaxCategory, given)) return given as TaxCategory;
  throw new MalformedAnswer(`returned ${at} that is not one of ${Object.keys(TaxCategory).join(', ')}`);
}

const FIRST_DAY = parseLocalDate('0001-01-01');
const LAST_DAY = parseLocalDate('9999-12-31');

function dateOf(given: unknown, at: string): LocalDate | null {
  if (given == null) return null;
  if (typeof given === 'number' && given >= FIRST_DAY && given <= LAST_DAY) return given as LocalDate;
  throw new MalformedAnswer(`returned ${at} that is not a date`);
}

function instantOf(given: unknown, at: string): Instant | null {
  if (given == null) return null;
  if (typeof given === 'number' && isInstantMs(given)) return instant(given);
  throw new MalformedAnswer(`returned ${at} that is not an instant`);
}

function textOf(given: unknown, at: string): string | null {
  if (given == null) return null;
  if (typeof given === 'string' && isStorable(given)) return given;
  throw new MalformedAnswer(`returned ${at} that is not storable text`);
}

/** Parses a decimal and rounds it to the precision of amounts, because a computed amount may have more digits. */
function numberOf(given: unknown, at: string): Decimal | null {
  if (given == null) return null;
  const taken = Decimal.isDecimal(given)
    ? parseWireDecimal(new Decimal(given).toDecimalPlaces(MAX_FRACTION_DIGITS))
    : undefined;
  if (taken !== undefined) return taken;
  throw new MalformedAnswer(`returned ${at} that is not an amount`);
}

function claimedId(given: unknown): Uuid {
  const id = typeof given === 'string' ? given.toLowerCase() : '';
  if (isUuid(id)) return id;
  throw new MalformedAnswer('returned an invalid item id');
}

function listOf(name: string, given: unknown, most: number) {
  if (given == null) return [];
  if (!Array.isArray(given)) throw new MalformedAnswer(`returned ${name} that is not a list`);
  if (given.length <= most) return given;
  throw new MalformedAnswer(`returned ${given.length} ${name}; at most ${most} are allowed`);
}

/** Returns the value as an object. Null and undefined become an empty object. */
function recordOf(given: unknown, at?: string) {
  if (given == null && at === undefined) return {};
  if (typeof given === 'object' && given !== null && !Array.isArray(given))
    return given as Readonly<Record<string, unknown>>;
  throw new MalformedAnswer(
    at === undefined ? 'returned a value that is not an object' : `returned ${at} that is not an object`,
  );
}

/** Returns the error for an invalid plugin result, with the plugin's name. */
export function pluginAnswerError(pluginName: string, { code, message, facts }: BillingError): BillingError {
  const named = `The answer of invoice plugin "${pluginName}" is invalid: ${message}`;
  return billingError(code, named, { ...facts, pluginName });
}
