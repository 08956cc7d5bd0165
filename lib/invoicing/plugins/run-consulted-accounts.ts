import type { WriteSession } from '../../ports/storage/index.ts';
import { type Account, type CoverageRow, type InvoiceItem, InvoiceItemType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, sum } from '../../values/money/index.ts';
import type { AccountRun } from '../evaluation/evaluate-account.ts';
import type { SubscriptionEvaluation } from '../evaluation/evaluate-subscription.ts';
import { dueEntries, rescheduledEntry } from '../evaluation/run-entries.ts';
import { type CreditedRun, type EvaluatedRun, hasItems, withRunItems } from '../evaluation/run-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import {
  creditRuns,
  doneRun,
  evaluateRuns,
  type FailedEvaluation,
  type RunDependencies,
  type RunRequest,
  recordFailures,
} from '../runs/run-accounts.ts';
import type { RunResult } from '../runs/run-results.ts';
import { saveRuns } from '../saving/save-runs.ts';
import { type ConsultedInvoice, ReservedIds } from './additional-items.ts';
import {
  elsewhereChanges,
  isRewritten,
  type LoadedElsewhere,
  listDraftItemsAfterRun,
  loadElsewhere,
  remainingAmounts,
  touchedItems,
  withRemainingAmounts,
} from './approved-change.ts';
import {
  type Consultation,
  type Consultations,
  type ConsultedProposal,
  proposalOf,
} from './consult-about-runs.ts';
import { isSameProposal, replayedIds } from './proposal.ts';
import { numberRuns, type SplitRun, saveSplitRuns } from './split-and-number.ts';

type ContinuingRun = Extract<Consultation, { kind: 'go' }>;

/**
 * Executes the invoice runs of locked accounts like `runAccounts`, with the decisions of invoice plugins (§8.2 steps 6,
 * 11 and 12). A run that differs from the run that plugins have seen is not stored, and the plugins must be consulted
 * again.
 */
export async function runConsultedAccounts(
  session: WriteSession,
  requests: readonly RunRequest[],
  { consulted, ids, ...input }: RunDependencies & { readonly consulted: Consultations['of'] },
): Promise<readonly RunResult[]> {
  const now = session.authorship.createdDate;
  const { continuing, ended } = afterPriorCalls(session, requests, consulted);
  const toRun = requests.filter(({ account }) => continuing.has(account.id));
  const idsOf = (accountId: Uuid) => {
    const seen = continuing.get(accountId)?.seen ?? null;
    return seen === null ? ids : replayedIds(seen.ids, ids);
  };
  const evaluated = await evaluateRuns(session, toRun, { ...input, now, idsOf });
  const decided = await decideRuns(session, evaluated.runs, { continuing, nextId: () => ids.next() });
  const credited = await creditRuns(session, decided.plain, { now, ids });
  const { runs, numbers, failed } = await numberRuns(
    session,
    [...credited.runs, ...decided.split],
    ({ billing }) => continuing.get(billing.account.id)?.properties ?? [],
  );
  const split = runs.filter(isSplit);
  const plain = runs.filter((run): run is CreditedRun => !isSplit(run));
  await saveRuns(session, plain, { ids, numbers });
  await saveSplitRuns(session, split, { ids, numbers });
  return [
    ...runs.map((run) =>
      isSplit(run) ? { ...doneRun(run), invoiceIds: run.invoices.map(({ id }) => id) } : doneRun(run),
    ),
    ...recordFailures(session, [...decided.failed, ...credited.failed, ...failed]),
    ...decided.changed,
    ...evaluated.ended,
    ...ended,
  ];
}

function isSplit(run: EvaluatedRun | SplitRun): run is SplitRun {
  return 'invoices' in run;
}

/** Returns the consultations of the runs that may continue, and the results of all other runs. */
function afterPriorCalls(
  session: WriteSession,
  requests: readonly RunRequest[],
  consulted: Consultations['of'],
) {
  const continuing = new Map<Uuid, ContinuingRun>();
  const ended: RunResult[] = [];
  for (const { account } of requests) {
    const consultation = consulted.get(account.id);
    if (consultation?.kind === 'go') continuing.set(account.id, consultation);
    else ended.push(endedRun(session, account, consultation));
  }
  return { continuing, ended };
}

function endedRun(
  session: WriteSession,
  account: Account,
  consultation: Exclude<Consultation, ContinuingRun> | undefined,
): RunResult {
  if (consultation === undefined) return { account, kind: 'changed' };
  if (consultation.kind === 'stopped') {
    const { rescheduledTo } = consultation;
    if (rescheduledTo !== null) session.schedule([rescheduledEntry(account, rescheduledTo)]);
    return { account, kind: 'stopped' };
  }
  const { error, worked } = consultation;
  if (worked !== null) session.schedule(dueEntries(account, worked.due, session.authorship.createdDate));
  return { account, kind: 'failed', error, isWorkedOut: worked !== null };
}

/**
 * Checks the plugins' decisions against the stored data and returns the runs with these decisions. Executes a constant
 * number of statements, and none for runs that no plugin has changed.
 */
async function decideRuns(
  session: WriteSession,
  runs: readonly EvaluatedRun[],
  {
    continuing,
    nextId,
  }: { readonly continuing: ReadonlyMap<Uuid, ContinuingRun>; readonly nextId: () => Uuid },
) {
  const known = runs.map((evaluated) => ({
    evaluated,
    consultation: continuing.get(evaluated.billing.account.id),
  }));
  const same = known.filter(({ evaluated, consultation }) => matchesConsultation(evaluated, consultation));
  const asked = same.flatMap(({ consultation }) => consultation?.seen?.asked ?? []);
  const stored = await loadElsewhere(session, asked);
  const taken = new ReservedIds(stored.taken);
  const plain: EvaluatedRun[] = [];
  const split: SplitRun[] = [];
  const failed: FailedEvaluation[] = [];
  for (const { evaluated, consultation } of same) {
    const seen = consultation?.seen ?? null;
    try {
      const decided = seen === null ? evaluated : decide(evaluated, seen, { stored, taken, nextId });
      if (isSplit(decided)) split.push(decided);
      else plain.push(decided);
    } catch (error) {
      failed.push({ evaluated, error });
    }
  }
  const changed = known
    .filter((each) => !same.includes(each))
    .map(({ evaluated }): RunResult => ({ account: evaluated.billing.account, kind: 'changed' }));
  return { plain, split, failed, changed };
}

/** Returns true if plugins have seen this run, or if no plugin needs to see it. */
function matchesConsultation(evaluated: EvaluatedRun, consultation: ContinuingRun | undefined): boolean {
  if (consultation === undefined) return true;
  const { seen, needsInvoice } = consultation;
  if (seen !== null) return isSameProposal(seen.proposal, proposalOf(evaluated));
  return !needsInvoice || !hasItems(evaluated);
}

function decide(
  evaluated: EvaluatedRun,
  { asked, groups }: ConsultedProposal,
  {
    stored,
    taken,
    nextId,
  }: { readonly stored: LoadedElsewhere; readonly taken: ReservedIds; readonly nextId: () => Uuid },
) {
  taken.add(asked);
  const decided = { ...evaluated, run: decidedRun(evaluated.run, asked) };
  const touched = touchedItems(listDraftItemsAfterRun(evaluated.run), asked.existing);
  if (groups.length <= 1 && asked.elsewhere.length === 0 && touched.length === 0) return decided;
  const { id: accountId } = evaluated.billing.account;
  const left = withRemainingAmounts(stored, remainingAmounts(decided.run));
  const { changes, remains } = elsewhereChanges(accountId, asked.elsewhere, left);
  const adjusted = touched.filter((each) => !isRewritten(each));
  return {
    ...decided,
    invoices: groups.map((items, index) => ({ id: index === 0 ? evaluated.invoiceId : nextId(), items })),
    rewritten: touched.filter(isRewritten).map(({ item }) => item),
    remains: [...remains, ...adjusted.map(({ item }) => item)],
    elsewhere: changes,
  };
}

/**
 * Returns the run with the items that result from the plugins' changes, and with the resulting invoice and coverage.
 */
function decidedRun(run: AccountRun, { items, existing, note }: ConsultedInvoice): AccountRun {
  const evaluations = decidedEvaluations(run.evaluations, items);
  const ofPlugins = note === undefined ? {} : { note: note || null };
  return { ...withRunItems(run, items, existing), ...ofPlugins, evaluations };
}

/** Returns the result of one dry-run step, including the plugins' changes. A reused draft keeps its rewritten items. */
export function decidedStep(run: AccountRun, asked: ConsultedInvoice): AccountRun {
  const decided = decidedRun(run, asked);
  const { draft } = run.invoice;
  if (draft === null) return decided;
  return { ...decided, invoice: { ...run.invoice, draft: { ...draft, items: asked.existing } } };
}

/**
 * Returns the evaluations after the plugins' changes. Later repairs use the changed amounts. If a plugin reduces a
 * repair, the removed amount stays on the repaired item.
 */
function decidedEvaluations(
  evaluations: readonly SubscriptionEvaluation[],
  items: readonly NewInvoiceItem[],
) {
  const decided = new Map(items.map((item) => [item.id, item]));
  const hasChanged = (item: NewInvoiceItem): boolean => !decided.get(item.id)?.amount.equals(item.amount);
  return evaluations.map((evaluation) => {
    const changed = evaluation.items.filter(hasChanged);
    if (changed.length === 0) return evaluation;
    const amountOf = (id: Uuid): Decimal | undefined => decided.get(id)?.amount;
    const { coverage } = evaluation;
    const inserted = coverage.inserted.map((row) => decidedRow(row, amountOf(row.itemId) ?? row.amount));
    return {
      ...evaluation,
      coverage: { ...coverage, inserted },
      repairable: evaluation.repairable.map((left) => withLessRepaired(left, changed, amountOf)),
    };
  });
}

/**
 * Returns the row of a charge with the amount that plugins decided (§1.5), so that days that were free can be repaired
 * and days that became free stay billed. The row of a one-time price keeps the catalog's amount, because later runs
 * recognize the billed price by this amount.
 */
function decidedRow(row: CoverageRow, amount: Decimal): CoverageRow {
  if (row.kind === 'FIXED' || row.amount.equals(amount)) return row;
  return { ...row, kind: 'RECURRING', amount };
}

function withLessRepaired<L extends Pick<InvoiceItem, 'id' | 'repairable'>>(
  left: L,
  changed: readonly NewInvoiceItem[],
  amountOf: (id: Uuid) => Decimal | undefined,
): L {
  const repairs = changed.filter(
    ({ itemType, linkedItemId }) => itemType === InvoiceItemType.REPAIR_ADJ && linkedItemId === left.id,
  );
  if (repairs.length === 0) return left;
  const given = sum(repairs.map(({ id, amount }) => (amountOf(id) ?? amount).minus(amount)));
  return { ...left, repairable: left.repairable.plus(given) };
}
