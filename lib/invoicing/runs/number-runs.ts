import type { WriteSession } from '../../ports/storage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { imposeNumbers, type NumbersAsked } from '../changes/impose-numbers.ts';
import type { SplitRun } from './decide-runs.ts';
import type { EvaluatedRun } from './evaluate-runs.ts';
import type { EvaluatedAccount } from './save-runs.ts';

/** Runs that are ready to be stored. */
export interface ReadyRuns {
  readonly plain: readonly EvaluatedAccount[];
  readonly split: readonly SplitRun[];
}

export interface NumberedRuns extends ReadyRuns {
  readonly failed: readonly { readonly evaluated: EvaluatedRun; readonly error: unknown }[];
  /** Numbers that plugins impose, by invoice. */
  readonly numbers: ReadonlyMap<Uuid, number>;
}

/** The numbers that plugins impose on that many new invoices of an account. */
export type NumbersOf = (accountId: Uuid, invoices: number) => readonly (number | null)[];

/** The runs without those whose numbers cannot be. Comes last: the counter goes past the numbers of all that are left. */
export async function numberRuns(
  session: WriteSession,
  { plain, split }: ReadyRuns,
  numbersOf: NumbersOf,
): Promise<NumberedRuns> {
  const asked: NumbersAsked<EvaluatedRun>[] = [];
  const failed: { evaluated: EvaluatedRun; error: unknown }[] = [];
  for (const evaluated of [...plain, ...split]) {
    try {
      asked.push({ of: evaluated, numbers: askedNumbers(evaluated, numbersOf) });
    } catch (error) {
      failed.push({ evaluated, error });
    }
  }
  const { numbers, refused } = await imposeNumbers(session, asked);
  failed.push(...refused.map(({ of, error }) => ({ evaluated: of, error })));
  const isLeft = (run: EvaluatedRun): boolean => failed.every(({ evaluated }) => evaluated !== run);
  return { plain: plain.filter(isLeft), split: split.filter(isLeft), failed, numbers };
}

/** Those of the new invoices of a run; a draft that is reused keeps its own. */
function askedNumbers(
  evaluated: EvaluatedAccount | SplitRun,
  numbersOf: NumbersOf,
): readonly (readonly [Uuid, number])[] {
  const { run, invoiceId, billing } = evaluated;
  if (run.items.length === 0 || run.invoice.draft !== null) return [];
  const ids = 'isSplit' in evaluated ? evaluated.invoices.map(({ id }) => id) : [invoiceId];
  const numbers = numbersOf(billing.account.id, ids.length);
  return ids.flatMap((id, index) => {
    const number = numbers[index] ?? null;
    return number === null ? [] : [[id, number] as const];
  });
}
