import type { Invoice, PaymentResponse } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, sum } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';

/** An invoice that is owed (§3.1), whatever its target date. */
export interface UnpaidInvoice extends Pick<Invoice, 'invoiceDate' | 'commitDate' | 'targetDate'> {
  readonly invoiceId: Uuid;
  readonly balance: Decimal;
}

/** What an evaluation looks at beside the unpaid invoices (§3.2). */
export interface SnapshotFacts {
  /** Of the newest failed purchase of the unpaid invoices, OTHER where the gateway gave none; null: none has failed. */
  readonly lastPaymentResponse: PaymentResponse | null;
  /** Names of the control tags of the evaluated account. */
  readonly tags: ReadonlySet<string>;
}

/** What an account owes on a date (§3.2). */
export interface BillingSnapshot extends SnapshotFacts {
  readonly unpaidCount: number;
  readonly unpaidTotal: Decimal;
  /** From when on the age of the earliest unpaid invoice counts; null where nothing is unpaid. */
  readonly anchor: LocalDate | null;
  /** The first later date on which a further invoice counts as unpaid: its target date. */
  readonly nextUnpaidDate: LocalDate | null;
}

/** The snapshot of `today`, of all that the account owes; an invoice counts from its target date on (§3.1). */
export function billingSnapshot(
  owed: readonly UnpaidInvoice[],
  { lastPaymentResponse, tags, today }: SnapshotFacts & { readonly today: LocalDate },
): BillingSnapshot {
  const unpaid = unpaidOn(owed, today);
  const ahead = owed.flatMap(({ targetDate }) =>
    targetDate === null || targetDate <= today ? [] : targetDate,
  );
  return {
    unpaidCount: unpaid.length,
    unpaidTotal: sum(unpaid.map(({ balance }) => balance)),
    anchor: earliest(unpaid.map(agesFrom)),
    nextUnpaidDate: earliest(ahead),
    lastPaymentResponse,
    tags,
  };
}

/** What counts on a date (§3.1). */
export function unpaidOn<I extends Pick<Invoice, 'targetDate'>>(
  owed: readonly I[],
  date: LocalDate,
): readonly I[] {
  return owed.filter(({ targetDate }) => targetDate === null || targetDate <= date);
}

/** Nobody can pay a draft, so its age counts from the day on which it was committed (§3.2). */
export function agesFrom({ invoiceDate, commitDate }: UnpaidInvoice): LocalDate {
  return commitDate !== null && commitDate > invoiceDate ? commitDate : invoiceDate;
}

function earliest(dates: readonly LocalDate[]): LocalDate | null {
  return dates.reduce<LocalDate | null>(
    (first, date) => (first === null || date < first ? date : first),
    null,
  );
}
