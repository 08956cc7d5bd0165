import type { IdGenerator } from '../../ports/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { DecidedChange } from '../plugins/decided-change.ts';
import type { ProposedChange } from '../plugins/proposed-change.ts';

/** What an operation is told when it works out what it would change. */
export interface Planning {
  readonly ids: IdGenerator;
  /** True: plugins look at it, so that all that is stored of its invoices is read. */
  readonly isConsulted: boolean;
}

/** An operation of people on invoices (§9), described before it is done, so that plugins can have a say in between. */
export interface InvoiceOperation<Subject, Plan extends ProposedChange, Result> {
  /** Told to plugins as property INVOICE_OPERATION (§13 rule 7). */
  readonly name?: 'commit' | 'void';
  /** Whether plugins may add items to its invoices. */
  readonly takesItems: boolean;
  /** What it is about, without a lock. */
  find(session: ReadSession): Promise<Subject>;
  /** The same under the locks that it needs. */
  lock(session: WriteSession): Promise<Subject>;
  /** What it would change now: the same subject and ids give the same plan. Throws what the operation is refused for. */
  plan(session: ReadSession, subject: Subject, planning: Planning): Promise<Plan>;
  /** Does it, in the transaction that holds the locks. */
  apply(session: WriteSession, plan: Plan, decided: NumberedChange): Promise<Result>;
}

/** What is to be stored, with the numbers that plugins impose, by id of the new invoice. */
export interface NumberedChange extends DecidedChange {
  readonly numbers: ReadonlyMap<Uuid, number>;
}
