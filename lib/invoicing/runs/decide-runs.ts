import type { WriteSession } from '../../ports/storage/index.ts';
import type { InvoiceItem } from '../../records/index.ts';
import type { BillingError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { SeenRun } from '../consulting/consultation.ts';
import type { ChangedInvoice } from '../credit/changed-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { checkChosenIds, type LoadedElsewhere, loadElsewhere } from '../loading/load-elsewhere.ts';
import { elsewhereChanges } from '../plugins/decided-elsewhere.ts';
import { decidedRun } from '../plugins/decided-run.ts';
import { invalidNumber } from '../plugins/imposed-numbers.ts';
import {
  existingOf,
  isRewritten,
  leftOfItems,
  touchedItems,
  withLeftOfLinked,
} from '../plugins/left-of-items.ts';
import type { EvaluatedRun } from './evaluate-runs.ts';

/** A run that plugins have seen, with what the tenant's plugins say that concerns its invoices. */
export interface RunToDecide {
  readonly evaluated: EvaluatedRun;
  readonly seen: SeenRun | null;
  /** The numbers that plugins impose on that many invoices. */
  readonly numbersFor: (invoices: number) => readonly (number | null)[];
}

/** A run that becomes several invoices, or changes others. */
export interface SplitRun extends EvaluatedRun {
  readonly isSplit: true;
  /** The new invoices, or the draft that takes the items. */
  readonly invoices: readonly { readonly id: Uuid; readonly items: readonly NewInvoiceItem[] }[];
  /** Items of the draft that plugins have rewritten, and what remains of items that they have adjusted. */
  readonly rewritten: readonly InvoiceItem[];
  readonly remains: readonly Pick<InvoiceItem, 'id' | 'repairable'>[];
  readonly elsewhere: readonly ChangedInvoice[];
}

export interface DecidedRuns {
  /** Runs that are stored as those without plugins are. */
  readonly plain: readonly EvaluatedRun[];
  readonly split: readonly SplitRun[];
  readonly failed: readonly { readonly evaluated: EvaluatedRun; readonly error: unknown }[];
  /** Numbers that plugins impose, by invoice. */
  readonly numbers: ReadonlyMap<Uuid, number>;
}

/**
 * The runs as plugins have decided, checked against what is stored; a constant number of statements, and none for runs
 * that no plugin has changed. The accounts are locked, and the runs are those that the plugins have seen.
 */
export async function decideRuns(
  session: WriteSession,
  runs: readonly RunToDecide[],
  nextId: () => Uuid,
): Promise<DecidedRuns> {
  const stored = await loadElsewhere(
    session,
    runs.flatMap(({ seen }) => seen?.asked ?? []),
  );
  const plain: EvaluatedRun[] = [];
  const split: SplitRun[] = [];
  const failed: { evaluated: EvaluatedRun; error: unknown }[] = [];
  const imposed: ImposedNumber[] = [];
  for (const run of runs) {
    const { evaluated, seen } = run;
    try {
      const decided = seen === null ? evaluated : decide(evaluated, seen, { stored, nextId });
      imposed.push(...numbersOf(run, decided));
      if (isSplit(decided)) split.push(decided);
      else plain.push(decided);
    } catch (error) {
      failed.push({ evaluated, error });
    }
  }
  const refused = await refusedNumbers(session, imposed);
  const isRefused = ({ billing }: EvaluatedRun): boolean => refused.has(billing.account.id);
  return {
    plain: plain.filter((run) => !isRefused(run)),
    split: split.filter((run) => !isRefused(run)),
    failed: [...failed, ...refused.values()],
    numbers: new Map(imposed.map(({ id, number }) => [id, number])),
  };
}

interface ImposedNumber {
  readonly evaluated: EvaluatedRun;
  /** Of the invoice. */
  readonly id: Uuid;
  readonly number: number;
}

/** The numbers of the new invoices of a run; a draft that is reused keeps its own. */
function numbersOf(
  { evaluated, numbersFor }: RunToDecide,
  decided: EvaluatedRun | SplitRun,
): readonly ImposedNumber[] {
  const { run, invoiceId } = evaluated;
  if (run.items.length === 0 || run.invoice.draft !== null) return [];
  const ids = isSplit(decided) ? decided.invoices.map(({ id }) => id) : [invoiceId];
  const numbers = numbersFor(ids.length);
  return ids.flatMap((id, index) => {
    const number = numbers[index] ?? null;
    return number === null ? [] : [{ evaluated, id, number }];
  });
}

function isSplit(decided: EvaluatedRun | SplitRun): decided is SplitRun {
  return 'isSplit' in decided;
}

interface Deciding {
  readonly stored: LoadedElsewhere;
  readonly nextId: () => Uuid;
}

function decide(
  evaluated: EvaluatedRun,
  seen: SeenRun,
  { stored, nextId }: Deciding,
): EvaluatedRun | SplitRun {
  const { asked, groups } = seen;
  checkChosenIds(asked, stored);
  const decided = { ...evaluated, run: decidedRun(evaluated.run, asked) };
  const touched = touchedItems(existingOf(evaluated.run), asked.existing);
  if (groups.length <= 1 && asked.elsewhere.length === 0 && touched.length === 0) return decided;
  const { id: accountId } = evaluated.billing.account;
  const left = withLeftOfLinked(stored, leftOfItems(decided.run));
  const { changes, remains } = elsewhereChanges(accountId, asked.elsewhere, left);
  const adjusted = touched.filter((each) => !isRewritten(each));
  return {
    ...decided,
    isSplit: true,
    invoices: groups.map((items, index) => ({ id: index === 0 ? evaluated.invoiceId : nextId(), items })),
    rewritten: touched.filter(isRewritten).map(({ item }) => item),
    remains: [...remains, ...adjusted.map(({ item }) => item)],
    elsewhere: changes,
  };
}

/** The accounts whose numbers other invoices have, stored ones or those of accounts before them. */
async function refusedNumbers(
  session: WriteSession,
  imposed: readonly { readonly evaluated: EvaluatedRun; readonly number: number }[],
): Promise<ReadonlyMap<Uuid, { readonly evaluated: EvaluatedRun; readonly error: BillingError }>> {
  if (imposed.length === 0) return new Map();
  const taken = new Set(await session.invoices.imposeNumbers(imposed.map(({ number }) => number)));
  const refused = new Map<Uuid, { readonly evaluated: EvaluatedRun; readonly error: BillingError }>();
  for (const { evaluated, number } of imposed) {
    const error = invalidNumber('that of another invoice', String(number));
    if (taken.has(number)) refused.set(evaluated.billing.account.id, { evaluated, error });
    taken.add(number);
  }
  return refused;
}
