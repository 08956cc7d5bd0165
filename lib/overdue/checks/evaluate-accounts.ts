import type { CatalogSource } from '../../catalog/index.ts';
import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { CancellationPolicy, enterableStates, type OverdueConfig } from '../config/overdue-config.ts';
import { loadOverdueFacts, type OverdueFacts } from '../loading/overdue-facts.ts';
import { applyTransitions } from './apply-transitions.ts';
import { type Evaluation, evaluate } from './evaluation.ts';
import type { OrderedJob } from './in-order.ts';
import { scheduleChecks } from './schedule-checks.ts';

interface EvaluationTools {
  readonly config: OverdueConfig;
  /** Null: what would cancel is left alone. */
  readonly catalogsOf: CatalogSource | null;
  readonly ids: IdGenerator;
}

/**
 * Evaluates locked accounts and puts them into the states that they come to (§5.1), in a constant number of statements.
 * Returns the jobs that were left alone.
 */
export async function evaluateAccounts(
  session: WriteSession,
  jobs: readonly OrderedJob[],
  { config, catalogsOf, ids }: EvaluationTools,
): Promise<readonly OrderedJob[]> {
  if (jobs.length === 0) return [];
  const now = session.authorship.createdDate;
  const facts = await loadOverdueFacts(
    session,
    jobs.map(({ account }) => account),
    { at: now, responses: enterableStates(config).some(({ condition }) => condition.responses !== null) },
  );
  const owners = await ownersOfInvoicingOff(session, facts);
  const jobOf = new Map(jobs.map((each) => [each.account.id, each]));
  const evaluations = facts.flatMap((each) => {
    const ordered = jobOf.get(each.account.id);
    if (ordered === undefined) return [];
    const { job, workUntil } = ordered;
    return [evaluate(each, { config, job, workUntil, ownsInvoicingOff: owners.has(each.account.id), now })];
  });
  const left = catalogsOf === null ? evaluations.filter(cancels) : [];
  const evaluated = evaluations.filter((each) => !left.includes(each));
  await scheduleChecks(session, evaluated);
  const entered = evaluated.flatMap(({ facts: { account }, transition }) =>
    transition === null ? [] : [{ account, transition }],
  );
  await applyTransitions(session, entered, { ids, catalogsOf });
  const leftIds = new Set(left.map(({ facts: { account } }) => account.id));
  return jobs.filter(({ account }) => leftIds.has(account.id));
}

function cancels({ transition }: Evaluation): boolean {
  return transition !== null && transition.cancellation !== CancellationPolicy.NONE;
}

/** Whose AUTO_INVOICING_OFF is overdue's doing; accounts that have never been overdue are not asked about. */
async function ownersOfInvoicingOff(
  session: WriteSession,
  facts: readonly OverdueFacts[],
): Promise<ReadonlySet<Uuid>> {
  const tagged = facts.filter(({ prev, hasInvoicingOff }) => prev !== null && hasInvoicingOff);
  const rows = await session.overdue.findAccounts(tagged.map(({ account }) => account.id));
  return new Set(
    rows.flatMap(({ accountId, isInvoicingOffOwned }) => (isInvoicingOffOwned ? accountId : [])),
  );
}
