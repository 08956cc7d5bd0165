import { loadAccount } from '../../accounts/index.ts';
import type { CatalogOfAccount, CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Account, AccountInvoicingState, CallContext } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { addDays, type LocalDate, localDateOf } from '../../values/time/index.ts';
import {
  type AccountBilling,
  type AccountRunInput,
  evaluateAccount,
  runInput,
} from '../evaluation/evaluate-account.ts';
import {
  evaluateSubscription,
  type SubscriptionBilling,
  type SubscriptionEvaluation,
  withoutBounds,
} from '../evaluation/evaluate-subscription.ts';
import { initialState } from '../invoices/invoice-amounts.ts';
import { invoicingCurrency } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { CoverageDifference } from '../invoices/requests.ts';
import { loadBillingState, withRepairedItems, withWindowItems } from '../loading/load-billing-state.ts';
import type { InvoicingConfig, InvoicingConfigOf } from '../proposals/invoicing-config.ts';
import { effectiveTargetDate } from '../proposals/target-date.ts';
import { findEvaluatedDate, isDue } from '../proposals/window.ts';

/** Operations that compare billed and billable amounts (§7.3). */
export function coverageOperations(
  ports: Pick<Ports, 'storage'>,
  catalogs: CatalogProvider,
  configOf: InvoicingConfigOf,
) {
  return {
    verifyCoverage: async (context: CallContext, accountId: Uuid): Promise<readonly CoverageDifference[]> => {
      const now = context.createdDate;
      const catalogsOf = await catalogs.open({ tenant: context.tenant, now, accounts: [accountId] });
      return ports.storage.read(context.tenant, async (session) => {
        const account = await loadAccount(session, accountId);
        invoicingCurrency(account);
        const config = await configOf(session);
        const [state] = await session.invoices.loadStates([accountId]);
        const targetDate = effectiveTargetDate({
          requested: null,
          today: localDateOf(now, account.timeZone),
          maxTargetDate: state?.maxTargetDate ?? null,
          maxMonthsInFuture: config.maxMonthsInFuture,
        });
        return verifyCoverage(session, {
          account,
          state: state ?? null,
          targetDate,
          catalogOf: await catalogsOf(session, [accountId]),
          config,
        });
      });
    },
  };
}

interface AccountToVerify {
  readonly account: Account;
  /** The stored state, or null if the account has no stored state yet. */
  readonly state: AccountInvoicingState | null;
  /** The target date of the run. */
  readonly targetDate: LocalDate;
}

interface VerifyRules {
  readonly catalogOf: CatalogOfAccount;
  readonly config: InvoicingConfig;
}
/**
 * Compares the next run of an account with the evaluation of its whole history (§7.3). Reads one snapshot, takes no
 * lock and writes nothing. The cost grows with the length of the history.
 */
async function verifyCoverage(session: ReadSession, input: AccountToVerify & VerifyRules) {
  const [verified] = await verifyAccounts(session, { ...input, accounts: [input] });
  if (verified?.error != null) throw verified.error;
  return verified?.differences ?? [];
}

/**
 * Verifies accounts in a constant number of statements. If an account cannot be verified, its `error` contains the
 * reason; otherwise `error` is null.
 */
export async function verifyAccounts(
  session: ReadSession,
  input: VerifyRules & { readonly accounts: readonly AccountToVerify[] },
) {
  // The safety bounds do not apply, because the review reports differences, and an exceeded bound is not a difference.
  const config = withoutBounds(input.config);
  const requests = input.accounts.map(({ account, targetDate, state }) => {
    return { account, targetDate, runDate: targetDate, state: state ?? initialState(account) };
  });
  const { catalogOf } = input;
  const wanted = { requests, catalogOf, config, leavesOutUsage: true };
  const due = await loadBillingState(session, wanted);
  const all = await loadBillingState(session, { ...wanted, choice: 'all' });
  const runs = byAccount(await withRepairedItems(session, due.billings, config));
  const wholes = byAccount(await withWindowItems(session, await withAllRows(session, all.billings)));
  const failures = new Map(
    [...due.failures, ...all.failures].map(({ request, error }) => [request.account.id, error]),
  );
  return requests.map(({ account }) => {
    const differences: readonly CoverageDifference[] = [];
    const unchecked = { account, differences, error: failures.get(account.id) ?? null };
    if (unchecked.error !== null) return unchecked;
    try {
      const found = itemsOfRun(runs.get(account.id), config);
      const expected = itemsOfWholeHistories(wholes.get(account.id), config);
      return { ...unchecked, differences: differencesOf(found, expected) };
    } catch (error) {
      return { ...unchecked, error };
    }
  });
}

function differencesOf(found: Items, expected: Items) {
  const ids = [...new Set([...found.keys(), ...expected.keys()])].sort();
  const all = ids.map((subscriptionId) => {
    const own = { expected: expected.get(subscriptionId) ?? [], found: found.get(subscriptionId) ?? [] };
    return { subscriptionId, ...own };
  });
  return all.filter((each) => JSON.stringify(each.expected) !== JSON.stringify(each.found));
}

function byAccount(billings: readonly AccountBilling[]) {
  return new Map(billings.map((billing) => [billing.account.id, billing]));
}

async function withAllRows(session: ReadSession, billings: readonly AccountBilling[]) {
  const windows = billings.flatMap(({ subscriptions }) =>
    subscriptions.map(({ subscriptionId }) => ({ subscriptionId, from: null })),
  );
  const found = await session.invoices.loadCoverage(windows);
  const rowsOf = Map.groupBy(found, ({ subscriptionId }) => subscriptionId);
  return billings.map((billing) => ({
    ...billing,
    subscriptions: billing.subscriptions.map((subscription) => {
      return { ...subscription, rows: rowsOf.get(subscription.subscriptionId) ?? [] };
    }),
  }));
}

type Items = ReadonlyMap<Uuid, readonly NewInvoiceItem[]>;

function itemsOfRun(billing: AccountBilling | undefined, config: InvoicingConfig): Items {
  if (billing === undefined) return new Map();
  return itemsOf(evaluateAccount(runInput(billing, config), createPlaceholderIds(billing)).evaluations);
}

function itemsOfWholeHistories(billing: AccountBilling | undefined, config: InvoicingConfig): Items {
  if (billing === undefined) return new Map();
  const input = runInput(billing, config);
  const evaluations = billing.subscriptions.map((subscription) => {
    const settings = { ...input, targetDate: chooseComparisonDate(subscription, input) };
    return evaluateSubscription({ ...subscription, cursor: null }, settings, createPlaceholderIds(billing));
  });
  return itemsOf(evaluations);
}

/**
 * Returns the target date of the comparison. For a due subscription, this is the date of the run. Other subscriptions
 * may already be evaluated up to a later date, at which an evaluation does not change their cursor. If there is no such
 * date, the cursor is wrong, and the comparison covers all days that the cursor hides.
 */
function chooseComparisonDate(
  { events, cursor }: SubscriptionBilling,
  { targetDate, config }: AccountRunInput,
) {
  if (cursor === null || isDue({ events, cursor, targetDate, config })) return targetDate;
  const evaluatedDate = findEvaluatedDate({ events, cursor, targetDate, config });
  if (evaluatedDate !== null) return evaluatedDate;
  return cursor.nextDueDate === null ? targetDate : addDays(cursor.nextDueDate, -1);
}

function itemsOf(evaluations: readonly SubscriptionEvaluation[]): Items {
  const found = evaluations.filter(({ items }) => items.length > 0);
  return new Map(found.map(({ subscriptionId, items }) => [subscriptionId, items]));
}

/**
 * Returns generated ids. Any ids are suitable, because nothing is stored and items of the same evaluation do not refer
 * to each other.
 */
function createPlaceholderIds(billing: AccountBilling): () => Uuid {
  return () => billing.account.id;
}
