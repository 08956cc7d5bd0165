import type { ReadSession } from '../../ports/storage/index.ts';
import type { CoverageRow, InvoiceItem } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type AccountBilling, runInput } from '../evaluation/account-billing.ts';
import { missingItemIdsOfAccount } from '../evaluation/evaluate-account.ts';
import type { SubscriptionBilling } from '../evaluation/evaluate-subscription.ts';
import type { InvoicingConfig } from '../periods/invoicing-config.ts';

/**
 * Loads the items that these runs will repair, with all of their rows (§7.2 rule 6). Accounts without changes repair
 * nothing and cost no statement.
 */
export async function withRepairedItems(
  session: ReadSession,
  billings: readonly AccountBilling[],
  config: InvoicingConfig,
): Promise<readonly AccountBilling[]> {
  const itemIds = billings.flatMap((billing) => itemIdsToRepair(billing, config));
  return itemIds.length === 0 ? billings : withItems(session, billings, itemIds);
}

async function withItems(
  session: ReadSession,
  billings: readonly AccountBilling[],
  itemIds: readonly Uuid[],
): Promise<readonly AccountBilling[]> {
  const [foundItems, foundRows] = await Promise.all([
    session.invoices.findItemsByIds(itemIds),
    session.invoices.loadCoverageOfItems(itemIds),
  ]);
  const items = Map.groupBy(foundItems, (item) => item.subscriptionId);
  const rows = Map.groupBy(foundRows, (row) => row.subscriptionId);
  return billings.map((billing) => ({
    ...billing,
    subscriptions: billing.subscriptions.map((subscription) =>
      joined(
        subscription,
        items.get(subscription.subscriptionId) ?? [],
        rows.get(subscription.subscriptionId) ?? [],
      ),
    ),
  }));
}

function joined(
  subscription: SubscriptionBilling,
  items: readonly InvoiceItem[],
  rows: readonly CoverageRow[],
): SubscriptionBilling {
  if (items.length === 0) return subscription;
  const loaded = new Set(items.map((item) => item.id));
  const others = subscription.rows.filter((row) => !loaded.has(row.itemId));
  return {
    ...subscription,
    items: new Map(items.map((item) => [item.id, item])),
    rows: [...others, ...rows],
  };
}

/** Loads the items of all RECURRING rows in the windows: a dry run goes from date to date, and any step may repair them. */
export async function withWindowItems(
  session: ReadSession,
  billings: readonly AccountBilling[],
): Promise<readonly AccountBilling[]> {
  const rows = billings.flatMap(({ subscriptions }) =>
    subscriptions.flatMap((subscription) => subscription.rows),
  );
  const itemIds = rows.filter((row) => row.kind === 'RECURRING').map((row) => row.itemId);
  return itemIds.length === 0 ? billings : withItems(session, billings, itemIds);
}

/** An account that cannot be evaluated names none; its own evaluation then fails and says why. */
function itemIdsToRepair(billing: AccountBilling, config: InvoicingConfig): readonly Uuid[] {
  try {
    return missingItemIdsOfAccount(runInput(billing, config));
  } catch {
    return [];
  }
}
