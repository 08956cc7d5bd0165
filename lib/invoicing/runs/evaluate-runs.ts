import type { CatalogOfAccount } from '../../catalog/index.ts';
import type { IdGenerator } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Account, AccountInvoicingState, CursorToSave } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Instant, type LocalDate, localDateOf } from '../../values/time/index.ts';
import type { BillingRequest } from '../evaluation/account-streams.ts';
import {
  type AccountBilling,
  type AccountRun,
  cursorsAfter,
  evaluateAccount,
  runInput,
  runInvoiceOf,
} from '../evaluation/evaluate-account.ts';
import { withoutBounds } from '../evaluation/evaluate-subscription.ts';
import { originOf, supplyStanding, type UsageSupplies } from '../evaluation/source-usage.ts';
import type { Drafting } from '../invoices/drafting.ts';
import { initialState } from '../invoices/invoice-amounts.ts';
import { invoicingCurrency } from '../invoices/new-invoice.ts';
import { loadBillingState, loadDrafts, withRepairedItems } from '../loading/load-billing-state.ts';
import { choiceOfRun } from '../loading/load-streams.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';
import { effectiveTargetDate } from '../proposals/target-date.ts';

/** One account that is to be invoiced, with the requested date; null = today in its zone. */
export interface RunRequest {
  readonly account: Account;
  readonly requestedDate: LocalDate | null;
  /** Date of the due entry or event that asks for the run; absent = it is asked for now. */
  readonly dueDate?: LocalDate;
  /** Default: a new COMMITTED invoice. */
  readonly drafting?: Drafting;
  /** Whether the run goes past the safety bounds (§8.4); default false. */
  readonly acceptsBounds?: boolean;
  /** Whether a plugin has asked for a run at this date; default false. */
  readonly isRescheduled?: boolean;
}

/** A run before account credit is applied. */
export interface EvaluatedRun {
  readonly billing: Pick<AccountBilling, 'account' | 'targetDate' | 'newBillCycleDay' | 'skipped'>;
  readonly run: AccountRun;
  readonly cursors: readonly CursorToSave[];
  /** Id of the invoice that the items of the run go to. */
  readonly invoiceId: Uuid;
}

export interface FailedRun {
  readonly account: Account;
  readonly error: unknown;
  /** Whether a later run may do better, so that the account is not parked for it; default false. */
  readonly isRetried?: boolean;
}

export interface EvaluatedRuns {
  readonly runs: readonly EvaluatedRun[];
  readonly failed: readonly FailedRun[];
  /** Accounts that are no longer as the usage sources were asked about them. */
  readonly changed: readonly Account[];
}

export interface EvaluationInput {
  readonly now: Instant;
  readonly config: InvoicingConfig;
  readonly catalogOf: CatalogOfAccount;
  /** Where the ids of an account's run come from. */
  readonly idsOf: (accountId: Uuid) => IdGenerator;
  /** What usage sources have told; null = there are none. */
  readonly supplies: UsageSupplies | null;
}

/**
 * Loads and evaluates any number of accounts of one tenant (§8.2 steps 4 to 10), in bulk, and writes nothing. What was
 * read is freed when this returns: it is much for an account with many subscriptions.
 */
export async function evaluateRuns(
  session: ReadSession,
  requests: readonly RunRequest[],
  input: EvaluationInput,
): Promise<EvaluatedRuns> {
  const { billings, failed } = await loadRuns(session, requests, input);
  const requestOf = new Map(requests.map((request) => [request.account.id, request]));
  const drafts = await loadDrafts(session, requests);
  const runs: EvaluatedRun[] = [];
  const changed: Account[] = [];
  for (const billing of billings) {
    const { account, targetDate, newBillCycleDay, skipped } = billing;
    try {
      const standing = supplyStanding(billing, input.supplies, input.config);
      if (standing.kind === 'CHANGED') changed.push(account);
      if (standing.kind === 'FAILED') failed.push({ account, error: standing.error, isRetried: true });
      if (standing.kind !== 'READY') continue;
      const request: RunRequest | undefined = requestOf.get(account.id);
      const ids = input.idsOf(account.id);
      const invoice = runInvoiceOf(request ?? billing, drafts);
      const bounded = request?.acceptsBounds === true ? withoutBounds(input.config) : input.config;
      const run = evaluateAccount({ ...runInput(billing, bounded), invoice }, () => ids.next());
      runs.push({
        billing: { account, targetDate, newBillCycleDay, skipped },
        run,
        cursors: cursorsAfter(billing, run),
        invoiceId: invoice.draft?.invoice.id ?? ids.next(),
      });
    } catch (error) {
      failed.push({ account, error });
    }
  }
  return { runs, failed, changed };
}

/** The effective target date of each account, or why there is none; one statement (§8.2 step 4). */
export async function targetDatesOf(
  session: ReadSession,
  requests: readonly RunRequest[],
  { now, config }: Pick<EvaluationInput, 'now' | 'config'>,
): Promise<{ readonly accepted: readonly BillingRequest[]; readonly failed: FailedRun[] }> {
  const states = new Map(
    (await session.invoices.loadStates(requests.map(({ account }) => account.id))).map((state) => [
      state.accountId,
      state,
    ]),
  );
  const accepted: BillingRequest[] = [];
  const failed: FailedRun[] = [];
  for (const request of requests) {
    const state = states.get(request.account.id) ?? initialState(request.account);
    try {
      accepted.push(billingRequest(request, state, { now, config }));
    } catch (error) {
      failed.push({ account: request.account, error });
    }
  }
  return { accepted, failed };
}

async function loadRuns(
  session: ReadSession,
  requests: readonly RunRequest[],
  input: EvaluationInput,
): Promise<{ readonly billings: readonly AccountBilling[]; readonly failed: FailedRun[] }> {
  const { config, catalogOf } = input;
  const { accepted, failed } = await targetDatesOf(session, requests, input);
  const { billings, failures } = await loadBillingState(session, {
    requests: accepted,
    catalogOf,
    choice: choiceOfRun(config),
    alignPriceChanges: config.alignPriceChanges,
    usageConfig: config.usage,
    usageOriginOf: (accountId) => originOf(input.supplies, accountId),
  });
  for (const { request, error } of failures) failed.push({ account: request.account, error });
  return { billings: await withRepairedItems(session, billings, config), failed };
}

/** The request with its effective target date. @throws BillingError 4005, or 3 for an account without currency. */
function billingRequest(
  request: RunRequest,
  state: AccountInvoicingState,
  { now, config }: Pick<EvaluationInput, 'now' | 'config'>,
): BillingRequest {
  const { account, requestedDate } = request;
  invoicingCurrency(account);
  const today = localDateOf(now, account.timeZone);
  const targetDate = effectiveTargetDate({
    requested: requestedDate,
    today,
    maxTargetDate: state.maxTargetDate,
    maxMonthsInFuture: config.maxMonthsInFuture,
  });
  return { account, targetDate, runDate: request.dueDate ?? today, state };
}
