import type { ReadSession } from '../../ports/storage/index.ts';
import type { DayUsage, InvoiceItem, ItemBasis, StoredUsageInterval } from '../../records/index.ts';
import { SystemKey } from '../../tenants/index.ts';
import {
  type BilledInterval,
  type FreedPoints,
  LateMode,
  NO_TERMS,
  piecesNeeded,
  readUsageTerms,
  type UsagePiece,
  type UsageTerms,
  usageSettings,
} from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { LocalDate, TimeZone } from '../../values/time/index.ts';
import type { AccountBilling } from '../evaluation/evaluate-account.ts';
import type { SubscriptionBilling } from '../evaluation/evaluate-subscription.ts';
import type { DayMarks, SubscriptionUsage } from '../evaluation/evaluate-usage.ts';
import { type UsageOrigin, withSupply } from '../evaluation/source-usage.ts';
import { billedIntervals, freedPoints } from '../evaluation/stored-intervals.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';

export interface UsageLoading {
  readonly config: InvoicingConfig['usage'];
  /** Of the subscriptions that are stored; of others nothing was used. */
  readonly recordIds: ReadonlyMap<Uuid, number>;
  readonly originOf: (accountId: Uuid) => UsageOrigin;
}

interface LoadingUnderTerms extends UsageLoading {
  readonly terms: UsageTerms;
}

/** A subscription that charges usage. */
interface Metered {
  readonly subscriptionId: Uuid;
  /** null = it is not stored, so that nothing can have been recorded for it. */
  readonly subscriptionRecordId: number | null;
  readonly events: SubscriptionBilling['events'];
  readonly zone: TimeZone;
  readonly from: LocalDate | null;
  /** Whether its usage is what is recorded; else that is not read. */
  readonly isRecorded: boolean;
}

/**
 * Loads what was used and what is billed of it, in a constant number of statements for any number of accounts: intervals,
 * their items, sums of days, and the days that have to be read in pieces. Without usage it costs none.
 */
export async function withUsage(
  session: ReadSession,
  billings: readonly AccountBilling[],
  loading: UsageLoading,
): Promise<readonly AccountBilling[]> {
  if (!billings.some(({ subscriptions }) => subscriptions.some(isMetered))) return billings;
  const terms = await loadUsageTerms(session);
  const metered = billings.flatMap((billing) => meteredOf(billing, { ...loading, terms }));
  const usages = await loadUsage(session, metered, loading.config.lateMode === LateMode.IGNORE);
  return billings.map((billing) => {
    const origin = loading.originOf(billing.account.id);
    const subscriptions = billing.subscriptions.map((subscription) => {
      const usage = usages.get(subscription.subscriptionId);
      return usage === undefined ? subscription : { ...subscription, usage: { ...usage, terms } };
    });
    const isTold = typeof origin === 'object';
    return { ...billing, subscriptions: isTold ? withSupply(subscriptions, origin) : subscriptions };
  });
}

function meteredOf(
  { account, subscriptions }: AccountBilling,
  { config, recordIds, originOf, terms }: LoadingUnderTerms,
): readonly Metered[] {
  const isRecorded = originOf(account.id) === 'RECORDED';
  return subscriptions.flatMap((subscription): readonly Metered[] => {
    if (!isMetered(subscription)) return [];
    const { subscriptionId, events } = subscription;
    const subscriptionRecordId = recordIds.get(subscriptionId) ?? null;
    const from = readFrom(subscription, usageSettings(config, terms));
    return [{ subscriptionId, subscriptionRecordId, events, zone: account.timeZone, from, isRecorded }];
  });
}

/** True if it charges usage, or did when it was billed last: what was charged then is credited. */
function isMetered({ events, cursor }: SubscriptionBilling): boolean {
  return (cursor?.usage ?? null) !== null || events.some(({ usages }) => usages.length > 0);
}

/** Where its events or the settings have changed, everything is read again. */
function readFrom({ cursor }: SubscriptionBilling, settings: string): LocalDate | null {
  const reading = cursor?.usage ?? null;
  if (reading === null || cursor?.dirtyFrom !== null) return null;
  return reading.settings === settings ? reading.from : null;
}

async function loadUsage(
  session: ReadSession,
  metered: readonly Metered[],
  ignoresLate: boolean,
): Promise<ReadonlyMap<Uuid, SubscriptionUsage>> {
  const freedOf = ignoresLate ? await loadFreed(session, metered) : NONE_FREED;
  const stored = Map.groupBy(await session.usage.intervals(metered), ({ subscriptionId }) => subscriptionId);
  const storedOf = ({ subscriptionId }: Metered): readonly StoredUsageInterval[] =>
    stored.get(subscriptionId) ?? [];
  const recorded = metered.filter(hasRecords);
  const [billedOf, days] = await Promise.all([
    loadBilled(session, [...stored.values()].flat()),
    session.usage.days(
      recorded.map((each) => ({
        ...each,
        dates: [...storedOf(each), ...(freedOf.get(each.subscriptionId) ?? [])].flatMap(({ consumed }) =>
          consumed.map(({ localDate }) => localDate),
        ),
      })),
    ),
  ]);
  const daysOf = new Map(recorded.map(({ subscriptionId }, index) => [subscriptionId, days[index] ?? []]));
  const needed = metered.map((each) => {
    const billed = billedOf(storedOf(each));
    const own = daysOf.get(each.subscriptionId) ?? [];
    const marks = each.isRecorded ? marksOf(own) : null;
    const freed = freedOf.get(each.subscriptionId) ?? [];
    const needed = piecesNeeded({ ...each, billed: [...billed, ...freed], days: own });
    return { ...each, billed, freed, marks, ...needed };
  });
  const requests = needed
    .filter(hasRecords)
    .flatMap(({ subscriptionId, subscriptionRecordId, split }) =>
      split.map((request) => ({ ...request, subscriptionId, subscriptionRecordId })),
    );
  const found = await session.usage.pieces(requests);
  const pieces = new Map<Uuid, UsagePiece[]>();
  for (const [index, { subscriptionId }] of requests.entries()) {
    const own = pieces.get(subscriptionId) ?? [];
    own.push(...(found[index] ?? []));
    pieces.set(subscriptionId, own);
  }
  return new Map(
    needed.map(({ subscriptionId, zone, billed, freed, from, marks, whole }) => [
      subscriptionId,
      { zone, billed, freed, from, marks, pieces: [...whole, ...(pieces.get(subscriptionId) ?? [])] },
    ]),
  );
}

type FreedOf = ReadonlyMap<Uuid, readonly FreedPoints[]>;

const NONE_FREED: FreedOf = new Map();

/** What invoices had charged that are VOID now: it is billed again, be its time billed or not (usage §7.7 rule 6). */
async function loadFreed(session: ReadSession, metered: readonly Metered[]): Promise<FreedOf> {
  const stored = await session.usage.voidIntervals(metered);
  const bySubscription = Map.groupBy(stored, ({ subscriptionId }) => subscriptionId);
  return new Map([...bySubscription].map(([id, intervals]) => [id, freedPoints(intervals)]));
}

function hasRecords<One extends Metered>(one: One): one is One & { readonly subscriptionRecordId: number } {
  return one.isRecorded && one.subscriptionRecordId !== null;
}

/** A number that grows with each point that is recorded for a day, and each time that some are voided. */
export function marksOf(days: readonly DayUsage[]): DayMarks {
  const marks = new Map<LocalDate, number>();
  for (const { localDate, count, version } of days)
    marks.set(localDate, (marks.get(localDate) ?? 0) + count + version);
  return marks;
}

/** What is billed of stored intervals; two statements. */
export async function loadBilled(
  session: ReadSession,
  stored: readonly StoredUsageInterval[],
): Promise<(intervals: readonly StoredUsageInterval[]) => readonly BilledInterval[]> {
  const itemIds = stored.flatMap((interval) => interval.itemIds);
  const [items, bases]: [readonly InvoiceItem[], ReadonlyMap<Uuid, ItemBasis>] = await Promise.all([
    session.invoices.findItemsByIds(itemIds),
    session.invoices.findItemBases(itemIds),
  ]);
  const itemOf = new Map(items.map((item) => [item.id, item]));
  return (intervals) => billedIntervals(intervals, { itemOf, bases });
}

/** The tenant's usage terms (usage §12); they were read when they were uploaded. One statement. */
export async function loadUsageTerms(session: ReadSession): Promise<UsageTerms> {
  const [stored] = await session.keyValues.find([SystemKey.USAGE_TERMS]);
  return stored === undefined ? NO_TERMS : readUsageTerms(stored.value, String(stored.recordId));
}
