import type { Problem } from '../../values/errors/index.ts';
import { MAX_LISTED_PROBLEMS } from '../../values/limits.ts';
import { formatInstant } from '../../values/time/index.ts';
import type { CatalogVersion } from '../lookup/catalog-version.ts';
import {
  type InternationalPrice,
  type Plan,
  textOfValue,
  type WrittenDecimal,
} from '../model/catalog-model.ts';

/**
 * Compares a version with the stored version of the same date (§5 rule 11). Each difference names its place
 * and both values, such as `plan "gold-monthly", phase EVERGREEN, recurring price in USD: 9.00 is stored,
 * 12.00 is given`. Equivalent versions have no differences, even if their documents differ.
 */
export function versionDifferences(stored: CatalogVersion, given: CatalogVersion): readonly Problem[] {
  const messages: string[] = [];
  for (const message of differences(contentOf(stored), contentOf(given), { owner: '', words: [] })) {
    messages.push(message);
    if (messages.length === MAX_LISTED_PROBLEMS) break;
  }
  return messages.map((message) => ({ message: `${given.title}, ${message}` }));
}

function contentOf({ frame, products, plans }: CatalogVersion): Fields {
  const { priceLists, ...others } = frame.value;
  const lists = [priceLists.defaultPriceList, ...priceLists.childPriceLists];
  return { ...others, priceLists: lists, products, plans: plans.map(ownFields) };
}

/** Returns a plan without the fields that only repeat other fields. */
function ownFields({ initialPhases: _i, finalPhase: _f, billingPeriod: _b, ...plan }: Plan): Fields {
  const { effectiveDateForExistingSubscriptions: date } = plan;
  return { ...plan, effectiveDateForExistingSubscriptions: date === null ? null : formatInstant(date) };
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * A place in a version. It consists of the innermost part that has a name, and the names of the fields from that part
 * to the value.
 */
interface Place {
  readonly owner: string;
  readonly words: readonly string[];
}

function* differences(stored: unknown, given: unknown, place: Place): Iterable<string> {
  if (isSame(stored, given)) return;
  // A missing list, such as a list of features, is treated as an empty list.
  if (stored === undefined && Array.isArray(given)) return yield* differences([], given, place);
  if (given === undefined && Array.isArray(stored)) return yield* differences(stored, [], place);
  if (Array.isArray(stored) && Array.isArray(given))
    yield* ofLists(stored, given, (key) => partOf(place, key));
  else if (isPrice(stored) && isPrice(given)) {
    yield* ofLists(stored.prices, given.prices, (key) => ({
      owner: `${titleOf(place)} in ${key}`,
      words: [],
    }));
  } else if (isFields(stored) && isFields(given)) {
    for (const name of new Set([...Object.keys(stored), ...Object.keys(given)]))
      yield* differences(stored[name], given[name], fieldOf(place, name));
  } else yield `${titleOf(place)}: ${valueText(stored)} is stored, ${valueText(given)} is given`;
}

function* ofLists(
  stored: readonly unknown[],
  given: readonly unknown[],
  placeOf: (key: string) => Place,
): Iterable<string> {
  const [before, now] = [byKey(stored), byKey(given)];
  for (const key of new Set([...before.keys(), ...now.keys()])) {
    const place = placeOf(key);
    if (!now.has(key)) yield `${titleOf(place)} is stored, but missing in the given version`;
    else if (before.has(key)) yield* differences(before.get(key), now.get(key), place);
    else yield `${titleOf(place)} is given, but missing in the stored version`;
  }
}

/**
 * Indexes the entries by name, currency or type. An entry with none of these is indexed by its position, starting at 1.
 */
function byKey(list: readonly unknown[]): ReadonlyMap<string, unknown> {
  return new Map(list.map((entry, index) => [keyOf(entry) ?? String(index + 1), entry]));
}

function keyOf(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (!isFields(entry)) return undefined;
  if (typeof entry.name === 'string' && !('duration' in entry)) return `"${entry.name}"`;
  const key = entry.currency ?? entry.type;
  return typeof key === 'string' && !('size' in entry) ? key : undefined;
}

function partOf({ owner, words }: Place, key: string): Place {
  const kind = (words.at(-1) ?? '').replace(/ies$/, 'y').replace(/s$/, '');
  return { owner: titleOf({ owner, words: [...words.slice(0, -1), kind, key] }), words: [] };
}

const UNNAMED_FIELDS: ReadonlySet<string> = new Set(['amount', 'conditions']);

function fieldOf({ owner, words }: Place, name: string): Place {
  if (UNNAMED_FIELDS.has(name)) return { owner, words };
  const word = name === 'prices' ? 'price' : name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return { owner, words: [...words, word] };
}

function titleOf({ owner, words }: Place): string {
  return [owner, words.join(' ')].filter((text) => text !== '').join(', ');
}

function isSame(stored: unknown, given: unknown): boolean {
  if (isDecimal(stored) && isDecimal(given)) return stored.value.eq(given.value);
  return textOfValue(stored ?? null) === textOfValue(given ?? null);
}

function valueText(value: unknown): string {
  if (isDecimal(value)) return value.text;
  if (value === null || value === undefined) return 'nothing';
  return typeof value === 'object' ? textOfValue(value) : String(value);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isDecimal(value);
}

function isPrice(value: unknown): value is InternationalPrice {
  return isFields(value) && Array.isArray(value.prices);
}

function isDecimal(value: unknown): value is WrittenDecimal {
  return typeof value === 'object' && value !== null && 'text' in value && 'value' in value;
}
