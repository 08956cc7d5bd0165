import { noSuchObject } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import { type CallContext, type InvoiceItem, type ItemBasis, ObjectType } from '../../records/index.ts';
import { blockingStatesUnder, type Hypothesis, historyUnder } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { NO_PAST, type SubscriptionPast } from '../explanation/event-facts.ts';
import { computedBasis, explainItem, type ItemExplanation } from '../explanation/explanation.ts';

export function explanationOperations(ports: Pick<Ports, 'storage'>) {
  return {
    explain: async (context: CallContext, itemId: Uuid): Promise<ItemExplanation> => {
      return ports.storage.read(context.tenant, async (session) => {
        const items = await session.invoices.findItemsByIds([itemId]);
        const explanation = (await explainItems(session, items)).get(itemId);
        if (explanation === undefined) throw noSuchObject({ type: ObjectType.INVOICE_ITEM, id: itemId });
        return explanation;
      });
    },
  };
}

/** A stored item, or an item that a dry run created together with its facts. */
export type ExplainableItem = InvoiceItem & { readonly basis?: ItemBasis | undefined };

/**
 * Explains items in a constant number of statements.
 * @param hypothesis The hypothetical action of the dry run that created the items. Defaults to none.
 */
export async function explainItems(
  session: ReadSession,
  items: readonly ExplainableItem[],
  hypothesis: Hypothesis | null = null,
): Promise<ReadonlyMap<Uuid, ItemExplanation>> {
  const bases = await basesOf(session, items);
  const linkedOf = await linkedItems(session, items);
  const chargeOf = (item: InvoiceItem) => linkedOf.get(item.linkedItemId ?? item.id) ?? item;
  const charges = items.filter(({ id }) => needsPast(bases.get(id))).map(chargeOf);
  const isBlocked = [...bases.values()].some(isOfBlock);
  const pastOf = await loadPasts(session, { charges, hypothesis, isBlocked });
  const migrated = await migrationInvoices(session, items, bases);
  const ownPrices = await plansWithOwnPrices(session, items);
  const overridePlan = hypothesis?.overridePlan?.name;
  return new Map(
    items.map((item) => {
      const { id, planName, invoiceId, linkedItemId } = item;
      const basis = bases.get(id) ?? null;
      const past = needsPast(basis) ? pastOf(chargeOf(item)) : NO_PAST;
      const hasOwnPrices = planName !== null && (ownPrices.has(planName) || planName === overridePlan);
      const isMigrated = basis === null && migrated.has(invoiceId);
      const linked = linkedItemId === null ? undefined : linkedOf.get(linkedItemId);
      return [id, explainItem({ item, linked, basis, past, hasOwnPrices, isMigrated })];
    }),
  );
}

async function basesOf(session: ReadSession, items: readonly ExplainableItem[]) {
  const stored = await session.invoices.findItemBases(items.filter(isStored).map(({ id }) => id));
  const made = items.flatMap(({ id, basis }) => (basis === undefined ? [] : [[id, basis] as const]));
  return new Map<Uuid, ItemBasis>([...stored, ...made]);
}

/** Returns true for a stored item. An item that already has its facts in memory needs no lookup. */
function isStored({ basis }: ExplainableItem): boolean {
  return basis === undefined;
}

/**
 * Returns the items that the given items repair or adjust. Each of them is stored or is itself one of the given items.
 */
async function linkedItems(session: ReadSession, items: readonly InvoiceItem[]) {
  const own = new Map(items.map((item) => [item.id, item]));
  const ids = new Set(items.flatMap(({ linkedItemId }) => linkedItemId ?? []));
  const missing = [...ids].filter((id) => !own.has(id));
  const stored = await session.invoices.findItemsByIds(missing);
  return new Map([...own, ...stored.map((item) => [item.id, item] as const)]);
}

interface PastInput {
  /** The charges to explain. The charge is the repaired item for a repair, and otherwise the item itself. */
  readonly charges: readonly InvoiceItem[];
  readonly hypothesis: Hypothesis | null;
  readonly isBlocked: boolean;
}

/** Loads the histories of the subscriptions. Loads blocking states only if an event of a basis refers to one. */
async function loadPasts(session: ReadSession, { charges, hypothesis, isBlocked }: PastInput) {
  const { subscriptions } = session;
  const ids = [...new Set(charges.flatMap(({ subscriptionId }) => subscriptionId ?? []))];
  const active = await subscriptions.findEvents(ids);
  const withdrawn = await subscriptions.findWithdrawnEvents(ids);
  const events =
    hypothesis === null ? [...active, ...withdrawn] : historyUnder(hypothesis, active, withdrawn);
  const blockedIds = isBlocked ? [...new Set(charges.flatMap(blockedPath))] : [];
  const stored = await subscriptions.findBlockingStates(blockedIds);
  const states = hypothesis === null || !isBlocked ? stored : blockingStatesUnder(hypothesis, stored);
  const eventsOf = Map.groupBy(events, ({ subscriptionId }) => subscriptionId);
  const statesOf = Map.groupBy(states, ({ blockedId }) => blockedId);
  return (charge: InvoiceItem): SubscriptionPast => {
    const { subscriptionId } = charge;
    if (subscriptionId === null) return NO_PAST;
    const blockingStates = blockedPath(charge).flatMap((id) => statesOf.get(id) ?? []);
    return { events: eventsOf.get(subscriptionId) ?? [], blockingStates };
  };
}

function blockedPath({ subscriptionId, bundleId, accountId }: InvoiceItem): readonly Uuid[] {
  return [subscriptionId, bundleId, accountId].filter((id) => id !== null);
}

function needsPast(basis: ItemBasis | null | undefined): boolean {
  const computed = computedBasis(basis ?? null);
  return computed !== null && computed.kind !== 'CREDIT';
}

function isOfBlock(basis: ItemBasis): boolean {
  const computed = computedBasis(basis);
  if (computed === null || computed.kind === 'CREDIT') return false;
  const named = [computed.event, 'nextEvent' in computed ? computed.nextEvent : null];
  return named.some((event) => event?.type.endsWith('_BILLING_DISABLED'));
}

async function migrationInvoices(
  session: ReadSession,
  items: readonly ExplainableItem[],
  bases: ReadonlyMap<Uuid, ItemBasis>,
): Promise<ReadonlySet<Uuid>> {
  const ids = items.flatMap(({ id, invoiceId }) => (bases.has(id) ? [] : invoiceId));
  const invoices = await session.invoices.findByIds([...new Set(ids)]);
  return new Set(invoices.flatMap(({ id, isMigration }) => (isMigration ? id : [])));
}

/**
 * Returns the override plans among the items' plans. The name of an override plan has the form `<plan>-<n>`. Few other
 * plan names have this form.
 */
async function plansWithOwnPrices(session: ReadSession, items: readonly InvoiceItem[]) {
  const names = items.flatMap(({ planName }) =>
    planName !== null && /-\d+$/.test(planName) ? planName : [],
  );
  const plans = await session.catalogs.findOverridePlans([...new Set(names)]);
  return new Set(plans.map(({ planName }) => planName));
}
