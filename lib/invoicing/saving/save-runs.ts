import { accountEvent } from '../../accounts/index.ts';
import type { CatalogOfAccount } from '../../catalog/index.ts';
import type { IdGenerator } from '../../ports/index.ts';
import type { ChargedThroughChange, WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  BusEventType,
  type CoverageRow,
  type Invoice,
  type NewBusEvent,
} from '../../records/index.ts';
import { allEnded } from '../../runtime/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type DatedInstant, type Instant, type LocalDate, localDateOf } from '../../values/time/index.ts';
import { dueEntries } from '../evaluation/run-entries.ts';
import {
  type CreditedRun,
  type EvaluatedRun,
  hasItems,
  newInvoice,
  reusedDraft,
} from '../evaluation/run-invoice.ts';
import { intervalsToStore } from '../evaluation/stored-intervals.ts';
import { storedAmounts } from '../invoices/invoice-amounts.ts';
import { invoiceAdjustmentEvents, invoiceCreationEvents, itemOf } from '../invoices/new-invoice.ts';
import { loadStreams } from '../loading/load-streams.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';
import { insertInvoices, type NotedChange, writeCreditNotes } from './change-invoices.ts';
import { resetChargedThrough } from './commit-and-void.ts';
import { setTaxRemainders } from './repair-taxes.ts';

/**
 * Saves runs in the session's transaction: invoices with their items, coverage, cursors, states, charged-through
 * dates, bill cycle days, due entries and outbox events (§8.2 steps 13 and 14). Each kind of record takes one
 * statement. Independent statements run concurrently, so that the database executes one while the next is written.
 * @param numbers the imposed numbers by invoice. Other invoices get the tenant's next number.
 */
export async function saveRuns(
  session: WriteSession,
  runs: readonly CreditedRun[],
  { ids, numbers = new Map() }: { readonly ids: IdGenerator; readonly numbers?: ReadonlyMap<Uuid, number> },
): Promise<void> {
  const invoiced = runs.filter(hasItems);
  await allEnded([
    saveRunFacts(session, runs),
    session.invoices.saveStates(invoiced.map(({ run }) => run.state)),
    saveInvoices(session, invoiced, numbers),
  ]);
  await resetChargedBefore(session, invoiced);
  await writeCreditNotes(session, invoiced.map(notedChange), ids);
  scheduleDueEntries(session, runs);
  session.publish(runs.filter((each) => !hasItems(each)).map(nullInvoiceEvent));
}

/**
 * Saves the invoices. Assigns their numbers last, so that the tenant's counter is locked only briefly (§1.6 rule 1).
 * Items are stored without waiting for the numbers.
 */
async function saveInvoices(
  session: WriteSession,
  invoiced: readonly CreditedRun[],
  numbers: ReadonlyMap<Uuid, number>,
): Promise<void> {
  const now = session.authorship.createdDate;
  const reused = invoiced.flatMap(({ billing, run }) => {
    const { draft } = run.invoice;
    return draft === null ? [] : [reusedDraft(draft, { ...billing, run, now })];
  });
  const isCommitted = ({ status }: Pick<Invoice, 'status'>) => status === 'COMMITTED';
  const made = invoiced
    .filter(isNew)
    .map(({ billing, run, invoiceId }) => newInvoice({ ...billing, id: invoiceId, run, now }));
  const added = made.map(({ invoice }) => invoice);
  const credited = invoiced.flatMap((each) => each.credited.invoices);
  const uses = invoiced.flatMap((each) => each.credited.items);
  const drafts = reused.map(({ invoice }) => invoice);
  const [, , , , inserted] = await allEnded([
    session.invoices.insertItems([
      ...[...reused, ...made].flatMap(({ items }) => items),
      ...uses.map(({ invoice, ...item }) => itemOf(invoice, item, now)),
    ]),
    session.invoices.setStanding(drafts),
    session.invoices.setLinks(drafts.filter(({ contributedAmount }) => contributedAmount !== null)),
    session.invoices.setAmounts([...credited, ...drafts].map(storedAmounts)),
    insertInvoices(session, added, numbers),
  ]);
  await setTaxRemainders(
    session,
    invoiced.flatMap(({ run }) => run.items),
  );
  session.publish([...drafts, ...inserted].filter(isCommitted).flatMap(invoiceCreationEvents));
  // Existing drafts that this run commits are reported as adjusted, because they received items (§16).
  const adjusted = [...drafts.filter(isCommitted), ...credited];
  session.publish(adjusted.flatMap((each) => invoiceAdjustmentEvents(each)));
}

function notedChange({ run, invoiceId }: CreditedRun): NotedChange {
  const { draft, status } = run.invoice;
  const before = draft?.invoice ?? null;
  return { before, after: { id: before?.id ?? invoiceId, status }, newItems: run.items };
}

function nullInvoiceEvent({ billing: { account } }: CreditedRun): NewBusEvent {
  const { id: accountId, recordId: accountRecordId } = account;
  return { type: BusEventType.NULL_INVOICE, accountRecordId, payload: { accountId } };
}

interface RunToSave extends EvaluatedRun {
  readonly invoices?: readonly { readonly id: Uuid; readonly items: readonly { readonly id: Uuid }[] }[];
}

/** Saves all other changes of runs, except invoices and account states. */
export async function saveRunFacts(session: WriteSession, runs: readonly RunToSave[]): Promise<void> {
  const billings = runs.map(({ billing }) => billing);
  await allEnded([
    saveBillCycleDays(session, billings),
    // Runs without items also have charged-through dates, from dropped usage items of amount 0 (§8.2 step 9).
    // The shortest statement comes first, so that the database executes it while the others are being written.
    session.subscriptions.setChargedThrough(listChargedThroughChanges(runs)),
    saveProjection(session, runs),
  ]);
}

export function scheduleDueEntries(session: WriteSession, runs: readonly EvaluatedRun[]): void {
  const now = session.authorship.createdDate;
  session.schedule(runs.flatMap(({ billing, run }) => dueEntries(billing.account, run, now)));
}

function isNew({ run }: EvaluatedRun): boolean {
  return run.invoice.draft === null;
}

/** Saves coverage, billed usage intervals, remainders of repaired items, and cursors. */
async function saveProjection(session: WriteSession, evaluated: readonly RunToSave[]): Promise<void> {
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
  const replacements = coverage.flatMap((changes) => changes.replacements);
  const repairable = all.flatMap(({ evaluation }) => evaluation.repairable);
  const inserted = coverage.flatMap((changes) => changes.inserted);
  const { createdDate } = session.authorship;
  await allEnded([
    session.invoices.saveCursors(evaluated.flatMap(({ cursors }) => cursors)),
    session.invoices.replaceCoverage(replaced, replacements, ownerOf),
    session.invoices.setRepairable(repairable),
    session.invoices.insertCoverage(inserted, ownerOf),
    session.usage.insertIntervals(evaluated.flatMap((each) => usageIntervals(each, createdDate))),
  ]);
}

function usageIntervals({ billing, run, invoiceId: id, invoices = [] }: RunToSave, createdDate: Instant) {
  const accountRecordId = billing.account.recordId;
  const invoiceId = run.items.length > 0 ? id : null;
  const otherInvoiceOf = new Map(
    invoices.slice(1).flatMap((invoice) => invoice.items.map((item) => [item.id, invoice.id] as const)),
  );
  return run.evaluations.flatMap(({ subscriptionId, usage }) => {
    const ofRun = { accountRecordId, subscriptionId, createdDate, invoiceId, otherInvoiceOf };
    return usage === null ? [] : intervalsToStore({ ...ofRun, usage });
  });
}

/**
 * Sets the charged-through dates that depend on other invoices, after everything else is stored (§8.5). This is needed
 * if the run commits a draft, or if its charges end before other days that are already billed.
 */
export async function resetChargedBefore(
  session: WriteSession,
  invoiced: readonly EvaluatedRun[],
): Promise<void> {
  const drafts = invoiced.filter((each) => !isNew(each));
  await resetChargedThrough(session, findSubscriptionsToReset(invoiced.filter(isNew)));
  const items = drafts.flatMap(({ run }) => run.invoice.draft?.items ?? []);
  await resetChargedThrough(session, findSubscriptionsToReset(drafts), items);
}

function findSubscriptionsToReset(invoiced: readonly EvaluatedRun[]) {
  return new Map(
    invoiced.flatMap(({ billing, run }) =>
      [...run.chargedBefore].map((id) => [id, billing.account] as const),
    ),
  );
}

/**
 * Returns the charged-through dates that depend only on the run. Each date is stored with its `toInstant` (§8.5,
 * subscriptions §2 rule 2).
 */
function listChargedThroughChanges(invoiced: readonly EvaluatedRun[]): readonly ChargedThroughChange[] {
  return invoiced.flatMap(({ billing, run }) => {
    const instants = new Map<LocalDate, DatedInstant>();
    const instantOf = (date: LocalDate): DatedInstant => {
      const at = instants.get(date) ?? atReferenceTime(date, billing.account);
      instants.set(date, at);
      return at;
    };
    return [...run.chargedThrough]
      .filter(([subscriptionId]) => !run.chargedBefore.has(subscriptionId))
      .map(([subscriptionId, date]) => ({ subscriptionId, chargedThrough: instantOf(date) }));
  });
}

/**
 * Sets the bill cycle day of each locked account that has none to the day of the account's earliest charge, even if the
 * account is not invoiced (ruling R51). Executes a constant number of statements.
 */
export async function giveBillCycleDays(
  session: WriteSession,
  accounts: readonly Account[],
  { catalogOf, config }: { readonly catalogOf: CatalogOfAccount; readonly config: InvoicingConfig },
): Promise<void> {
  const requests = accounts.map((account) => ({
    account,
    targetDate: localDateOf(session.authorship.createdDate, account.timeZone),
  }));
  const { streams } = await loadStreams(session, { requests, catalogOf, config, choice: 'all' });
  const evaluated = streams.map(({ request: { account }, newBillCycleDay }) => ({
    account,
    newBillCycleDay,
  }));
  await saveBillCycleDays(session, evaluated);
}

/**
 * Stores the bill cycle day that the first evaluation assigns to an account. The change is recorded as a change of the
 * account (accounts §4 rule 4).
 */
async function saveBillCycleDays(
  session: WriteSession,
  evaluated: readonly { readonly account: Account; readonly newBillCycleDay: number | null }[],
): Promise<void> {
  const updatedDate = session.authorship.createdDate;
  const changed = evaluated.flatMap(({ account, newBillCycleDay }): readonly Account[] =>
    newBillCycleDay === null ? [] : [{ ...account, billCycleDayLocal: newBillCycleDay, updatedDate }],
  );
  if (changed.length === 0) return;
  await session.accounts.update(changed);
  session.publish(changed.map((account) => accountEvent(BusEventType.ACCOUNT_CHANGE, account)));
}
