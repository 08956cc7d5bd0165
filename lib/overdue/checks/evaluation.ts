import { atReferenceTime } from '../../subscriptions/index.ts';
import { endOfDay, type Instant, type LocalDate, maxInstant } from '../../values/time/index.ts';
import type { OverdueConfig, OverdueState } from '../config/overdue-config.ts';
import { type BillingSnapshot, billingSnapshot, unpaidOn } from '../evaluation/billing-snapshot.ts';
import { type EffectiveInput, effectiveOf } from '../evaluation/effective-date.ts';
import { evaluateOverdue } from '../evaluation/evaluate.ts';
import { needsNoCheck, nextCheckDate } from '../evaluation/next-check.ts';
import { reachedDate } from '../evaluation/reached-date.ts';
import { isWorse } from '../evaluation/severity.ts';
import { type OverdueTransition, planTransition } from '../evaluation/transition.ts';
import type { OverdueFacts } from '../loading/overdue-facts.ts';
import { OverdueAction, type OverdueJob } from '../triggers/overdue-jobs.ts';

/** What becomes of the pending check of an account (§6). */
export type NextCheck =
  | { readonly kind: 'KEEP' }
  | { readonly kind: 'REMOVE' }
  | {
      readonly kind: 'AT';
      readonly at: Instant;
      /** Which instant it goes by (§5.3). */
      readonly asked: Instant;
      /** One that is pending by then stays. */
      readonly staysBy: Instant;
    };

/** What an evaluation makes of an account. */
export interface Evaluation {
  readonly facts: OverdueFacts;
  /** Null: it stays in its state. */
  readonly transition: OverdueTransition | null;
  readonly nextCheck: NextCheck;
}

export interface EvaluationInput {
  readonly config: OverdueConfig;
  readonly job: OverdueJob;
  /** When the last other work of today is due, which may still prevent a worse state; null: there is none. */
  readonly workUntil: Instant | null;
  readonly ownsInvoicingOff: boolean;
  readonly now: Instant;
}

/** Evaluates an account (§5.1). One that is exempt is clear, however much it owes, and has no checks (§7). */
export function evaluate(facts: OverdueFacts, input: EvaluationInput): Evaluation {
  const { config, job, ownsInvoicingOff, now } = input;
  const { account, prev, today, tags, lastPaymentResponse, hasInvoicingOff } = facts;
  const snapshot = billingSnapshot(facts.unpaid, { lastPaymentResponse, tags, today });
  const isExempt = facts.exemptBy !== null;
  const next = isExempt ? null : evaluateOverdue(config, snapshot, today);
  const reached = next === null ? null : reachedDate(next, unpaidOn(facts.unpaid, today));
  const becomesWorse = isWorse(config, prev, next);
  const laterToday = becomesWorse ? leftToLaterToday(input, { reached, account, today }) : null;
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
 * The check that enters a worse state behind the work of today, which may still prevent it (§5.2 rule 5); null: the state
 * is entered now. A late check leaves to it only what today has brought: else work of every day could put it off for ever.
 */
function leftToLaterToday(
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
  evaluated: {
    readonly config: OverdueConfig;
    readonly snapshot: BillingSnapshot;
    readonly next: OverdueState | null;
  },
): NextCheck {
  if (needsNoCheck(evaluated)) return { kind: 'REMOVE' };
  const date = nextCheckDate({ ...evaluated, today });
  if (date === null) return { kind: 'KEEP' };
  const { at } = atReferenceTime(date, account);
  return { kind: 'AT', at, asked: at, staysBy: at };
}
