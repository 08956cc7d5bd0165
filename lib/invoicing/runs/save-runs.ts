import type { ChargedThroughChange, WriteSession } from '../../ports/storage/index.ts';
import type { CoverageRow, CursorToSave, Invoice, New } from '../../records/index.ts';
import { BusEventType, type NewBusEvent, type NewNotification } from '../../records/index.ts';
import { allEnded } from '../../runtime/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { DatedInstant, LocalDate } from '../../values/time/index.ts';
import type { CreditedInvoices } from '../credit/credit-moves.ts';
import type { AccountBilling } from '../evaluation/account-billing.ts';
import type { AccountRun } from '../evaluation/evaluate-account.ts';
import { newInvoice, reusedDraft } from '../evaluation/invoice-after-run.ts';
import { dueEntry } from '../evaluation/run-trigger.ts';
import { storedAmounts } from '../invoices/invoice-amounts.ts';
import { invoiceAdjustmentEvents, invoiceCreationEvents } from '../invoices/invoice-events.ts';
import { itemOf } from '../invoices/new-invoice.ts';
import { chargedThroughAfterCommit } from '../loading/charged-through-after-commit.ts';
import { saveBillCycleDays } from './give-bill-cycle-days.ts';

/** An account and what its evaluation wants written; what was read for it is no longer needed. */
export interface EvaluatedAccount {
  readonly billing: Pick<AccountBilling, 'account' | 'targetDate' | 'newBillCycleDay' | 'skipped'>;
  readonly run: AccountRun;
  readonly cursors: readonly CursorToSave[];
  /** Id of the invoice that the items of the run go to. */
  readonly invoiceId: Uuid;
  /** Other invoices of the account on which its credit was used. */
  readonly credited: CreditedInvoices;
}

/**
 * Saves runs in the session's transaction: invoices with their items, coverage, cursors, states, charged-through dates,
 * bill cycle days, due entries and outbox events (§8.2 steps 13 and 14), one statement per kind of record. Statements
 * that need no answer of another one do not wait for it: a database in another process works on one while the next is
 * written.
 * @returns the ids of the invoices by account.
 */
export async function saveRuns(
  session: WriteSession,
  evaluated: readonly EvaluatedAccount[],
): Promise<ReadonlyMap<Uuid, Uuid>> {
  const invoiced = evaluated.filter(({ run }) => run.items.length > 0);
  const billCycleDays = saveBillCycleDays(
    session,
    evaluated.map(({ billing }) => billing),
  );
  // The shortest statement comes first: the database works on it while the others are written.
  const charged = session.subscriptions.setChargedThrough(chargedThrough(invoiced.filter(isNew)));
  const projection = saveProjection(session, evaluated);
  const [, , , , , invoiceIds] = await allEnded([
    billCycleDays,
    charged,
    projection,
    saveChargedThroughOfDrafts(session, invoiced, projection),
    session.invoices.saveStates(invoiced.map(({ run }) => run.state)),
    saveInvoices(session, invoiced),
  ]);
  session.schedule(evaluated.flatMap(dueEntries));
  session.publish(evaluated.filter(({ run }) => run.items.length === 0).map(nullInvoiceEvent));
  return invoiceIds;
}

function isNew({ run }: EvaluatedAccount): boolean {
  return run.invoice.draft === null;
}

/**
 * Takes numbers last, so that the tenant's counter is locked as briefly as possible (§1.6 rule 1) and the items need not
 * wait for them.
 */
async function saveInvoices(
  session: WriteSession,
  invoiced: readonly EvaluatedAccount[],
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
): Promise<readonly New<Invoice>[]> {
  if (invoices.length === 0) return [];
  const firstNumber = await session.invoices.takeInvoiceNumbers(invoices.length);
  const numbered = invoices.map((invoice, index) => ({ ...invoice, invoiceNumber: firstNumber + index }));
  await session.invoices.insertInvoices(numbered);
  return numbered;
}

async function saveProjection(session: WriteSession, evaluated: readonly EvaluatedAccount[]): Promise<void> {
  const all = evaluated.flatMap(({ billing, run }) =>
    run.evaluations.map((evaluation) => ({ accountRecordId: billing.account.recordId, evaluation })),
  );
  const owners = new Map(
    all.map(({ accountRecordId, evaluation }) => [evaluation.subscriptionId, accountRecordId]),
  );
  const ownerOf = (row: CoverageRow): number => {
    const owner = owners.get(row.subscriptionId);
    if (owner !== undefined) return owner;
    throw new InvariantError(`Coverage of subscription ${row.subscriptionId} belongs to no account`);
  };
  const coverage = all.map(({ evaluation }) => evaluation.coverage);
  const replaced = coverage.flatMap(({ replacedItemIds }) => replacedItemIds);
  const repairable = all.flatMap(({ evaluation }) => evaluation.repairable);
  const inserted = coverage.flatMap((changes) => changes.inserted);
  await allEnded([
    session.invoices.saveCursors(evaluated.flatMap(({ cursors }) => cursors)),
    session.invoices.replaceCoverage(
      replaced,
      coverage.flatMap(({ replacements }) => replacements),
      ownerOf,
    ),
    session.invoices.setRepairable(repairable),
    session.invoices.insertCoverage(inserted, ownerOf),
  ]);
}

function dueEntries({ billing, run }: EvaluatedAccount): readonly NewNotification[] {
  return run.dueDates.map((date) => dueEntry(billing.account, date));
}

/** For subscriptions on a draft, what is committed is read from the coverage (§8.5). */
async function saveChargedThroughOfDrafts(
  session: WriteSession,
  invoiced: readonly EvaluatedAccount[],
  projection: Promise<void>,
): Promise<void> {
  const ofDrafts = invoiced.filter((each) => !isNew(each));
  if (ofDrafts.length === 0) return;
  await projection;
  const kept = await chargedThroughAfterCommit(
    session,
    new Map(ofDrafts.flatMap(({ run }) => [...run.chargedThrough])),
  );
  await session.subscriptions.setChargedThrough(chargedThrough(ofDrafts, kept));
}

/** The instant of a charged-through date is its `toInstant` (§8.5, subscriptions §2 rule 2). */
function chargedThrough(
  invoiced: readonly EvaluatedAccount[],
  kept: ReadonlyMap<Uuid, LocalDate> = new Map(),
): readonly ChargedThroughChange[] {
  return invoiced.flatMap(({ billing, run }) => {
    const instants = new Map<LocalDate, DatedInstant>();
    const instantOf = (date: LocalDate): DatedInstant => {
      const at = instants.get(date) ?? atReferenceTime(date, billing.account);
      instants.set(date, at);
      return at;
    };
    return [...run.chargedThrough].map(([subscriptionId, date]) => ({
      subscriptionId,
      chargedThrough: instantOf(kept.get(subscriptionId) ?? date),
    }));
  });
}

function nullInvoiceEvent({ billing }: EvaluatedAccount): NewBusEvent {
  return {
    type: BusEventType.NULL_INVOICE,
    accountRecordId: billing.account.recordId,
    payload: { accountId: billing.account.id },
  };
}
