import type { WriteSession } from '../../ports/storage/index.ts';
import type { InvoiceItem } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { ChangedInvoice } from '../credit/changed-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { EvaluatedRun } from '../runs/evaluate-runs.ts';
import { TakenIds } from './additional-items.ts';
import type { SeenRun } from './ask-about-runs.ts';
import {
  elsewhereChanges,
  existingOf,
  isRewritten,
  type LoadedElsewhere,
  leftOfItems,
  loadElsewhere,
  touchedItems,
  withLeftOfLinked,
} from './decided-elsewhere.ts';
import { decidedRun } from './decided-run.ts';

/** A run, as the tenant's plugins have seen it; null = they have not. */
export interface RunToDecide {
  readonly evaluated: EvaluatedRun;
  readonly seen: SeenRun | null;
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
  const taken = new TakenIds(stored.taken);
  const plain: EvaluatedRun[] = [];
  const split: SplitRun[] = [];
  const failed: { evaluated: EvaluatedRun; error: unknown }[] = [];
  for (const { evaluated, seen } of runs) {
    try {
      const decided = seen === null ? evaluated : decide(evaluated, seen, { stored, taken, nextId });
      if (isSplit(decided)) split.push(decided);
      else plain.push(decided);
    } catch (error) {
      failed.push({ evaluated, error });
    }
  }
  return { plain, split, failed };
}

function isSplit(decided: EvaluatedRun | SplitRun): decided is SplitRun {
  return 'isSplit' in decided;
}

interface Deciding {
  readonly stored: LoadedElsewhere;
  readonly taken: TakenIds;
  readonly nextId: () => Uuid;
}

function decide(
  evaluated: EvaluatedRun,
  seen: SeenRun,
  { stored, taken, nextId }: Deciding,
): EvaluatedRun | SplitRun {
  const { asked, groups } = seen;
  taken.add(asked);
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
