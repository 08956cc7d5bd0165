import { atReferenceTime } from '../../subscriptions/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { OverdueConfig, OverdueState } from '../config/overdue-config.ts';
import { type BillingSnapshot, billingSnapshot } from '../evaluation/billing-snapshot.ts';
import { effectiveOf } from '../evaluation/effective-date.ts';
import { evaluateOverdue } from '../evaluation/evaluate.ts';
import { needsNoCheck, nextCheckDate } from '../evaluation/next-check.ts';
import { isWorse } from '../evaluation/severity.ts';
import { type OverdueTransition, planTransition } from '../evaluation/transition.ts';
import type { OverdueFacts } from '../loading/overdue-facts.ts';
import { OverdueAction, type OverdueJob } from '../triggers/overdue-jobs.ts';

/** What becomes of the pending check of an account (§6). */
export type NextCheck =
  | { readonly kind: 'KEEP' }
  | { readonly kind: 'REMOVE' }
  /** One that is pending at that instant or before stays. */
  | { readonly kind: 'AT'; readonly at: Instant };

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
  const effective = effectiveOf({
    scheduled: job.action === OverdueAction.CHECK ? job.asked : null,
    next,
    isWorse: isWorse(config, prev, next),
    anchor: snapshot.anchor,
    account,
    now,
    prevEffective: prev?.effective ?? null,
  });
  const transition = planTransition({ prev, next, ownsInvoicingOff, hasInvoicingOff, effective });
  const nextCheck: NextCheck = isExempt ? { kind: 'REMOVE' } : nextCheckOf(facts, { config, snapshot, next });
  return { facts, transition, nextCheck };
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
  return date === null ? { kind: 'KEEP' } : { kind: 'AT', at: atReferenceTime(date, account).at };
}
