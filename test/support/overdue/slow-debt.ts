/** An account as far as dunning goes. */
export interface DebtAccount {
  readonly zone: string;
  readonly referenceMs: number;
  readonly parentId: string | null;
  readonly paysForItself: boolean;
}

/** An invoice as far as dunning goes. */
export interface DebtInvoice {
  readonly id: string;
  readonly accountId: string;
  /** Whether anything has to be paid on it (overdue §3.1), whatever its target date. */
  readonly isOwed: boolean;
  readonly cents: bigint;
  /** The day from which it ages: its own, or that of its commit where it was a draft until then. */
  readonly ages: string;
  readonly targetDate: string | null;
}

/** All that has happened, as far as dunning goes. */
export interface DebtBooks {
  readonly accounts: ReadonlyMap<string, DebtAccount>;
  readonly invoices: readonly DebtInvoice[];
  /** Purchases that have failed, in the order in which they did. */
  readonly failures: readonly { readonly invoiceId: string; readonly response: string }[];
  /** Names of control tags in force, by object. */
  readonly tags: ReadonlyMap<string, ReadonlySet<string>>;
}
