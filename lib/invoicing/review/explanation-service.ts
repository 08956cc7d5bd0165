import { noSuchObject } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import { type CallContext, type ComputedBasis, type InvoiceItem, ObjectType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { NO_PAST } from '../explanation/event-facts.ts';
import { computedBasis, explainItem, type ItemExplanation } from '../explanation/explanation.ts';

export function explanationOperations(ports: Pick<Ports, 'storage'>) {
  return {
    explain: async (context: CallContext, itemId: Uuid): Promise<ItemExplanation> => {
      return ports.storage.read(context.tenant, async (session) => {
        const [item] = await session.invoices.findItemsByIds([itemId]);
        if (item === undefined) throw noSuchObject({ type: ObjectType.INVOICE_ITEM, id: itemId });
        const bases = await session.invoices.findItemBases([itemId]);
        const linkedIds = item.linkedItemId === null ? [] : [item.linkedItemId];
        const [linked] = await session.invoices.findItemsByIds(linkedIds);
        const basis = bases.get(itemId) ?? null;
        const computed = computedBasis(basis);
        const past = computed === null ? NO_PAST : await pastOf(session, linked ?? item, computed);
        const isMigrated = basis === null && (await isOfMigration(session, item));
        const ownPrices = await hasOwnPrices(session, item);
        return explainItem({ item, linked, basis, past, hasOwnPrices: ownPrices, isMigrated });
      });
    },
  };
}

/** @param charge the item, or the repaired item. */
async function pastOf(session: ReadSession, charge: InvoiceItem, basis: ComputedBasis) {
  const { subscriptionId, bundleId, accountId } = charge;
  if (subscriptionId === null || basis.kind === 'CREDIT') return NO_PAST;
  const { subscriptions } = session;
  const active = await subscriptions.findEvents([subscriptionId]);
  const withdrawn = await subscriptions.findWithdrawnEvents([subscriptionId]);
  const named = [basis.event, 'nextEvent' in basis ? basis.nextEvent : null];
  const isBlocked = named.some((event) => event?.type.endsWith('_BILLING_DISABLED'));
  const blocked = [subscriptionId, bundleId, accountId].filter((id) => id !== null);
  return {
    events: [...active, ...withdrawn],
    blockingStates: isBlocked ? await subscriptions.findBlockingStates(blocked) : [],
  };
}

async function isOfMigration(session: ReadSession, { invoiceId }: InvoiceItem): Promise<boolean> {
  const [invoice] = await session.invoices.findByIds([invoiceId]);
  return invoice?.isMigration === true;
}

/** Override plans are named `<plan>-<n>`; few other plans are. */
async function hasOwnPrices(session: ReadSession, { planName }: InvoiceItem): Promise<boolean> {
  if (planName === null || !/-\d+$/.test(planName)) return false;
  return (await session.catalogs.findOverridePlans([planName])).length > 0;
}
