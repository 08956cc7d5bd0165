import type { BilledEntry, BilledRecord } from './billed-record.ts';
import type { OracleInterval, OracleRun } from './oracle-intervals.ts';
import { byText, type OraclePrice, type PriceLine, toCents, total } from './oracle-price.ts';
import type { OraclePoint, OracleSection, OracleSettings } from './usage-facts.ts';

export interface DueItem {
  readonly entry: BilledEntry;
  readonly rate: bigint | null;
  readonly quantity: bigint | null;
  /** The lines in its details. */
  readonly shown: readonly PriceLine[];
  readonly exact: bigint;
  readonly beyond: OraclePrice['beyond'];
}

export interface Due {
  readonly section: OracleSection;
  readonly price: OraclePrice;
  readonly previous: readonly BilledRecord[];
  readonly settings: OracleSettings;
}

/** Applies usage §7.3 steps 4 and 5, usage §7.4 and usage §7.7 rule 2. */
export function dueItems(due: Due): readonly DueItem[] {
  const inDetail = due.settings.itemMode === 'DETAIL' && due.section.kind !== 'CAPACITY';
  return inDetail ? byLine(due) : asOne(due);
}

function asOne({ section, price, previous, settings }: Due): readonly DueItem[] {
  const billed = total(previous.flatMap(({ entries }) => entries.map(({ amount }) => amount)));
  const delta = toCents(price.exact) - billed;
  if (previous.length > 0 && delta === 0n) return [];
  const isMeter = section.kind === 'ALL_TIERS';
  const changes = isMeter ? changesOf(section, price, previous) : price.lines;
  const listed = isMeter
    ? changes.filter(({ tier, quantity, amount }) => tier === 1 || quantity !== 0n || amount !== 0n)
    : changes;
  const exact = section.kind === 'CAPACITY' ? price.exact : total(listed.map(({ amount }) => amount));
  const more = { rate: null, quantity: null, beyond: price.beyond };
  if (delta >= 0n) {
    const entry = { of: null, amount: delta, left: delta, lines: listed, lineKey: null };
    return [{ entry, shown: listed, exact, ...more }];
  }
  if (settings.negativeDelta === 'IGNORE') return [];
  return credits(-delta, { previous, isPreferred: () => false, given: new Map() }).map(
    ({ of, amount }, index) => {
      const isWhole = index === 0 || !isMeter;
      const lines = isWhole ? listed : listed.map(emptied);
      const entry = { of, amount, left: 0n, lines, lineKey: null };
      return { entry, shown: lines, exact: isWhole ? exact : 0n, ...more };
    },
  );
}

function byLine({ section, price, previous, settings }: Due): readonly DueItem[] {
  const given = new Map<BilledEntry, bigint>();
  return changesOf(section, price, previous).flatMap((change): readonly DueItem[] => {
    const key = keyOf(section, change);
    const now = price.lines.find((line) => keyOf(section, line) === key);
    const entries = previous.flatMap((record) => record.entries);
    const billed = total(entries.filter(({ lineKey }) => lineKey === key).map(({ amount }) => amount));
    const delta = toCents(now?.amount ?? 0n) - billed;
    if (previous.length > 0 && delta === 0n && change.quantity === 0n) return [];
    const whole = section.kind === 'TOP_TIER' ? (now ?? change) : change;
    const lastTier = price.lines.findLast(({ unit }) => unit === change.unit)?.tier;
    const beyond = lastTier === change.tier ? price.beyond.filter(({ unit }) => unit === change.unit) : [];
    if (delta >= 0n) {
      const entry = { of: null, amount: delta, left: delta, lines: [whole], lineKey: key };
      return [
        { entry, rate: whole.price, quantity: whole.quantity, shown: [whole], exact: whole.amount, beyond },
      ];
    }
    if (settings.negativeDelta === 'IGNORE') return [];
    const isPreferred = ({ lineKey }: BilledEntry) => lineKey === key;
    return credits(-delta, { previous, isPreferred, given }).map(({ of, amount }, index) => {
      const line = index === 0 || section.kind === 'TOP_TIER' ? whole : emptied(whole);
      const entry = { of, amount, left: 0n, lines: [line], lineKey: key };
      return { entry, rate: null, quantity: null, shown: [line], exact: line.amount, beyond };
    });
  });
}

function emptied(line: PriceLine): PriceLine {
  return { ...line, quantity: 0n, amount: 0n };
}

function keyOf({ kind }: OracleSection, { unit, tier }: PriceLine): string {
  return kind === 'TOP_TIER' ? unit : `${unit} ${tier}`;
}

/** Lines with their unbilled rest, including lines that are only billed. */
function changesOf(section: OracleSection, price: OraclePrice, previous: readonly BilledRecord[]) {
  const billed = new Map<string, PriceLine>();
  for (const line of billedLines(section, previous)) {
    const before = billed.get(keyOf(section, line));
    billed.set(keyOf(section, line), before === undefined ? line : added(line, before, 1n));
  }
  const now = new Map(price.lines.map((line) => [keyOf(section, line), line]));
  const changes = [...now].map(([key, line]) => {
    const before = billed.get(key);
    return before === undefined ? line : added(line, before, -1n);
  });
  const gone = [...billed]
    .filter(([key]) => !now.has(key))
    .map(([, line]) => added(emptied(line), line, -1n));
  return [...changes, ...gone].toSorted((a, b) => byText(a.unit, b.unit) || a.tier - b.tier);
}

function added(line: PriceLine, other: PriceLine, sign: bigint): PriceLine {
  return {
    ...line,
    quantity: line.quantity + sign * other.quantity,
    amount: line.amount + sign * other.amount,
  };
}

/** ALL_TIERS lines add up. Of TOP_TIER lines, which are totals, the last one of the longest period counts. */
function billedLines(section: OracleSection, previous: readonly BilledRecord[]): readonly PriceLine[] {
  if (section.kind === 'ALL_TIERS') return previous.flatMap(linesOf);
  const periods = [...Map.groupBy(previous, ({ start, end }) => `${start.at} ${end.at}`).values()];
  return periods.flatMap((records) => {
    const latest = [...new Map(records.flatMap(linesOf).map((line) => [line.unit, line])).values()];
    const longer = previous.filter((other) => records.some((one) => isLonger(other, one))).flatMap(linesOf);
    return latest.filter(({ unit }) => !longer.some((line) => line.unit === unit));
  });
}

function linesOf({ entries }: BilledRecord): readonly PriceLine[] {
  return entries.flatMap(({ lines }) => lines);
}

function isLonger(one: BilledRecord, inner: BilledRecord): boolean {
  const [a, b] = [one.start.at, one.end.at];
  return a <= inner.start.at && inner.end.at <= b && (a < inner.start.at || inner.end.at < b);
}

interface Refundable {
  readonly previous: readonly BilledRecord[];
  readonly isPreferred: (entry: BilledEntry) => boolean;
  /** The amounts that this run has already credited. */
  readonly given: Map<BilledEntry, bigint>;
}

/** Credits preferred items first, then the newest, each up to its remaining amount. */
function credits(amount: bigint, { previous, isPreferred, given }: Refundable) {
  const items = previous
    .flatMap(({ entries }) => entries)
    .filter(({ of }) => of === null)
    .toReversed();
  let open = amount;
  const parts: { readonly of: BilledEntry; readonly amount: bigint }[] = [];
  for (const of of [...items.filter(isPreferred), ...items.filter((item) => !isPreferred(item))]) {
    const left = of.left - (given.get(of) ?? 0n);
    const part = left < open ? left : open;
    if (part <= 0n) continue;
    given.set(of, (given.get(of) ?? 0n) + part);
    parts.push({ of, amount: -part });
    open -= part;
  }
  return parts;
}

/** An interval with the result of a run. */
export interface OwedInterval {
  readonly run: OracleRun;
  readonly interval: OracleInterval;
  readonly previous: readonly BilledRecord[];
  readonly items: readonly DueItem[];
  /** The days of its credits, if not its own. */
  readonly credited?: Pick<OracleInterval, 'start' | 'end'> | undefined;
  /** Points that no later run charges again. */
  readonly points: ReadonlySet<OraclePoint>;
}
