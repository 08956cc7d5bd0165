import type { Account } from '../accounts/model.ts';
import type { CatalogOfAccount } from '../catalog/catalog-source.ts';
import type { Uuid } from '../ids/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { LocalDate } from '../time/index.ts';
import { initialState } from './initial-state.ts';
import { evaluateAccount } from './invoice-run.ts';
import type { InvoicingConfig } from './invoicing-config.ts';
import { type AccountBilling, loadBillingState } from './load-billing-state.ts';
import type { BillingRequest, CursorChoice } from './load-streams.ts';
import type { AccountInvoicingState } from './model.ts';
import type { NewInvoiceItem } from './new-items.ts';
import { runInput, withRepairedItems, withWindowItems } from './run-accounts.ts';

/** A subscription of which the next run would make other items than the evaluation of its whole history. */
export interface CoverageDifference {
  readonly subscriptionId: Uuid;
  /** Items that the whole history asks for; ids are made up. */
  readonly expected: readonly NewInvoiceItem[];
  /** Items that the run would make. */
  readonly found: readonly NewInvoiceItem[];
}

export interface VerifyInput {
  readonly account: Account;
  /** null = none is stored yet. */
  readonly state: AccountInvoicingState | null;
  /** Up to which a run would be made. */
  readonly targetDate: LocalDate;
  readonly catalogOf: CatalogOfAccount;
  readonly config: InvoicingConfig;
}

/**
 * Compares what the next run of an account would make with the evaluation of everything there is (invoicing.md §7.3).
 * Reads one snapshot, takes no lock and writes nothing; costs the whole history.
 */
export async function verifyCoverage(
  session: ReadSession,
  input: VerifyInput,
): Promise<readonly CoverageDifference[]> {
  const { account, state, targetDate, config } = input;
  const requests = [{ account, targetDate, runDate: targetDate, state: state ?? initialState(account) }];
  const [run] = await withRepairedItems(
    session,
    await load(session, input, { requests, choice: 'due' }),
    config,
  );
  const all = await load(session, input, { requests, choice: 'all' });
  const [whole] = await withWindowItems(session, await wholeHistories(session, all));
  const found = itemsBySubscription(run, config);
  const expected = itemsBySubscription(whole, config);
  const ids = [...new Set([...found.keys(), ...expected.keys()])].sort();
  return ids
    .map((subscriptionId) => ({
      subscriptionId,
      expected: expected.get(subscriptionId) ?? [],
      found: found.get(subscriptionId) ?? [],
    }))
    .filter((each) => factsOf(each.expected) !== factsOf(each.found));
}

interface LoadChoice {
  readonly requests: readonly BillingRequest[];
  readonly choice: CursorChoice;
}

async function load(
  session: ReadSession,
  { catalogOf, config }: VerifyInput,
  { requests, choice }: LoadChoice,
): Promise<readonly AccountBilling[]> {
  const { alignPriceChanges } = config;
  const { billings, failures } = await loadBillingState(session, {
    requests,
    catalogOf,
    choice,
    alignPriceChanges,
  });
  for (const { error } of failures) throw error;
  return billings;
}

/** The subscriptions as if they had never been evaluated, with every row that there is. */
async function wholeHistories(
  session: ReadSession,
  billings: readonly AccountBilling[],
): Promise<readonly AccountBilling[]> {
  const windows = billings.flatMap(({ subscriptions }) =>
    subscriptions.map(({ subscriptionId }) => ({ subscriptionId, from: null })),
  );
  const rows = Map.groupBy(
    await session.invoices.loadCoverage(windows),
    ({ subscriptionId }) => subscriptionId,
  );
  return billings.map((billing) => ({
    ...billing,
    subscriptions: billing.subscriptions.map((subscription) => ({
      ...subscription,
      cursor: null,
      rows: rows.get(subscription.subscriptionId) ?? [],
    })),
  }));
}

function itemsBySubscription(
  billing: AccountBilling | undefined,
  config: InvoicingConfig,
): ReadonlyMap<Uuid, readonly NewInvoiceItem[]> {
  if (billing === undefined) return new Map();
  // Nothing is stored, so any id does; items of one evaluation do not refer to each other.
  const { evaluations } = evaluateAccount(runInput(billing, config), () => billing.account.id);
  return new Map(
    evaluations
      .filter(({ items }) => items.length > 0)
      .map(({ subscriptionId, items }) => [subscriptionId, items]),
  );
}

function factsOf(items: readonly NewInvoiceItem[]): string {
  return JSON.stringify(items);
}
