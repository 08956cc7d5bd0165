import type { Uuid } from '../values/ids/index.ts';

/** Invariants of stored data. Reports, and the exit codes of operators' jobs, depend on these names. */
export const CheckedInvariant = {
  /** The stored sums of an invoice equal the sums of its items and payments (invoicing §1.4 rules 1–5). */
  INVOICE_BALANCE: 'INVOICE_BALANCE',
  /** Invoice balances and account credit are whole minor units of the currency (invoicing §2 rule 6). */
  MINOR_UNIT: 'MINOR_UNIT',
  /** The stored balance and credit of an account equal the sums of its invoices (invoicing §1.4 rules 6–8). */
  ACCOUNT_BALANCE: 'ACCOUNT_BALANCE',
  /**
   * No day is billed twice or missed: the next run creates exactly the items that the whole history requires (invoicing
   * §7.3).
   */
  COVERAGE: 'COVERAGE',
  /** The days in force and the remaining amount of an item agree with its repairs and adjustments (invoicing §6). */
  REPAIRS: 'REPAIRS',
  /** A payment is not refunded beyond the captured amount, unless the tenant allows it (payments §4.3). */
  REFUNDS: 'REFUNDS',
  /** An invoice has at most one payment with an unknown outcome. Pending payments share its balance (payments §9.2). */
  OPEN_PAYMENT: 'OPEN_PAYMENT',
  /** The paid, refunded and charged-back amounts of an invoice agree with the transactions (payments §9.4, §9.5). */
  INVOICE_PAYMENT: 'INVOICE_PAYMENT',
  /** Credit note numbers have no gaps, and the amount of each credit note is the sum of its lines (invoicing §21). */
  CREDIT_NOTE: 'CREDIT_NOTE',
  /** The default payment method of an account is active and belongs to the account (payments §10). */
  DEFAULT_METHOD: 'DEFAULT_METHOD',
  /**
   * The overdue module owns an AUTO_INVOICING_OFF tag only while the tag exists and the state blocks billing (overdue
   * §2.3).
   */
  OVERDUE: 'OVERDUE',
  /** Usage days equal the sum of their points, and usage items match the stored billed usage (usage §1.2). */
  USAGE: 'USAGE',
  /** Every audited record has exactly one audit row for its creation. */
  AUDIT: 'AUDIT',
  /** A record refers to records of its own tenant and account. */
  REFERENCE: 'REFERENCE',
  /** All future work has a queue entry. */
  QUEUED: 'QUEUED',
  /** A queue entry is either live or has an outcome, but never both. */
  OUTCOME: 'OUTCOME',
} as const;
export type CheckedInvariant = (typeof CheckedInvariant)[keyof typeof CheckedInvariant];

/** A violation of an invariant. */
export interface Breach {
  readonly invariant: CheckedInvariant;
  /** The id of the tenant, or null if the tenant does not exist. */
  readonly tenantId: Uuid | null;
  /** The id of the account, or null if the violation concerns no account. */
  readonly accountId: Uuid | null;
  /** Description of the stored and the expected data, which an operator needs to correct the problem. */
  readonly message: string;
}

/** A violation to which the tenant and the account have not been added yet. */
export type Finding = Pick<Breach, 'invariant' | 'message'>;

export type FindingOfAccount = Finding & { readonly accountId: Uuid };

export function finding(invariant: CheckedInvariant, message: string): Finding {
  return { invariant, message };
}

export function ofAccount(accountId: Uuid, findings: readonly Finding[]): readonly FindingOfAccount[] {
  return findings.map((each) => ({ ...each, accountId }));
}

/**
 * Yields pages of at most `limit` records. `read` receives the key of the last record of the previous page, or
 * undefined for the first page.
 */
export async function* pagesBy<R, K>(
  limit: number,
  keyOf: (last: R) => K,
  read: (after?: K) => Promise<readonly R[]>,
): AsyncIterable<readonly R[]> {
  let after: K | undefined;
  for (;;) {
    const page = await read(after);
    yield page;
    const last = page.at(-1);
    if (page.length < limit || last === undefined) return;
    after = keyOf(last);
  }
}
