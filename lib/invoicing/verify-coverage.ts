import type { Account } from '../accounts/model.ts';
import type { CatalogOfAccount } from '../catalog/catalog-source.ts';
import type { Uuid } from '../ids/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import { addDays, type LocalDate, maxDate } from '../time/index.ts';
import {
  evaluateSubscription,
  type SubscriptionBilling,
  type SubscriptionEvaluation,
} from './evaluate-subscription.ts';
import { initialState } from './initial-state.ts';
import { type AccountRunInput, evaluateAccount } from './invoice-run.ts';
import type { InvoicingConfig } from './invoicing-config.ts';
import { type AccountBilling, loadBillingState } from './load-billing-state.ts';
import { type BillingRequest, type CursorChoice, choiceOfRun } from './load-streams.ts';
import type { AccountInvoicingState } from './model.ts';
import type { NewInvoiceItem } from './new-items.ts';
import { runInput, withRepairedItems, withWindowItems } from './run-accounts.ts';
import { isDue } from './window.ts';

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
    await load(session, input, { requests, choice: choiceOfRun(config) }),
    config,
  );
  const all = await load(session, input, { requests, choice: 'all' });
  const [whole] = await withWindowItems(session, await withAllRows(session, all));
  const found = itemsOfRun(run, config);
  const expected = itemsOfWholeHistories(whole, config);
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

async function withAllRows(
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
      rows: rows.get(subscription.subscriptionId) ?? [],
    })),
  }));
}

type Items = ReadonlyMap<Uuid, readonly NewInvoiceItem[]>;

function itemsOfRun(billing: AccountBilling | undefined, config: InvoicingConfig): Items {
  if (billing === undefined) return new Map();
  return itemsOf(evaluateAccount(runInput(billing, config), madeUp(billing)).evaluations);
}

function itemsOfWholeHistories(billing: AccountBilling | undefined, config: InvoicingConfig): Items {
  if (billing === undefined) return new Map();
  const input = runInput(billing, config);
  return itemsOf(
    billing.subscriptions.map((subscription) => {
      const targetDate = verifiedUpTo(subscription, input);
      return evaluateSubscription(
        { ...subscription, cursor: null },
        { ...input, targetDate },
        madeUp(billing),
      );
    }),
  );
}

/**
 * Of what is due the date of the run. What is not must have nothing to bill before its next due date, and may have been
 * looked at up to a later date than today already.
 */
function verifiedUpTo(
  { events, cursor }: SubscriptionBilling,
  { targetDate, config: { inArrearMode } }: AccountRunInput,
): LocalDate {
  if (cursor === null || isDue({ events, cursor, targetDate, inArrearMode })) return targetDate;
  if (cursor.nextDueDate !== null) return addDays(cursor.nextDueDate, -1);
  return maxDate(targetDate, cursor.settledThrough ?? targetDate);
}

function itemsOf(evaluations: readonly SubscriptionEvaluation[]): Items {
  return new Map(
    evaluations
      .filter(({ items }) => items.length > 0)
      .map(({ subscriptionId, items }) => [subscriptionId, items]),
  );
}

/** Nothing is stored, so any id does; items of one evaluation do not refer to each other. */
function madeUp(billing: AccountBilling): () => Uuid {
  return () => billing.account.id;
}

function factsOf(items: readonly NewInvoiceItem[]): string {
  return JSON.stringify(items);
}
