import type {
  BillingActionPolicy,
  LifecycleEvent,
  PlanAlignmentChange,
  RuleConditions,
  RuleDecision,
} from '../../records/index.ts';
import { type Instant, instant } from '../../values/time/index.ts';

/** What the date of a lifecycle event was taken from. */
export const DatedBy = {
  /** The request named it, or named none, which means now. */
  REQUESTED_DATE: 'REQUESTED_DATE',
  /** A policy that the request named. */
  REQUESTED_POLICY: 'REQUESTED_POLICY',
  /** The catalog's rule for the policy. */
  CATALOG_RULE: 'CATALOG_RULE',
  /** The end or a change of the base subscription, which ends its add-ons. */
  BASE: 'BASE',
  /** The transfer of the bundle to another account. */
  TRANSFER: 'TRANSFER',
} as const;
export type DatedBy = (typeof DatedBy)[keyof typeof DatedBy];

/** Why a lifecycle event is dated as it is, and why its phases count from their date, as it was when this was decided. */
export interface EventReason {
  readonly datedBy: DatedBy;
  /** The policy that gave the date; null where none did. */
  readonly policy: BillingActionPolicy | null;
  /** For CATALOG_RULE, what the case of the policy asks for; null = the default, or no rule was asked. */
  readonly policyConditions: RuleConditions | null;
  /** For a choice of plan, from where its phases count; null = the alignments agree, or no plan is chosen. */
  readonly alignment: RuleDecision<PlanAlignmentChange> | null;
  /** Whether the alignment came from the rule of a creation or of a change. */
  readonly alignedBy: 'CREATE' | 'CHANGE' | null;
  /** When the plan was chosen, as epoch milliseconds, if that was before the event was recorded: by a transfer. */
  readonly decided?: number;
}

/** The reason for a date that has nothing to do with a policy or an alignment. */
export function datedBy(source: DatedBy): EventReason {
  return { datedBy: source, policy: null, policyConditions: null, alignment: null, alignedBy: null };
}

/** The text as which a reason is stored: only explanations read it, so runs carry it along unread. */
export function writeReason(reason: EventReason): string {
  return JSON.stringify(reason);
}

/** The reason of a stored text. */
export function readReason(text: string): EventReason {
  return JSON.parse(text);
}

/**
 * When the plan of an event was chosen, whatever the date of the event. A transfer continues what was chosen before it,
 * so that the plan still comes from the catalog in which it was chosen (catalog §14 rule 2).
 */
export function decidedOf({ reason, createdDate }: Pick<LifecycleEvent, 'reason' | 'createdDate'>): Instant {
  // Few reasons say so; the others are not parsed.
  if (!reason?.includes('"decided"')) return createdDate;
  const { decided } = readReason(reason);
  return decided === undefined ? createdDate : instant(decided);
}
