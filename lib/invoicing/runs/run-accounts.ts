import type { CatalogOfAccount } from '../../catalog/index.ts';
import type { IdGenerator } from '../../ports/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import type { Account, AccountInvoicingState } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Instant, type LocalDate, localDateOf } from '../../values/time/index.ts';
import { NOTHING_CREDITED } from '../credit/changed-invoice.ts';
import type { BillingRequest } from '../evaluation/billing-streams.ts';
import {
  type AccountBilling,
  cursorsAfter,
  evaluateAccount,
  runInput,
  runInvoiceOf,
} from '../evaluation/evaluate-account.ts';
import { withoutBounds } from '../evaluation/evaluate-subscription.ts';
import {
  type CreditedRun,
  countedRun,
  creditRun,
  type EvaluatedRun,
  hasItems,
} from '../evaluation/run-invoice.ts';
import { supplyStanding, type UsageSupplies } from '../evaluation/source-usage.ts';
import { initialState } from '../invoices/invoice-amounts.ts';
import { type Draft, type Drafting, invoicingCurrency } from '../invoices/new-invoice.ts';
import { loadBillingState, loadDrafts, withRepairedItems } from '../loading/load-billing-state.ts';
import { loadCreditInputs } from '../loading/load-credit-inputs.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';
import { effectiveTargetDate } from '../proposals/target-date.ts';
import { saveRuns, scheduleDueEntries } from '../saving/save-runs.ts';
import type { FailedRun, RunResult } from './run-results.ts';

/** A run of one account. A null `requestedDate` means today in the account's zone. */
export interface RunRequest {
  readonly account: Account;
  readonly requestedDate: LocalDate | null;
  /** Date of the due entry or event that caused the run. Null or absent for a run requested now. */
  readonly dueDate?: LocalDate | null;
  /** The kind of invoice that the run creates or changes. Defaults to a new COMMITTED invoice. */
  readonly drafting?: Drafting;
  /** If true, the run ignores the safety bounds (§8.4). Defaults to false. */
  readonly acceptsBounds?: boolean;
  /** True if a plugin requested a run on this date. Defaults to false. */
  readonly isRescheduled?: boolean;
}

export interface RunDependencies {
  readonly ids: IdGenerator;
  readonly config: InvoicingConfig;
  readonly catalogOf: CatalogOfAccount;
  /** Usage that sources supplied. Defaults to none. */
  readonly supplies?: UsageSupplies | null;
}

/**
 * Executes the invoice runs of locked accounts of one tenant in the session's transaction (§8.2). Loads all accounts
 * together, evaluates each one separately and saves all of them together. If the evaluation of an account fails,
 * reports the failure, does not save this account, and continues with the others.
 */
export async function runAccounts(
  session: WriteSession,
  requests: readonly RunRequest[],
  { ids, ...input }: RunDependencies,
): Promise<readonly RunResult[]> {
  const now = session.authorship.createdDate;
  const evaluated = await evaluateRuns(session, requests, { ...input, now, idsOf: () => ids });
  const credited = await creditRuns(session, evaluated.runs, { now, ids });
  await saveRuns(session, credited.runs, { ids });
  return [...credited.runs.map(doneRun), ...recordFailures(session, credited.failed), ...evaluated.ended];
}

interface EvaluationInput extends Omit<RunDependencies, 'ids'> {
  readonly now: Instant;
  readonly idsOf: (accountId: Uuid) => IdGenerator;
}

/**
 * Loads and evaluates accounts of one tenant together, without writing (§8.2 steps 4 to 10). The loaded data of
 * accounts with many subscriptions is large; it is freed when the function returns.
 */
export async function evaluateRuns(
  session: ReadSession,
  requests: readonly RunRequest[],
  input: EvaluationInput,
): Promise<{ readonly runs: readonly EvaluatedRun[]; readonly ended: readonly RunResult[] }> {
  const { config, catalogOf, supplies = null } = input;
  const { accepted, ended } = await targetDatesOf(session, requests, input);
  const loaded = await loadBillingState(session, { requests: accepted, catalogOf, config, supplies });
  for (const { request, error } of loaded.failures) ended.push(failedRun(request.account, error));
  const billings = await withRepairedItems(session, loaded.billings, config);
  const drafts = await loadDrafts(session, requests);
  const requestOf = new Map(requests.map((request) => [request.account.id, request]));
  const runs: EvaluatedRun[] = [];
  for (const billing of billings) {
    const { account } = billing;
    try {
      const standing = supplyStanding(billing, supplies, config);
      if (standing.kind === 'CHANGED') ended.push({ account, kind: 'changed' });
      else if (standing.kind === 'FAILED')
        ended.push({ ...failedRun(account, standing.error), isRetried: true });
      else runs.push(evaluate(billing, drafts, { ...input, request: requestOf.get(account.id) }));
    } catch (error) {
      ended.push(failedRun(account, error));
    }
  }
  return { runs, ended };
}

function evaluate(
  billing: AccountBilling,
  drafts: ReadonlyMap<Uuid, readonly Draft[]>,
  { config, idsOf, request }: EvaluationInput & { readonly request: RunRequest | undefined },
): EvaluatedRun {
  const { account, targetDate, newBillCycleDay, skipped } = billing;
  const ids = idsOf(account.id);
  const invoice = runInvoiceOf(request ?? billing, drafts);
  const bounded = request?.acceptsBounds === true ? withoutBounds(config) : config;
  const run = evaluateAccount({ ...runInput(billing, bounded), invoice }, () => ids.next());
  return {
    billing: { account, targetDate, newBillCycleDay, skipped },
    run,
    cursors: cursorsAfter(billing, run),
    invoiceId: invoice.draft?.invoice.id ?? ids.next(),
  };
}

/**
 * Returns the effective target date of each account, or the reason why there is none (§8.2 step 4). Executes one
 * statement.
 */
export async function targetDatesOf(
  session: ReadSession,
  requests: readonly RunRequest[],
  input: Pick<EvaluationInput, 'now' | 'config'>,
): Promise<{ readonly accepted: readonly BillingRequest[]; readonly ended: RunResult[] }> {
  const stored = await session.invoices.loadStates(requests.map(({ account }) => account.id));
  const states = new Map(stored.map((state) => [state.accountId, state]));
  const accepted: BillingRequest[] = [];
  const ended: RunResult[] = [];
  for (const request of requests) {
    const { account } = request;
    try {
      accepted.push(billingRequest(request, states.get(account.id) ?? initialState(account), input));
    } catch (error) {
      ended.push(failedRun(account, error));
    }
  }
  return { accepted, ended };
}

/** Returns the request with its checked values. @throws BillingError 4005, or 3 for an account without currency. */
function billingRequest(
  { account, requestedDate, dueDate }: RunRequest,
  state: AccountInvoicingState,
  { now, config: { maxMonthsInFuture } }: Pick<EvaluationInput, 'now' | 'config'>,
): BillingRequest {
  invoicingCurrency(account);
  const today = localDateOf(now, account.timeZone);
  const { maxTargetDate } = state;
  const targetDate = effectiveTargetDate({
    requested: requestedDate,
    today,
    maxTargetDate,
    maxMonthsInFuture,
  });
  return { account, targetDate, runDate: dueDate ?? today, state };
}

export interface FailedEvaluation {
  readonly evaluated: EvaluatedRun;
  readonly error: unknown;
}

/** Applies the accounts' credit to the runs (§10). If the credit state of an account is illegal, its run fails. */
export async function creditRuns(
  session: ReadSession,
  runs: readonly EvaluatedRun[],
  { now, ids }: { readonly now: Instant; readonly ids: IdGenerator },
): Promise<{ readonly runs: readonly CreditedRun[]; readonly failed: readonly FailedEvaluation[] }> {
  const todayOf = ({ billing: { account } }: EvaluatedRun): LocalDate => localDateOf(now, account.timeZone);
  const inputs = await loadCreditInputs(
    session,
    runs.filter(hasItems).map((each) => countedRun(each.run, each.invoiceId, todayOf(each))),
  );
  const nextItemId = (): Uuid => ids.next();
  const credited: CreditedRun[] = [];
  const failed: FailedEvaluation[] = [];
  for (const evaluated of runs) {
    const input = hasItems(evaluated) ? inputs.get(evaluated.billing.account.id) : undefined;
    try {
      if (input === undefined) credited.push({ ...evaluated, credited: NOTHING_CREDITED });
      else {
        const crediting = { today: todayOf(evaluated), nextItemId };
        credited.push({ ...evaluated, ...creditRun(evaluated.run, input, crediting) });
      }
    } catch (error) {
      failed.push({ evaluated, error });
    }
  }
  return { runs: credited, failed };
}

export function doneRun({ billing: { account, skipped }, run, invoiceId }: EvaluatedRun): RunResult {
  return { account, kind: 'done', invoiceIds: run.items.length > 0 ? [invoiceId] : [], skipped };
}

/** Stores the due entries of runs that fail after their evaluation (§8.6). */
export function recordFailures(
  session: WriteSession,
  failed: readonly FailedEvaluation[],
): readonly FailedRun[] {
  const runs = failed.map(({ evaluated }) => evaluated);
  scheduleDueEntries(session, runs);
  return failed.map(({ evaluated: { billing }, error }) => ({
    ...failedRun(billing.account, error),
    isWorkedOut: true,
  }));
}

function failedRun(account: Account, error: unknown): FailedRun {
  return { account, kind: 'failed', error, isWorkedOut: false };
}
