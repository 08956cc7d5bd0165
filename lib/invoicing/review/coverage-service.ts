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
import { evaluatedThrough, isDue } from '../proposals/window.ts';

/** Checks of what is billed against what there is to bill (§7.3). */
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
  /** null = none is stored yet. */
  readonly state: AccountInvoicingState | null;
  /** The date up to which a run would be made. */
  readonly targetDate: LocalDate;
}

interface VerifyRules {
  readonly catalogOf: CatalogOfAccount;
  readonly config: InvoicingConfig;
}

type VerifyInput = AccountToVerify & VerifyRules;

interface VerifyAccountsInput extends VerifyRules {
  readonly accounts: readonly AccountToVerify[];
}

/** An account, and what its next run and the evaluation of its whole history would make of it. */
interface VerifiedAccount {
  readonly account: Account;
  readonly differences: readonly CoverageDifference[];
  /** Why the account cannot be verified; null = it can. */
  readonly error: unknown;
}

/**
 * Compares what the next run of an account would make with the evaluation of everything there is (§7.3).
 * Reads one snapshot, takes no lock and writes nothing; costs the whole history.
 */
async function verifyCoverage(session: ReadSession, input: VerifyInput) {
  const [verified] = await verifyAccounts(session, { ...input, accounts: [input] });
  if (verified?.error != null) throw verified.error;
  return verified?.differences ?? [];
}

/** Does the same for any number of accounts, with as many statements as for one. */
export async function verifyAccounts(
  session: ReadSession,
  input: VerifyAccountsInput,
): Promise<readonly VerifiedAccount[]> {
  // An account that needs more at once than a run may do by itself is no difference.
  const config = withoutBounds(input.config);
  const requests = input.accounts.map(({ account, targetDate, state }) => ({
    account,
    targetDate,
    runDate: targetDate,
    state: state ?? initialState(account),
  }));
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
    const untold = { account, differences: [], error: failures.get(account.id) ?? null };
    if (untold.error !== null) return untold;
    try {
      const found = itemsOfRun(runs.get(account.id), config);
      const expected = itemsOfWholeHistories(wholes.get(account.id), config);
      return { ...untold, differences: differencesOf(found, expected) };
    } catch (error) {
      return { ...untold, error };
    }
  });
}

function differencesOf(found: Items, expected: Items): readonly CoverageDifference[] {
  const ids = [...new Set([...found.keys(), ...expected.keys()])].sort();
  return ids
    .map((subscriptionId) => ({
      subscriptionId,
      expected: expected.get(subscriptionId) ?? [],
      found: found.get(subscriptionId) ?? [],
    }))
    .filter((each) => factsOf(each.expected) !== factsOf(each.found));
}

function byAccount(billings: readonly AccountBilling[]): ReadonlyMap<Uuid, AccountBilling> {
  return new Map(billings.map((billing) => [billing.account.id, billing]));
}

async function withAllRows(session: ReadSession, billings: readonly AccountBilling[]) {
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
 * The target date of the comparison: for a due subscription, the date of the run. Another one may already have been
 * looked at up to a later date, at which an evaluation leaves its cursor as it is. Where there is no such date the cursor
 * is wrong, and the comparison asks for all that it hides.
 */
function verifiedUpTo({ events, cursor }: SubscriptionBilling, { targetDate, config }: AccountRunInput) {
  if (cursor === null || isDue({ events, cursor, targetDate, config })) return targetDate;
  const lookedAt = evaluatedThrough({ events, cursor, targetDate, config });
  if (lookedAt !== null) return lookedAt;
  return cursor.nextDueDate === null ? targetDate : addDays(cursor.nextDueDate, -1);
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
