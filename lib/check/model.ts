import type { Uuid } from '../values/ids/index.ts';

/** What always holds in stored data; reports and exit codes of operators' jobs use these names. */
export const CheckedInvariant = {
  /** The stored sums of an invoice are those of its items and payments (invoicing §1.4 rules 1–5). */
  INVOICE_BALANCE: 'INVOICE_BALANCE',
  /** What an invoice owes and the credit of an account are whole minor units of the currency (invoicing §2 rule 6). */
  MINOR_UNIT: 'MINOR_UNIT',
  /** The stored balance and credit of an account are those of its invoices (invoicing §1.4 rules 6–8). */
  ACCOUNT_BALANCE: 'ACCOUNT_BALANCE',
  /** No day is billed twice and none is missed: the next run makes what the whole history asks for (invoicing §7.3). */
  COVERAGE: 'COVERAGE',
  /** What is in force of an item, and what is left of it, is what its repairs and adjustments leave (invoicing §6). */
  REPAIRS: 'REPAIRS',
  /** No more is refunded of a payment than was captured, unless the tenant leaves that to gateways (payments §4.3). */
  REFUNDS: 'REFUNDS',
  /** An invoice has at most one payment whose outcome is unknown; those that are pending share its balance (payments §9.2). */
  OPEN_PAYMENT: 'OPEN_PAYMENT',
  /** What an invoice counts as paid, refunded or charged back is what transactions say (payments §9.4, §9.5). */
  INVOICE_PAYMENT: 'INVOICE_PAYMENT',
  /** Credit notes are numbered without gaps, and each has the amount of its lines (invoicing §21). */
  CREDIT_NOTE: 'CREDIT_NOTE',
  /** The default payment method of an account is an active one of its own (payments §10). */
  DEFAULT_METHOD: 'DEFAULT_METHOD',
  /** Overdue owns the AUTO_INVOICING_OFF of an account only while that is there and its state blocks billing (overdue §2.3). */
  OVERDUE: 'OVERDUE',
  /** Days of usage are what their points come to; what invoices charge for usage is what is kept as billed (usage §1.2). */
  USAGE: 'USAGE',
  /** Every audited record has exactly one audit row of its creation. */
  AUDIT: 'AUDIT',
  /** A record refers to records of its own tenant and account. */
  REFERENCE: 'REFERENCE',
  /** What is to happen has its entry in the queue. */
  QUEUED: 'QUEUED',
  /** A queue entry is live or has an outcome, never both. */
  OUTCOME: 'OUTCOME',
} as const;
export type CheckedInvariant = (typeof CheckedInvariant)[keyof typeof CheckedInvariant];

/** Something stored that cannot be right. */
export interface Breach {
  readonly invariant: CheckedInvariant;
  /** null: it belongs to a tenant that does not exist. */
  readonly tenantId: Uuid | null;
  /** null: it belongs to no account. */
  readonly accountId: Uuid | null;
  /** For a person to act on: what is stored, and what should be. */
  readonly message: string;
}

/** What a rule finds; the service adds tenant and account. */
export type Finding = Pick<Breach, 'invariant' | 'message'>;

export type FindingOfAccount = Finding & { readonly accountId: Uuid };

export function finding(invariant: CheckedInvariant, message: string): Finding {
  return { invariant, message };
}
