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
  /** The request named it, or nothing, which is now. */
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

/** Why a lifecycle event is dated as it is, and its phases count from where they do, as it was when this was decided. */
export interface EventReason {
  readonly datedBy: DatedBy;
  /** The policy that gives the date; null where none does. */
  readonly policy: BillingActionPolicy | null;
  /** Of CATALOG_RULE, what the case of the policy asks for; null = the default, or no rule was asked. */
  readonly policyConditions: RuleConditions | null;
  /** Of a choice of plan, where its phases begin to count; null = everywhere alike, or no plan is chosen. */
  readonly alignment: RuleDecision<PlanAlignmentChange> | null;
  /** Whose rule the alignment is: that of a creation or of a change. */
  readonly alignedBy: 'CREATE' | 'CHANGE' | null;
  /** When the plan was chosen, as epoch milliseconds, where that was before the event was recorded: by a transfer. */
  readonly decided?: number;
}

/** A date that no policy and no alignment has to do with. */
export function datedBy(source: DatedBy): EventReason {
  return { datedBy: source, policy: null, policyConditions: null, alignment: null, alignedBy: null };
}

/** The text that a reason is stored as: only an explanation reads it, so that runs carry it along unread. */
export function writeReason(reason: EventReason): string {
  return JSON.stringify(reason);
}

/** The reason of a stored text. */
export function readReason(text: string): EventReason {
  return JSON.parse(text);
}

/**
 * When the plan that an event puts its subscription on was chosen, whatever the date of the event. A transfer goes on with
 * what was chosen before it, so that the plan stays of the catalog that it was chosen from (catalog §14 rule 2).
 */
export function decidedOf({ reason, createdDate }: Pick<LifecycleEvent, 'reason' | 'createdDate'>): Instant {
  // Few reasons say so; those that do not are left unread.
  if (!reason?.includes('"decided"')) return createdDate;
  const { decided } = readReason(reason);
  return decided === undefined ? createdDate : instant(decided);
}
