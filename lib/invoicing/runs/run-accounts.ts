import type { CatalogOfAccount } from '../../catalog/index.ts';
import type { IdGenerator, Logger } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account, AccountInvoicingState } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type LocalDate, localDateOf } from '../../values/time/index.ts';
import { NOTHING_CREDITED } from '../credit/credit-moves.ts';
import { type AccountBilling, runInput } from '../evaluation/account-billing.ts';
import type { BillingRequest } from '../evaluation/account-streams.ts';
import { countedRun, creditRun } from '../evaluation/credit-run.ts';
import { cursorsAfter } from '../evaluation/cursors-after.ts';
import { evaluateAccount } from '../evaluation/evaluate-account.ts';
import { runInvoiceOf } from '../evaluation/invoice-for-run.ts';
import { withoutBounds } from '../evaluation/safety-bounds.ts';
import type { Drafting } from '../invoices/drafting.ts';
import { initialState } from '../invoices/invoice-amounts.ts';
import { invoicingCurrency } from '../invoices/new-invoice.ts';
import { loadBillingState } from '../loading/load-billing-state.ts';
import { loadCreditInputs } from '../loading/load-credit-inputs.ts';
import { loadDrafts } from '../loading/load-drafts.ts';
import { withRepairedItems } from '../loading/load-repaired-items.ts';
import { choiceOfRun } from '../loading/load-streams.ts';
import type { InvoicingConfig } from '../periods/invoicing-config.ts';
import { effectiveTargetDate } from '../periods/target-date.ts';
import { type EvaluatedAccount, saveRuns } from './save-runs.ts';

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
}

/** The outcome of one account's run; `invoiceId` null = nothing to invoice. */
export type RunResult =
  | {
      readonly account: Account;
      readonly kind: 'done';
      readonly invoiceId: Uuid | null;
      /** Subscriptions that could not be billed because their events are damaged. */
      readonly skipped: readonly Uuid[];
    }
  | { readonly account: Account; readonly kind: 'failed'; readonly error: unknown };

export interface RunDependencies {
  readonly ids: IdGenerator;
  readonly config: InvoicingConfig;
  readonly catalogOf: CatalogOfAccount;
}

/**
 * Runs any number of locked accounts of one tenant in the session's transaction (§8.2): loads in bulk, evaluates each
 * account by itself, saves in bulk. An account whose evaluation fails is reported and not saved; the others go on.
 */
export async function runAccounts(
  session: WriteSession,
  requests: readonly RunRequest[],
  dependencies: RunDependencies,
): Promise<readonly RunResult[]> {
  const { ids } = dependencies;
  const { runs, failed } = await evaluatedRuns(session, requests, dependencies);
  const evaluated = await withCredit(session, { runs, failed }, ids);
  const invoiceIds = await saveRuns(session, evaluated);
  const done = evaluated.map(
    ({ billing }): RunResult => ({
      account: billing.account,
      kind: 'done',
      invoiceId: invoiceIds.get(billing.account.id) ?? null,
      skipped: billing.skipped,
    }),
  );
  return [...done, ...failed];
}

interface EvaluatedRuns {
  readonly runs: readonly EvaluatedAccount[];
  readonly failed: RunResult[];
}

/** Loads and evaluates. What was read is freed when this returns: it is much for an account with many subscriptions. */
async function evaluatedRuns(
  session: WriteSession,
  requests: readonly RunRequest[],
  dependencies: RunDependencies,
): Promise<EvaluatedRuns> {
  const { ids, config } = dependencies;
  const { billings, failed } = await loadRuns(session, requests, dependencies);
  const requestOf = new Map(requests.map((request) => [request.account.id, request]));
  const drafts = await loadDrafts(session, requests);
  const runs: EvaluatedAccount[] = [];
  for (const billing of billings) {
    const { account, targetDate, newBillCycleDay, skipped } = billing;
    try {
      const request: RunRequest | undefined = requestOf.get(account.id);
      const invoice = runInvoiceOf(request ?? billing, drafts);
      const bounded = request?.acceptsBounds === true ? withoutBounds(config) : config;
      const run = evaluateAccount({ ...runInput(billing, bounded), invoice }, () => ids.next());
      runs.push({
        billing: { account, targetDate, newBillCycleDay, skipped },
        run,
        cursors: cursorsAfter(billing, run),
        invoiceId: invoice.draft?.invoice.id ?? ids.next(),
        credited: NOTHING_CREDITED,
      });
    } catch (error) {
      failed.push({ account, kind: 'failed', error });
    }
  }
  return { runs, failed };
}

/** The runs with the accounts' credit applied; an account whose credit is in an illegal state counts as failed. */
async function withCredit(
  session: WriteSession,
  { runs, failed }: EvaluatedRuns,
  ids: IdGenerator,
): Promise<readonly EvaluatedAccount[]> {
  const invoiced = runs.filter(({ run }) => run.items.length > 0);
  const counted = invoiced.map(({ run, invoiceId, billing }) =>
    countedRun(run, invoiceId, todayOf(billing.account, session)),
  );
  const inputs = await loadCreditInputs(session, counted);
  const nextItemId = (): Uuid => ids.next();
  return runs.flatMap((each) => {
    const { account } = each.billing;
    const input = each.run.items.length > 0 ? inputs.get(account.id) : undefined;
    if (input === undefined) return [each];
    try {
      return [{ ...each, ...creditRun(each.run, input, { today: todayOf(account, session), nextItemId }) }];
    } catch (error) {
      failed.push({ account, kind: 'failed', error });
      return [];
    }
  });
}

function todayOf(account: Account, session: WriteSession): LocalDate {
  return localDateOf(session.authorship.createdDate, account.timeZone);
}

interface LoadedRuns {
  readonly billings: readonly AccountBilling[];
  readonly failed: RunResult[];
}

async function loadRuns(
  session: WriteSession,
  requests: readonly RunRequest[],
  { catalogOf, config }: RunDependencies,
): Promise<LoadedRuns> {
  const states = new Map(
    (await session.invoices.loadStates(requests.map(({ account }) => account.id))).map((state) => [
      state.accountId,
      state,
    ]),
  );
  const accepted: BillingRequest[] = [];
  const failed: RunResult[] = [];
  for (const request of requests) {
    const state = states.get(request.account.id) ?? initialState(request.account);
    try {
      accepted.push(billingRequest(request, state, { session, config }));
    } catch (error) {
      failed.push({ account: request.account, kind: 'failed', error });
    }
  }
  const { billings, failures } = await loadBillingState(session, {
    requests: accepted,
    catalogOf,
    choice: choiceOfRun(config),
    alignPriceChanges: config.alignPriceChanges,
  });
  for (const { request, error } of failures) {
    failed.push({ account: request.account, kind: 'failed', error });
  }
  return { billings: await withRepairedItems(session, billings, config), failed };
}

/** The request with its effective target date. @throws BillingError 4005, or 3 for an account without currency. */
function billingRequest(
  request: RunRequest,
  state: AccountInvoicingState,
  { session, config }: { readonly session: WriteSession; readonly config: InvoicingConfig },
): BillingRequest {
  const { account, requestedDate } = request;
  invoicingCurrency(account);
  const today = todayOf(account, session);
  const targetDate = effectiveTargetDate({
    requested: requestedDate,
    today,
    maxTargetDate: state.maxTargetDate,
    maxMonthsInFuture: config.maxMonthsInFuture,
  });
  return { account, targetDate, runDate: request.dueDate ?? today, state };
}

/** Warns the operator of subscriptions that runs have left out (subscriptions §19.2 rule 2): the others were billed. */
export function warnOfSkipped(logger: Logger, results: readonly RunResult[]): void {
  for (const result of results) {
    if (result.kind === 'failed' || result.skipped.length === 0) continue;
    logger.warn(
      { accountId: result.account.id, subscriptionIds: result.skipped },
      'subscriptions whose events do not begin with their start are left out of the invoice run',
    );
  }
}
