import type { CatalogSource } from '../../catalog/index.ts';
import { SystemTag } from '../../control-tags/index.ts';
import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  BillingActionPolicy,
  BlockingStateType,
  BusEventType,
  OVERDUE_SERVICE,
} from '../../records/index.ts';
import { atReferenceTime, cancelAll, setBlockingStates } from '../../subscriptions/index.ts';
import { addEngineTag, removeEngineTag } from '../../tags/index.ts';
import { endOfDay, type Instant, type LocalDate, maxInstant } from '../../values/time/index.ts';
import { CLEAR_STATE_NAME, enterableStates, type OverdueConfig } from '../config/overdue-config.ts';
import {
  billingSnapshot,
  type CheckedAccount,
  evaluateOverdue,
  needsNoCheck,
  nextCheckDate,
  unpaidOn,
} from '../evaluation/evaluate.ts';
import {
  type EffectiveInput,
  effectiveOf,
  InvoicingOffStep,
  isWorse,
  type OverdueTransition,
  planTransition,
  reachedDate,
} from '../evaluation/transition.ts';
import { loadOverdueFacts, type OverdueFacts } from '../loading/overdue-facts.ts';
import {
  checkKey,
  OverdueAction,
  type OverdueJob,
  overdueNotification,
  scheduledCheck,
} from '../triggers/overdue-jobs.ts';
import type { OrderedJob } from './order-checks.ts';

interface EvaluationTools {
  readonly config: OverdueConfig;
  /** Source of catalogs. If null, jobs that would cancel subscriptions are skipped. */
  readonly catalogsOf: CatalogSource | null;
  readonly ids: IdGenerator;
}

/**
 * Evaluates locked accounts and applies their new states (§5.1) in a constant number of statements. Returns the
 * skipped jobs.
 */
export async function evaluateAccounts(
  session: WriteSession,
  jobs: readonly OrderedJob[],
  { config, catalogsOf, ids }: EvaluationTools,
): Promise<readonly OrderedJob[]> {
  if (jobs.length === 0) return [];
  const now = session.authorship.createdDate;
  const accounts = jobs.map(({ account }) => account);
  const responses = enterableStates(config).some(({ condition }) => condition.responses !== null);
  const facts = await loadOverdueFacts(session, accounts, { at: now, responses });
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

function cancels({ transition }: Evaluation) {
  return transition !== null && transition.cancellation !== 'NONE';
}

/**
 * Returns the accounts on which overdue processing has set AUTO_INVOICING_OFF. Does not query accounts that were never
 * overdue.
 */
async function ownersOfInvoicingOff(session: WriteSession, facts: readonly OverdueFacts[]) {
  const tagged = facts.filter(({ prev, hasInvoicingOff }) => prev !== null && hasInvoicingOff);
  const rows = await session.overdue.findAccounts(tagged.map(({ account }) => account.id));
  const owned = rows.filter(({ isInvoicingOffOwned }) => isInvoicingOffOwned);
  return new Set(owned.map(({ accountId }) => accountId));
}

/** The next check of an account, which is scheduled, kept or removed (§6). */
export type NextCheck =
  | { readonly kind: 'KEEP' }
  | { readonly kind: 'REMOVE' }
  | {
      readonly kind: 'AT';
      readonly at: Instant;
      /** The instant at which the check was requested (§5.3). */
      readonly asked: Instant;
      /** Time up to which a pending check is left unchanged. */
      readonly staysBy: Instant;
    };

interface Evaluation {
  readonly facts: OverdueFacts;
  /** The change of state, or null if the state does not change. */
  readonly transition: OverdueTransition | null;
  readonly nextCheck: NextCheck;
}

interface EvaluationInput {
  readonly config: OverdueConfig;
  readonly job: OverdueJob;
  /**
   * The latest due time of today's other work that may still prevent a worse state, or null if there is no such work.
   */
  readonly workUntil: Instant | null;
  readonly ownsInvoicingOff: boolean;
  readonly now: Instant;
}

/** Evaluates an account (§5.1). An exempt account is always clear and has no checks, even if it has debts (§7). */
export function evaluate(facts: OverdueFacts, input: EvaluationInput): Evaluation {
  const { config, job, ownsInvoicingOff, now } = input;
  const { account, prev, today, tags, lastPaymentResponse, hasInvoicingOff } = facts;
  const snapshot = billingSnapshot(facts.unpaid, { lastPaymentResponse, tags, today });
  const isExempt = facts.exemptBy !== null;
  const next = isExempt ? null : evaluateOverdue(config, snapshot, today);
  const reached = next === null ? null : reachedDate(next, unpaidOn(facts.unpaid, today));
  const becomesWorse = isWorse(config, prev, next);
  const laterToday = becomesWorse ? laterCheckToday(input, { reached, account, today }) : null;
  if (laterToday !== null) return { facts, transition: null, nextCheck: laterToday };
  const effective = effectiveOf({
    scheduled: job.action === OverdueAction.CHECK ? job.asked : null,
    next,
    isWorse: becomesWorse,
    reached,
    account,
    now,
    prevEffective: prev?.effective ?? null,
  });
  const transition = planTransition({ prev, next, ownsInvoicingOff, hasInvoicingOff, effective });
  const nextCheck: NextCheck = isExempt ? { kind: 'REMOVE' } : nextCheckOf(facts, { config, snapshot, next });
  return { facts, transition, nextCheck };
}

/**
 * Returns a check that runs after today's other work, because that work may prevent a worse state (§5.2 rule 5).
 * Returns null if the account enters the state now. A check that is late waits only if the state is reached today.
 */
function laterCheckToday(
  { job, workUntil, now }: EvaluationInput,
  { reached, account, today }: Pick<EffectiveInput, 'reached' | 'account'> & { readonly today: LocalDate },
): NextCheck | null {
  if (workUntil === null) return null;
  const isCheck = job.action === OverdueAction.CHECK;
  if (isCheck && reached !== today) return null;
  const at = maxInstant(workUntil, now);
  return { kind: 'AT', at, asked: isCheck ? job.asked : at, staysBy: endOfDay(now, account.timeZone) };
}

function nextCheckOf(
  { account, today }: OverdueFacts,
  evaluated: Pick<CheckedAccount, 'config' | 'snapshot' | 'next'>,
): NextCheck {
  if (needsNoCheck(evaluated)) return { kind: 'REMOVE' };
  const date = nextCheckDate({ ...evaluated, today });
  if (date === null) return { kind: 'KEEP' };
  const { at } = atReferenceTime(date, account);
  return { kind: 'AT', at, asked: at, staysBy: at };
}

/** Schedules at most one check per account (§6). */
export async function scheduleChecks(
  session: WriteSession,
  evaluations: readonly Pick<Evaluation, 'facts' | 'nextCheck'>[],
): Promise<void> {
  const changed = evaluations.filter(({ nextCheck }) => nextCheck.kind !== 'KEEP');
  if (changed.length === 0) return;
  const keys = changed.map(({ facts }) => checkKey(facts.account.recordId));
  const pending = await session.notifications.findPending(keys);
  const pendingAt = new Map(pending.map(({ uniqueKey, effectiveDate }) => [uniqueKey, effectiveDate]));
  const planned = changed.flatMap(({ facts: { account }, nextCheck }) => {
    const before = pendingAt.get(checkKey(account.recordId));
    const next = nextCheck.kind === 'AT' ? nextCheck : null;
    const isPlanned = next !== null && before !== undefined && before <= next.staysBy;
    return isPlanned ? [] : [{ accountRecordId: account.recordId, next, isPending: before !== undefined }];
  });
  const obsolete = planned.filter(({ isPending }) => isPending);
  await session.unschedule(obsolete.map(({ accountRecordId }) => checkKey(accountRecordId)));
  session.schedule(
    planned.flatMap(({ accountRecordId, next }) => {
      if (next === null) return [];
      return overdueNotification({ ...scheduledCheck(accountRecordId, next.asked), due: next.at });
    }),
  );
}

export interface EnteredState {
  readonly account: Account;
  readonly transition: OverdueTransition;
}

/** Applies new states (§5.1 steps 6 to 9) in a constant number of statements. */
export async function applyTransitions(
  session: WriteSession,
  entered: readonly EnteredState[],
  { ids, catalogsOf }: Pick<EvaluationTools, 'ids' | 'catalogsOf'>,
): Promise<void> {
  if (entered.length === 0) return;
  const tools = { now: session.authorship.createdDate, nextId: () => ids.next() };
  if (catalogsOf !== null) await cancelAll(session, { accounts: entered.flatMap(endOf), catalogsOf }, tools);
  await moveInvoicingOff(session, entered, ids);
  await setBlockingStates(session, entered.map(blockOf), tools);
  session.publish(entered.flatMap(changeEvent));
}

function endOf({ account, transition: { cancellation, effective } }: EnteredState) {
  if (cancellation === 'NONE') return [];
  const billingPolicy = BillingActionPolicy[cancellation];
  return [{ account, requested: { at: effective.at }, billingPolicy, planned: 'MOVED_FORWARD' as const }];
}

/**
 * Adds or removes the tag AUTO_INVOICING_OFF, and stores the new states. When the tag is removed, an invoice run for
 * the blocked time starts (§9.2).
 */
async function moveInvoicingOff(session: WriteSession, entered: readonly EnteredState[], ids: IdGenerator) {
  const accountsThat = (step: InvoicingOffStep): readonly Account[] =>
    entered.filter(({ transition }) => transition.invoicingOff === step).map(({ account }) => account);
  const definitionId = SystemTag.AUTO_INVOICING_OFF;
  const blocked = accountsThat(InvoicingOffStep.ADD);
  const unblocked = accountsThat(InvoicingOffStep.REMOVE);
  if (blocked.length > 0) await addEngineTag(session, blocked, { definitionId, ids });
  if (unblocked.length > 0) await removeEngineTag(session, unblocked, definitionId);
  const changed = entered.map(({ account, transition }) => {
    const { ownsInvoicingOff: isInvoicingOffOwned, state } = transition;
    const stateName = state.stateName === CLEAR_STATE_NAME ? null : state.stateName;
    return { accountId: account.id, accountRecordId: account.recordId, isInvoicingOffOwned, stateName };
  });
  await session.overdue.saveAccounts(changed);
}

function blockOf({ account, transition: { state, effective } }: EnteredState) {
  const object = { type: BlockingStateType.ACCOUNT, account };
  return { object, service: OVERDUE_SERVICE, effective, ...state };
}

function changeEvent({ account, transition: { change } }: EnteredState) {
  if (change === null) return [];
  const payload = { accountId: account.id, metaData: { ...change } };
  return [{ type: BusEventType.OVERDUE_CHANGE, accountRecordId: account.recordId, payload }];
}
