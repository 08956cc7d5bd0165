import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import { type InvoiceItem, InvoiceItemType, type PluginProperty } from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode, MalformedAnswer } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_STORED_INTEGER } from '../../values/limits.ts';
import { shortenText } from '../../values/text/index.ts';
import { type ChangedInvoice, withItems } from '../credit/changed-invoice.ts';
import { type CreditedRun, type EvaluatedRun, hasItems, reusedDraft } from '../evaluation/run-invoice.ts';
import { emptyInvoice } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { FailedEvaluation } from '../runs/run-accounts.ts';
import { changeInvoices } from '../saving/change-invoices.ts';
import { setTaxRemainders } from '../saving/repair-taxes.ts';
import { resetChargedBefore, saveRunFacts, scheduleDueEntries } from '../saving/save-runs.ts';

/** A run that creates several invoices, or that also changes other invoices. */
export interface SplitRun extends EvaluatedRun {
  /** The new invoices, or the draft that gets the items. */
  readonly invoices: readonly { readonly id: Uuid; readonly items: readonly NewInvoiceItem[] }[];
  /** Draft items that plugins have rewritten, and the new remainders of adjusted items. */
  readonly rewritten: readonly InvoiceItem[];
  readonly remains: readonly Pick<InvoiceItem, 'id' | 'repairable'>[];
  readonly elsewhere: readonly ChangedInvoice[];
}

/**
 * Groups the items of one run into invoices (§8.2 step 12). Items that are in no group are added to the first group,
 * empty groups are dropped, and an adjustment stays with its item.
 * @param creditIds ids of account credit items. They are computed again for each invoice, so groups may not move them.
 * @throws MalformedAnswer for an id that is not on the invoice, or that is in two groups.
 */
export function groupedItems(
  items: readonly NewInvoiceItem[],
  groups: readonly (readonly Uuid[])[],
  creditIds: ReadonlySet<Uuid> = new Set(),
): readonly (readonly NewInvoiceItem[])[] {
  const groupOf = new Map<Uuid, number>();
  const known = new Map(items.map((item) => [item.id, item]));
  for (const [index, ids] of groups.entries()) {
    for (const id of ids) {
      if (creditIds.has(id)) continue;
      if (!known.has(id)) throw new MalformedAnswer(`grouped item ${id}, which is not on the invoice`);
      if (groupOf.has(id)) throw new MalformedAnswer(`put item ${id} into groups twice`);
      groupOf.set(id, index);
    }
  }
  const named = [...groupOf.values()].sort((a, b) => a - b);
  const first = named[0] ?? 0;
  const homeOf = ({ id, itemType, linkedItemId }: NewInvoiceItem): number => {
    const adjusted =
      itemType === InvoiceItemType.ITEM_ADJ && linkedItemId !== null ? known.get(linkedItemId) : undefined;
    return adjusted === undefined ? (groupOf.get(id) ?? first) : homeOf(adjusted);
  };
  const homes = Map.groupBy(items, homeOf);
  return [...homes.keys()].sort((a, b) => a - b).map((home) => homes.get(home) ?? []);
}

/**
 * Saves runs that become several invoices, or that change other invoices. Credit is applied to all of these invoices
 * in order (§8.2 steps 12 and 13). Takes a constant number of statements.
 */
export async function saveSplitRuns(
  session: WriteSession,
  runs: readonly SplitRun[],
  { ids, numbers }: { readonly ids: IdGenerator; readonly numbers: ReadonlyMap<Uuid, number> },
): Promise<void> {
  if (runs.length === 0) return;
  await saveRunFacts(session, runs);
  scheduleDueEntries(session, runs);
  await session.invoices.rewriteItems(runs.flatMap(({ rewritten }) => rewritten));
  await session.invoices.setRepairable(runs.flatMap(({ remains }) => remains));
  await setTaxRemainders(
    session,
    runs.flatMap(({ rewritten }) => rewritten),
  );
  const changesOf = runs.map((run) => ({ run, own: ownChanges(run, session) }));
  const reused = changesOf.flatMap(({ own }) =>
    own.flatMap(({ before, after }) => (before === null ? [] : [{ ...before, ...after }])),
  );
  await session.invoices.setStanding(reused);
  await session.invoices.setLinks(reused.filter(({ contributedAmount }) => contributedAmount !== null));
  const changes = changesOf.flatMap(({ run, own }) => [...own, ...run.elsewhere]);
  const maxTargetDates = new Map(
    runs.map(({ billing, run }) => [billing.account.id, run.state.maxTargetDate]),
  );
  await changeInvoices(session, { changes, maxTargetDates, numbers }, ids);
  await resetChargedBefore(session, runs);
}

/** Returns the invoices of the run, as one group, or the draft to which the run adds items. */
function ownChanges(split: SplitRun, session: WriteSession) {
  const { billing, run, invoices, rewritten, remains } = split;
  const now = session.authorship.createdDate;
  const { account, targetDate } = billing;
  const { status, draft } = run.invoice;
  const [first] = invoices;
  if (draft !== null) {
    const changed = new Map<Uuid, Partial<InvoiceItem>>(remains.map((left) => [left.id, left]));
    for (const item of rewritten) changed.set(item.id, item);
    const existing = draft.items.map((item) => ({ ...item, ...changed.get(item.id) }));
    const newItems = first?.items ?? [];
    const { invoice } = reusedDraft(draft, { account, targetDate, run, now });
    return [{ before: draft.invoice, after: invoice, newItems, allItems: [...existing, ...newItems] }];
  }
  return invoices.map(({ id, items }) => {
    const empty = emptyInvoice({ id, account, targetDate, status, now });
    return withItems({ ...empty, note: run.note ?? null, groupId: first?.id ?? id }, items);
  });
}

/** The property with which plugins set invoice numbers (§13 rule 6). */
export const INVOICE_SEQUENCE_NUMBER = 'INVOICE_SEQUENCE_NUMBER';

/**
 * Returns the numbers that plugins impose on the new invoices of a run, in order. Null means the tenant's next
 * number. When the invoices are stored, their numbers are compared with those of other invoices.
 * @throws BillingError INVOICE_INVALID_NUMBER (4019).
 */
export function imposedNumbers(
  properties: readonly PluginProperty[],
  invoices: number,
): readonly (number | null)[] {
  const given = properties.filter(({ key }) => key === INVOICE_SEQUENCE_NUMBER).slice(0, invoices);
  const numbers = given.map(({ value }) => {
    const number = /^\d{1,10}$/.test(value ?? '') ? Number(value) : 0;
    if (number >= 1 && number < MAX_STORED_INTEGER) return number;
    throw invalidNumber('not a number from 1 to 2147483646', value ?? '');
  });
  if (new Set(numbers).size < numbers.length)
    throw invalidNumber('used for two invoices', numbers.join(', '));
  return Array.from({ length: invoices }, (_, index) => numbers[index] ?? null);
}

function invalidNumber(what: string, number: string): BillingError {
  const invoiceNumber = shortenText(number);
  const message = `The invoice number "${invoiceNumber}" from a plugin is ${what}`;
  return billingError(ErrorCode.INVOICE_INVALID_NUMBER, message, { invoiceNumber });
}

/** A run or an operation, with the numbers that plugins set for its new invoices. */
interface ImposedNumbers<Of> {
  readonly of: Of;
  readonly numbers: readonly (readonly [Uuid, number])[];
}

/**
 * Reserves imposed numbers for invoices that will be stored next (§13 rule 6). Do not store the `refused` invoices
 * (4019), because a stored invoice, or an earlier invoice in the list, already has their number. Refused invoices
 * reserve nothing and do not move the tenant's counter.
 */
export async function imposeNumbers<Of>(session: WriteSession, asked: readonly ImposedNumbers<Of>[]) {
  const wanted = asked.flatMap(({ numbers }) => numbers.map(([, number]) => number));
  if (wanted.length === 0) return { numbers: new Map<Uuid, number>(), refused: [] };
  const taken = new Set(await session.invoices.findUsedNumbers(wanted));
  const imposed = new Map<Uuid, number>();
  const refused: { of: Of; error: BillingError }[] = [];
  for (const { of, numbers } of asked) {
    const own = numbers.map(([, number]) => number);
    const clash = own.find((number, index) => taken.has(number) || own.indexOf(number) < index);
    if (clash === undefined) {
      for (const [id, number] of numbers) imposed.set(id, number);
      for (const number of own) taken.add(number);
    } else {
      refused.push({
        of,
        error: invalidNumber('already used by another invoice; choose a different number', String(clash)),
      });
    }
  }
  if (imposed.size > 0) await session.invoices.passNumber(Math.max(...imposed.values()));
  return { numbers: imposed, refused };
}

/**
 * Reserves the numbers that plugins set for the runs. Returns the runs without the failed ones. Call this function
 * last, because it moves the tenant's counter past all of these numbers.
 */
export async function numberRuns<R extends CreditedRun | SplitRun>(
  session: WriteSession,
  runs: readonly R[],
  propertiesOf: (run: R) => readonly PluginProperty[],
): Promise<{
  readonly runs: readonly R[];
  readonly failed: readonly FailedEvaluation[];
  readonly numbers: ReadonlyMap<Uuid, number>;
}> {
  const asked: ImposedNumbers<R>[] = [];
  const failed: FailedEvaluation[] = [];
  for (const run of runs) {
    try {
      asked.push({ of: run, numbers: numbersOfRun(run, propertiesOf(run)) });
    } catch (error) {
      failed.push({ evaluated: run, error });
    }
  }
  const { numbers, refused } = await imposeNumbers(session, asked);
  failed.push(...refused.map(({ of, error }) => ({ evaluated: of, error })));
  const isLeft = (run: R): boolean => failed.every(({ evaluated }) => evaluated !== run);
  return { runs: runs.filter(isLeft), failed, numbers };
}

/** Returns the numbers that plugins set for a run's new invoices. A reused draft keeps its number. */
function numbersOfRun(run: CreditedRun | SplitRun, properties: readonly PluginProperty[]) {
  if (!hasItems(run) || run.run.invoice.draft !== null) return [];
  return numbersOf('invoices' in run ? run.invoices.map(({ id }) => id) : [run.invoiceId], properties);
}

/**
 * Returns the numbers that the properties set for these new invoices.
 * @throws BillingError INVOICE_INVALID_NUMBER (4019) for an invalid number.
 */
export function numbersOf(
  ids: readonly Uuid[],
  properties: readonly PluginProperty[],
): readonly (readonly [Uuid, number])[] {
  const numbers = imposedNumbers(properties, ids.length);
  return ids.flatMap((id, index) => {
    const number = numbers[index] ?? null;
    return number === null ? [] : [[id, number] as const];
  });
}
