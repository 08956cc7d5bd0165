import type { CatalogSource } from '../../catalog/index.ts';
import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { enterableStates, type OverdueConfig } from '../config/overdue-config.ts';
import { loadOverdueFacts, type OverdueFacts } from '../loading/overdue-facts.ts';
import { applyTransitions } from './apply-transitions.ts';
import { evaluate } from './evaluation.ts';
import type { LockedJob } from './in-order.ts';
import { scheduleChecks } from './schedule-checks.ts';

interface EvaluationTools {
  readonly config: OverdueConfig;
  /** Null where no state of the configuration cancels. */
  readonly catalogsOf: CatalogSource | null;
  readonly ids: IdGenerator;
}

/** Evaluates locked accounts and puts them into the states that they come to (§5.1), in a constant number of statements. */
export async function evaluateAccounts(
  session: WriteSession,
  jobs: readonly LockedJob[],
  { config, catalogsOf, ids }: EvaluationTools,
): Promise<void> {
  if (jobs.length === 0) return;
  const now = session.authorship.createdDate;
  const facts = await loadOverdueFacts(
    session,
    jobs.map(({ account }) => account),
    { at: now, responses: enterableStates(config).some(({ condition }) => condition.responses !== null) },
  );
  const owners = await ownersOfInvoicingOff(session, facts);
  const jobOf = new Map(jobs.map(({ account, job }) => [account.id, job]));
  const evaluations = facts.flatMap((each) => {
    const job = jobOf.get(each.account.id);
    const ownsInvoicingOff = owners.has(each.account.id);
    return job === undefined ? [] : [evaluate(each, { config, job, ownsInvoicingOff, now })];
  });
  await scheduleChecks(session, evaluations);
  const entered = evaluations.flatMap(({ facts: { account }, transition }) =>
    transition === null ? [] : [{ account, transition }],
  );
  await applyTransitions(session, entered, { ids, catalogsOf });
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
