import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type AccountInvoicingState,
  type Invoice,
  InvoiceStatus,
  type New,
} from '../../records/index.ts';
import { allEnded } from '../../runtime/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type LocalDate, localDateOf } from '../../values/time/index.ts';
import {
  applyAccountCredit,
  type CreditedInvoice,
  type CreditMove,
  type LoadedCreditInput,
  repairsAmong,
  UNNUMBERED,
} from '../credit/apply-credit.ts';
import {
  adjustmentEvents,
  afterMoves,
  type ChangedInvoice,
  type CreditUse,
  creditedChange,
  creditItem,
  hasOtherAmounts,
  isAdjusted,
  isNewlyCommitted,
  stateAfterMoves,
} from '../credit/changed-invoice.ts';
import { type CreditingItem, creditingItems, creditNotesOf } from '../credit/credit-notes.ts';
import { accountBalancesAfter, initialState, storedAmounts } from '../invoices/invoice-amounts.ts';
import { invoiceAdjustmentEvents, invoiceCreationEvents, itemOf } from '../invoices/new-invoice.ts';
import { loadCreditInputs } from '../loading/load-credit-inputs.ts';
import { setTaxRemainders } from './repair-taxes.ts';

interface InvoiceChanges {
  /** The changed invoices. Their accounts are locked. */
  readonly changes: readonly ChangedInvoice[];
  /** Additional accounts whose credit is applied. */
  readonly accounts?: readonly Account[];
  /** New latest target dates by account id (null means none). Later runs cannot use earlier target dates (§1.5). */
  readonly maxTargetDates?: ReadonlyMap<Uuid, LocalDate | null>;
  /** Reserved numbers by invoice id. All other new invoices get the tenant's next numbers. */
  readonly numbers?: ReadonlyMap<Uuid, number>;
}

/**
 * Ends a transaction that changed items, payments or statuses of invoices. Applies the accounts' credit with the
 * changed invoices as candidates (§10), and writes invoices, items, sums and account states, with the events of §16.
 * The caller writes other members, such as the status (`setStanding`). Takes a constant number of statements.
 * @returns the changed invoices as stored, in the same order.
 */
export async function changeInvoices(
  session: WriteSession,
  { changes, accounts = [], maxTargetDates = new Map(), numbers = new Map() }: InvoiceChanges,
  ids: IdGenerator,
): Promise<readonly New<Invoice>[]> {
  if (changes.length === 0 && accounts.length === 0) return [];
  const counted = (await countedStates(session, changes, accounts)).map((state) => {
    const maxTargetDate = maxTargetDates.get(state.accountId);
    return maxTargetDate === undefined ? state : { ...state, maxTargetDate };
  });
  const byAccount = Map.groupBy(changes, ({ after }) => after.accountId);
  const inputs = await loadCreditInputs(
    session,
    counted.map((state) => ({ state, candidates: (byAccount.get(state.accountId) ?? []).map(candidateOf) })),
  );
  const credits = counted.map((state): AppliedCredit => {
    const input = inputs.get(state.accountId);
    return { state, input, moves: input === undefined ? [] : applyAccountCredit(input) };
  });
  const moves = credits.flatMap((credit) => credit.moves);
  const uses = await creditItems(session, { moves, changes, credits, accounts }, ids);
  const stored = await write(session, { changes, credits, uses, numbers });
  await writeCreditNotes(session, changes, ids);
  return stored;
}

interface AppliedCredit {
  readonly state: AccountInvoicingState;
  readonly input: LoadedCreditInput | undefined;
  readonly moves: readonly CreditMove[];
}

/** Returns the accounts' states after the changes. */
async function countedStates(
  session: WriteSession,
  changes: readonly ChangedInvoice[],
  accounts: readonly Account[],
) {
  const owners = new Map([
    ...changes.map(({ after }) => [after.accountId, after.accountRecordId] as const),
    ...accounts.map(({ id, recordId }) => [id, recordId] as const),
  ]);
  const stored = await session.invoices.loadStates([...owners.keys()]);
  const states = new Map([...owners].map(([id, recordId]) => [id, initialState({ id, recordId })]));
  for (const state of stored) states.set(state.accountId, state);
  for (const { before, after } of changes) {
    const state = states.get(after.accountId);
    if (state) states.set(after.accountId, accountBalancesAfter(state, { before, after }));
  }
  return [...states.values()];
}

function candidateOf({ before, after, newItems = [], allItems = newItems }: ChangedInvoice): CreditedInvoice {
  const repairs = isNewlyCommitted({ before, stored: after }) ? repairsAmong(allItems) : [];
  return { ...after, ...(before === null ? { invoiceNumber: UNNUMBERED } : {}), repairs };
}

/** Returns the CBA_ADJ items, dated in each account's time zone. Reads accounts only if there are such items. */
async function creditItems(
  session: WriteSession,
  of: Pick<Writing, 'changes' | 'credits'> & {
    readonly moves: readonly CreditMove[];
    readonly accounts: readonly Account[];
  },
  ids: IdGenerator,
) {
  if (of.moves.length === 0) return [];
  const invoices = new Map<Uuid, New<Invoice>>([
    ...of.credits.flatMap(({ input }) => (input?.unpaid ?? []).map((each) => [each.id, each] as const)),
    ...of.changes.map(({ after }) => [after.id, after] as const),
  ]);
  const moved = of.moves.flatMap((move) => {
    const invoice = invoices.get(move.invoiceId);
    return invoice === undefined ? [] : [{ move, invoice }];
  });
  const known = new Map(of.accounts.map((account) => [account.id, account]));
  const missing = new Set(moved.map(({ invoice }) => invoice.accountId).filter((id) => !known.has(id)));
  const loaded = missing.size === 0 ? [] : await session.accounts.findByIds([...missing]);
  for (const account of loaded) known.set(account.id, account);
  return moved.flatMap(({ move, invoice }) => {
    const account = known.get(invoice.accountId);
    if (!account) return [];
    const today = localDateOf(session.authorship.createdDate, account.timeZone);
    return [{ invoice, item: creditItem(ids.next(), move, today) }];
  });
}

interface Writing {
  readonly changes: readonly ChangedInvoice[];
  readonly credits: readonly AppliedCredit[];
  readonly uses: readonly CreditUse[];
  readonly numbers: ReadonlyMap<Uuid, number>;
}

async function write(session: WriteSession, { changes, credits, uses, numbers }: Writing) {
  const now = session.authorship.createdDate;
  const moves = credits.flatMap((credit) => credit.moves);
  const changed = changes.map((change) => ({ ...change, stored: creditedChange(change, moves, uses) }));
  const credited = credits
    .flatMap(({ input }) => input?.unpaid ?? [])
    .filter(({ id }) => moves.some(({ invoiceId }) => invoiceId === id))
    .map((invoice) => afterMoves(invoice, moves));
  const known = changed.flatMap(({ before, stored }) => (before === null ? [] : { before, stored }));
  const amounts = [...known.filter(hasOtherAmounts).map(({ stored }) => stored), ...credited];
  const storedChanges = changed.map(({ stored }) => stored);
  await allEnded([
    session.invoices.setAmounts(amounts.map(storedAmounts)),
    session.invoices.saveStates(savedStates({ changes, credits }, storedChanges)),
  ]);
  const added = changed.flatMap(({ before, stored }) => (before === null ? [stored] : []));
  const inserted = new Map((await insertInvoices(session, added, numbers)).map((each) => [each.id, each]));
  const numbered = changed.map((each) => ({ ...each, stored: inserted.get(each.stored.id) ?? each.stored }));
  await session.invoices.insertItems([
    ...changed.flatMap(({ newItems = [], stored }) => newItems.map((item) => itemOf(stored, item, now))),
    ...uses.map(({ item, invoice }) => itemOf(invoice, item, now)),
  ]);
  await setTaxRemainders(
    session,
    changed.flatMap(({ newItems = [] }) => newItems),
  );
  session.publish(numbered.filter(isNewlyCommitted).flatMap(({ stored }) => invoiceCreationEvents(stored)));
  const adjusted = numbered.filter((change) => isAdjusted(change, moves));
  session.publish([
    ...adjusted.flatMap(adjustmentEvents),
    ...credited.flatMap((each) => invoiceAdjustmentEvents(each)),
  ]);
  return numbered.map(({ stored }) => stored);
}

/** Returns the changed states of the accounts. */
function savedStates(
  { changes, credits }: Pick<Writing, 'changes' | 'credits'>,
  stored: readonly New<Invoice>[],
) {
  return credits.flatMap(({ state, input, moves }) => {
    const own = changes.flatMap(({ before, after }, index) => {
      const moved = stored[index];
      return after.accountId === state.accountId && moved !== undefined ? [{ before, after, moved }] : [];
    });
    if (moves.length === 0 && own.every(({ before, after }) => before === after)) return [];
    const changesOf = own.map(({ after, moved }) => ({ before: after, after: moved }));
    const balanced = changesOf.reduce(accountBalancesAfter, state);
    return [stateAfterMoves(balanced, input?.unpaid ?? [], moves)];
  });
}

/**
 * Stores new invoices under their imposed numbers or, by default, under the tenant's next numbers in order (§1.6 rule
 * 1). Call this function as late as possible, because the tenant's counter stays locked until the transaction ends.
 * @returns the invoices with their numbers.
 */
export async function insertInvoices(
  session: WriteSession,
  invoices: readonly New<Invoice>[],
  imposed: ReadonlyMap<Uuid, number>,
): Promise<readonly New<Invoice>[]> {
  if (invoices.length === 0) return [];
  const counted = invoices.filter(({ id }) => !imposed.has(id));
  const first = counted.length === 0 ? 0 : await session.invoices.takeInvoiceNumbers(counted.length);
  const numbers = new Map([...counted.map(({ id }, index) => [id, first + index] as const), ...imposed]);
  const numbered = invoices.map((each) => ({ ...each, invoiceNumber: numbers.get(each.id) ?? first }));
  await session.invoices.insertInvoices(numbered);
  return numbered;
}

export interface NotedChange {
  readonly before: ChangedInvoice['before'];
  readonly after: Pick<ChangedInvoice['after'], 'id' | 'status'>;
  readonly newItems?: readonly CreditingItem[];
}

/**
 * Writes the credit notes of changed invoices (§21). They are the last records of the transaction, because the
 * tenant's counter stays locked until the transaction ends. Takes a constant number of statements, and none if
 * nothing is credited. For a tenant without credit notes, takes at most the statement that reads the settings.
 */
export async function writeCreditNotes(
  session: WriteSession,
  changes: readonly NotedChange[],
  ids: IdGenerator,
): Promise<void> {
  const listStatusChanges = (from: InvoiceStatus, to: InvoiceStatus) =>
    changes.flatMap(({ before, after }) => (before?.status === from && after.status === to ? [before] : []));
  const voided = listStatusChanges(InvoiceStatus.COMMITTED, InvoiceStatus.VOID);
  const committed = listStatusChanges(InvoiceStatus.DRAFT, InvoiceStatus.COMMITTED);
  const added = changes
    .filter(({ after }) => after.status === InvoiceStatus.COMMITTED)
    .flatMap(({ newItems = [] }) => creditingItems(newItems));
  if (voided.length + committed.length + added.length === 0) return;
  if (!(await session.creditNotes.areWritten())) return;
  const known = [...voided, ...committed];
  const stored = known.length === 0 ? [] : await session.invoices.findItems(known.map(({ id }) => id));
  const itemsOf = Map.groupBy(stored, ({ invoiceId }) => invoiceId);
  const addedIds = new Set(added.map(({ id }) => id));
  // The repairs of a draft take effect when the draft is committed.
  const ofDrafts = committed.flatMap(({ id }) => creditingItems(itemsOf.get(id) ?? []));
  const items = [...added, ...ofDrafts.filter(({ id }) => !addedIds.has(id))];
  const linkedIds = new Set(items.flatMap(({ linkedItemId }) => linkedItemId ?? []));
  const linked = await session.invoices.findItemsByIds([...linkedIds]);
  const before = new Map(changes.map((change) => [change.after.id, change.before]));
  const otherIds = new Set(linked.map(({ invoiceId }) => invoiceId).filter((id) => !before.has(id)));
  const elsewhere = await session.invoices.findByIds([...otherIds]);
  const invoices = [...elsewhere, ...[...before.values()].filter((each) => each !== null)];
  const notes = creditNotesOf({
    items,
    voided: voided.map((invoice) => ({ invoice, items: itemsOf.get(invoice.id) ?? [] })),
    linked: new Map(linked.map((item) => [item.id, item])),
    invoices: new Map(invoices.map((invoice) => [invoice.id, invoice])),
  });
  if (notes.length === 0) return;
  const accountIds = new Set(notes.map(({ invoice }) => invoice.accountId));
  const accounts = await session.accounts.findByIds([...accountIds]);
  const zones = new Map(accounts.map(({ id, timeZone }) => [id, timeZone]));
  const now = session.authorship.createdDate;
  const first = await session.creditNotes.takeNumbers(notes.length);
  await session.creditNotes.insert(
    notes.map(({ invoice: { id: invoiceId, accountId, accountRecordId, currency }, ...note }, index) => {
      const zone = zones.get(accountId);
      assertInvariant(zone !== undefined, `Account ${accountId} no longer exists`);
      return {
        ...note,
        id: ids.next(),
        accountId,
        accountRecordId,
        invoiceId,
        currency,
        creditNoteNumber: first + index,
        creditNoteDate: localDateOf(now, zone),
        createdDate: now,
      };
    }),
  );
}
