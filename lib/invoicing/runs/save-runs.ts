import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Invoice, New } from '../../records/index.ts';
import { BusEventType, type NewBusEvent } from '../../records/index.ts';
import { allEnded } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { numbersFor } from '../changes/numbers-for.ts';
import { type NotedChange, writeCreditNotes } from '../changes/write-credit-notes.ts';
import type { CreditedInvoices } from '../credit/credit-moves.ts';
import { newInvoice, reusedDraft } from '../evaluation/invoice-after-run.ts';
import { storedAmounts } from '../invoices/invoice-amounts.ts';
import { invoiceAdjustmentEvents, invoiceCreationEvents } from '../invoices/invoice-events.ts';
import { itemOf } from '../invoices/new-invoice.ts';
import type { EvaluatedRun } from './evaluate-runs.ts';
import { saveBillCycleDays } from './give-bill-cycle-days.ts';
import { chargedThrough, dueEntriesOf, isNew, resetChargedBefore, saveProjection } from './run-facts.ts';

/** A run with account credit applied. */
export interface EvaluatedAccount extends EvaluatedRun {
  /** Other invoices of the account on which its credit was used. */
  readonly credited: CreditedInvoices;
}

/**
 * Saves runs in the session's transaction: invoices with their items, coverage, cursors, states, charged-through dates,
 * bill cycle days, due entries and outbox events (§8.2 steps 13 and 14), one statement per kind of record. Statements
 * that need no answer of another one do not wait for it: a database in another process works on one while the next is
 * written.
 * @param numbers those that are imposed, by invoice; all others are the next of the tenant.
 * @returns the ids of the invoices by account.
 */
export async function saveRuns(
  session: WriteSession,
  evaluated: readonly EvaluatedAccount[],
  { ids, numbers = new Map() }: { readonly ids: IdGenerator; readonly numbers?: ReadonlyMap<Uuid, number> },
): Promise<ReadonlyMap<Uuid, Uuid>> {
  const invoiced = evaluated.filter(({ run }) => run.items.length > 0);
  const billCycleDays = saveBillCycleDays(
    session,
    evaluated.map(({ billing }) => billing),
  );
  // Runs without items tell dates, too: of zero items of usage that the tenant drops (§8.2 step 9).
  // The shortest statement comes first: the database works on it while the others are written.
  const charged = session.subscriptions.setChargedThrough(chargedThrough(evaluated));
  const projection = saveProjection(session, evaluated);
  const [, , , , invoiceIds] = await allEnded([
    billCycleDays,
    charged,
    projection,
    session.invoices.saveStates(invoiced.map(({ run }) => run.state)),
    saveInvoices(session, invoiced, numbers),
  ]);
  await resetChargedBefore(session, invoiced);
  await writeCreditNotes(session, invoiced.map(notedChange), ids);
  session.schedule(dueEntriesOf(evaluated, session.authorship.createdDate));
  session.publish(evaluated.filter(({ run }) => run.items.length === 0).map(nullInvoiceEvent));
  return invoiceIds;
}

/**
 * Takes numbers last, so that the tenant's counter is locked as briefly as possible (§1.6 rule 1) and the items need not
 * wait for them.
 */
async function saveInvoices(
  session: WriteSession,
  invoiced: readonly EvaluatedAccount[],
  numbers: ReadonlyMap<Uuid, number>,
): Promise<ReadonlyMap<Uuid, Uuid>> {
  const now = session.authorship.createdDate;
  const reused = invoiced.flatMap(({ billing, run }) => {
    const { draft } = run.invoice;
    return draft === null ? [] : [reusedDraft(draft, { ...billing, run, now })];
  });
  const made = invoiced
    .filter(isNew)
    .map(({ billing, run, invoiceId }) => newInvoice({ ...billing, id: invoiceId, run, now }));
  const credited = invoiced.flatMap(({ credited: { invoices: paid } }) => paid);
  const uses = invoiced.flatMap(({ credited: { items } }) => items);
  const reusedInvoices = reused.map(({ invoice }) => invoice);
  const [, , , , inserted] = await allEnded([
    session.invoices.insertItems([
      ...[...reused, ...made].flatMap(({ items }) => items),
      ...uses.map(({ invoice, ...item }) => itemOf(invoice, item, now)),
    ]),
    session.invoices.setStanding(reusedInvoices),
    session.invoices.setLinks(reusedInvoices.filter(({ contributedAmount }) => contributedAmount !== null)),
    session.invoices.setAmounts([...credited, ...reusedInvoices].map(storedAmounts)),
    insertInvoices(
      session,
      made.map(({ invoice }) => invoice),
      numbers,
    ),
  ]);
  const invoices = [...reusedInvoices, ...inserted];
  const committed = invoices.filter(({ status }) => status === 'COMMITTED');
  session.publish(committed.flatMap(invoiceCreationEvents));
  // A draft that existed before and is committed now has got items (§16).
  const adjusted = [...reusedInvoices.filter(({ status }) => status === 'COMMITTED'), ...credited];
  session.publish(adjusted.flatMap((invoice) => invoiceAdjustmentEvents(invoice)));
  return new Map(invoices.map(({ accountId, id }) => [accountId, id]));
}

async function insertInvoices(
  session: WriteSession,
  invoices: readonly New<Invoice>[],
  imposed: ReadonlyMap<Uuid, number>,
): Promise<readonly New<Invoice>[]> {
  if (invoices.length === 0) return [];
  const numberOf = await numbersFor(session, invoices, imposed);
  const numbered = invoices.map((invoice) => ({ ...invoice, invoiceNumber: numberOf(invoice.id) }));
  await session.invoices.insertInvoices(numbered);
  return numbered;
}

/** A run repairs items of invoices other than its own. */
function notedChange({ run, invoiceId }: EvaluatedAccount): NotedChange {
  const { draft, status } = run.invoice;
  const before = draft?.invoice ?? null;
  return { before, after: { id: before?.id ?? invoiceId, status }, newItems: run.items };
}

function nullInvoiceEvent({ billing }: EvaluatedAccount): NewBusEvent {
  return {
    type: BusEventType.NULL_INVOICE,
    accountRecordId: billing.account.recordId,
    payload: { accountId: billing.account.id },
  };
}
