import type { Catalog, CatalogWithOverrides } from '../../catalog/index.ts';
import type {
  Account,
  BillingEvent,
  InvoicingCursor,
  OngoingCharge,
  StoredCursor,
  UsageSection,
} from '../../records/index.ts';
import { type BilledHistory, billingEvents } from '../../subscriptions/index.ts';
import { BillingError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, decimal } from '../../values/money/index.ts';
import { type LocalDate, minDate } from '../../values/time/index.ts';
import type { FixedProposal } from '../proposals/fixed-proposals.ts';
import { recurs } from '../proposals/recurring-proposals.ts';
import { windowOf } from '../proposals/window.ts';

interface CatalogChangesInput {
  readonly account: Account;
  /** The examined subscriptions of the account, including the base subscriptions of add-ons. */
  readonly histories: readonly BilledHistory[];
  readonly catalog: CatalogWithOverrides;
  readonly alignPriceChanges: boolean;
  /** Events of the account's subscriptions, built with the current catalog. */
  readonly bySubscription: ReadonlyMap<Uuid, readonly BillingEvent[]>;
  readonly cursors: readonly StoredCursor[];
}

/** Returns true if the catalog has changed since the evaluation of the subscription. */
export function isBehind(cursor: StoredCursor, catalog: Pick<CatalogWithOverrides, 'revision'>): boolean {
  return cursor.catalogRevision !== catalog.revision;
}

/**
 * Returns the first local date that is billed differently under the current catalog, by subscription, for subscriptions
 * that were evaluated under earlier catalogs (§7.1). A subscription is omitted if nothing changes for it, or if it has
 * settled nothing yet and is evaluated as a whole anyway.
 */
export function catalogChanges(input: CatalogChangesInput): ReadonlyMap<Uuid, LocalDate> {
  const behind = input.cursors.filter(
    (cursor) => cursor.settledThrough !== null && isBehind(cursor, input.catalog),
  );
  const changes = new Map<Uuid, LocalDate>();
  for (const [revision, cursors] of Map.groupBy(behind, ({ catalogRevision }) => catalogRevision)) {
    const earlier = eventsAsOf(revision, input);
    for (const { subscriptionId } of cursors) {
      const date = firstChangedDate(
        earlier.get(subscriptionId) ?? [],
        input.bySubscription.get(subscriptionId) ?? [],
      );
      if (date !== null) changes.set(subscriptionId, date);
    }
  }
  return changes;
}

/**
 * Returns the events according to the earlier catalog. A cursor without a revision was stored before price changes
 * existed, so only price changes count as changes. This also applies if a plugin supplied the catalog, because the
 * earlier content of that catalog is unknown. Past charges that the catalog no longer contains stay as billed.
 */
function eventsAsOf(
  revision: number | null,
  { account, histories, catalog, alignPriceChanges }: CatalogChangesInput,
) {
  const isKnown = revision !== null && catalog.knows(revision);
  const plans = isKnown ? catalog.asOf(revision) : withoutPriceChanges(catalog);
  try {
    const { events } = billingEvents({ account, histories, plans, alignPriceChanges });
    return Map.groupBy(events, (event) => event.subscriptionId);
  } catch (error) {
    // An earlier catalog that lacks some of the plans cannot show the changes, so everything is evaluated again.
    if (error instanceof BillingError) return new Map();
    throw error;
  }
}

function withoutPriceChanges(catalog: CatalogWithOverrides) {
  return {
    resolvePlan: catalog.resolvePlan.bind(catalog),
    versionAt: catalog.versionAt.bind(catalog),
    priceChangeEvents: () => [],
  };
}

/**
 * Returns the local date from which one subscription is billed differently under another stream of events, or null if
 * it is billed the same. The version that supplies a plan is only informational and makes no difference (§5.5 rule
 * 1), except for usage, which is counted again under another version (usage §6.1).
 */
export function firstChangedDate(
  before: readonly BillingEvent[],
  after: readonly BillingEvent[],
): LocalDate | null {
  const length = Math.max(before.length, after.length);
  for (let index = 0; index < length; index += 1) {
    const [was, is] = [before[index], after[index]];
    if (was === undefined || is === undefined) return was?.localDate ?? is?.localDate ?? null;
    if (!isBilledAlike(was, is)) return minDate(was.localDate, is.localDate);
  }
  return null;
}

function isBilledAlike(one: BillingEvent, other: BillingEvent): boolean {
  return (
    comparedAsTheyAre.every((name) => one[name] === other[name]) &&
    isSameAmount(one.fixedPrice, other.fixedPrice) &&
    isSameAmount(one.recurringPrice, other.recurringPrice) &&
    hasSameUsages(one.usages, other.usages)
  );
}

const comparedAsTheyAre = [
  'localDate',
  'planName',
  'phaseName',
  'billingPeriod',
  'billingMode',
  'billCycleDayLocal',
  'quantity',
] as const satisfies readonly (keyof BillingEvent)[];

function hasSameUsages(some: readonly UsageSection[], others: readonly UsageSection[]): boolean {
  if (some === others) return true;
  return (
    some.length === others.length &&
    some.every((section) => others.some((other) => isSameSection(section, other)))
  );
}

function isSameSection(one: UsageSection, other: UsageSection): boolean {
  return (
    one.name === other.name &&
    one.versionDate === other.versionDate &&
    one.priceIdentity === other.priceIdentity &&
    one.billingPeriod === other.billingPeriod
  );
}

function isSameAmount(one: Decimal | null, other: Decimal | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}

/**
 * Returns the date before which a subscription stays as billed, even if the current catalog differs. This applies if a
 * catalog plugin started or stopped serving the tenant, or changed its content. In these cases, the catalog of the
 * earlier bills is unknown, which alone must not cause new items (catalog §16 rule 1). Returns null if that catalog is
 * known, or if nothing was settled.
 */
export function findKnownUntilDate(
  cursor: StoredCursor,
  catalog: Pick<Catalog, 'knows' | 'revision'>,
): LocalDate | null {
  const { settledThrough, dirtyFrom, catalogRevision } = cursor;
  if (settledThrough === null || catalogRevision === null || !isBehind(cursor, catalog)) return null;
  if (catalog.knows(catalogRevision)) return null;
  return dirtyFrom === null ? settledThrough : minDate(settledThrough, dirtyFrom);
}

/** Returns true if the evaluation after `cursor` still covers days that stay as billed. */
export function coversSettledDays(
  {
    events,
    knownUntil: until = null,
  }: { readonly events: readonly BillingEvent[]; readonly knownUntil?: LocalDate | null },
  cursor: InvoicingCursor,
): boolean {
  if (until === null) return false;
  const { start } = windowOf({ events, cursor, targetDate: null });
  return start === null || start < until;
}

/** Returns the proposals that start on or after a date. Earlier days stay as billed. */
export function selectProposalsFrom(
  proposals: readonly FixedProposal[],
  date: LocalDate | null,
): readonly FixedProposal[] {
  return date === null ? proposals : proposals.filter(({ startDate }) => startDate >= date);
}

/**
 * Returns the ongoing charge of a subscription after the evaluation that stores `cursor`. It is the last billing
 * event, if the event is recurring, began before the settled date and is the final one. Until the subscription or the
 * catalog changes, windows begin at that event (§7.2 step 2) and contain no other event. Returns null if the next
 * evaluation needs more events, such as those that charged usage, because some usage may arrive late (usage §7.7).
 * Discounts also need all events, which determine the discounted periods.
 * @param events all billing events, in order, of a subscription that is billed only by its own events. Add-ons are
 * excluded, because they end with their base.
 */
export function ongoingChargeAfter(
  events: readonly BillingEvent[],
  { settledThrough }: Pick<InvoicingCursor, 'settledThrough'>,
): OngoingCharge | null {
  const event = events.at(-1);
  if (event === undefined || settledThrough === null) return null;
  if (
    !recurs(event) ||
    events.some(({ usages, discounts }) => usages.length > 0 || discounts !== undefined) ||
    event.localDate >= settledThrough ||
    leavesFreeItems(event)
  )
    return null;
  return { event };
}

/**
 * Returns true if the charge may have free items after the settled date. Free items are never repaired. They remain if
 * they were billed before the end of their period and `inArrear.mode` has changed since. An amount below 1 may round to
 * zero.
 */
function leavesFreeItems({ billingMode, recurringPrice, quantity }: BillingEvent): boolean {
  return billingMode === 'IN_ARREAR' && (recurringPrice?.times(decimal(quantity)).lessThan(1) ?? false);
}

/**
 * Returns the ongoing charge if it is sufficient for the next evaluation. Returns null if the events must be loaded.
 */
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
  // The account's first bill cycle day comes from all events of its subscriptions.
  const hasDay = account.billCycleDayLocal !== 0;
  if (!hasDay || ongoing === null || dirtyFrom !== null || isBehind(cursor, catalog)) return null;
  return catalog.isRevised() || catalog.isRevised(ongoing.event.planName) ? ongoing : null;
}
