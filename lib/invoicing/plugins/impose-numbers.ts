import type { WriteSession } from '../../ports/storage/index.ts';
import type { PluginProperty } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_STORED_INTEGER } from '../../values/limits.ts';
import { shortened } from '../../values/text/index.ts';
import { type CreditedRun, hasItems } from '../evaluation/run-invoice.ts';
import type { FailedEvaluation } from '../runs/run-accounts.ts';
import type { SplitRun } from './split-runs.ts';

/** The property by which plugins number invoices (§13 rule 6). */
export const INVOICE_SEQUENCE_NUMBER = 'INVOICE_SEQUENCE_NUMBER';

/**
 * The numbers that plugins impose on the new invoices of a run, in order; null = the tenant's next number. That no other
 * invoice has them is checked when they are stored.
 * @throws BillingError INVOICE_INVALID_NUMBER (4019).
 */
export function imposedNumbers(
  properties: readonly PluginProperty[],
  invoices: number,
): readonly (number | null)[] {
  const given = properties.filter(({ key }) => key === INVOICE_SEQUENCE_NUMBER).slice(0, invoices);
  const numbers = given.map(({ value }) => numberOf(value));
  if (new Set(numbers).size < numbers.length)
    throw invalidNumber('given to two invoices', numbers.join(', '));
  return Array.from({ length: invoices }, (_, index) => numbers[index] ?? null);
}

function numberOf(value: string | null): number {
  const number = /^\d{1,10}$/.test(value ?? '') ? Number(value) : 0;
  if (number >= 1 && number < MAX_STORED_INTEGER) return number;
  throw invalidNumber('no number from 1 to 2147483646', value ?? '');
}

/** For a number that cannot be, and for one that is taken. */
export function invalidNumber(what: string, number: string): BillingError {
  const shown = shortened(number);
  return new BillingError({
    code: ErrorCode.INVOICE_INVALID_NUMBER,
    message: `The invoice number "${shown}" that a plugin imposes is ${what}`,
    facts: { invoiceNumber: shown },
  });
}

/** A run or an operation, with the numbers that plugins impose on its new invoices. */
export interface NumbersAsked<Of> {
  readonly of: Of;
  /** With the invoice that each is for. */
  readonly numbers: readonly (readonly [Uuid, number])[];
}

export interface ImposedNumbers<Of> {
  /** By invoice. */
  readonly numbers: ReadonlyMap<Uuid, number>;
  /** INVOICE_INVALID_NUMBER (4019): a number that another invoice has, stored or asked for earlier in the list. */
  readonly refused: readonly { readonly of: Of; readonly error: BillingError }[];
}

/**
 * Keeps imposed numbers for invoices that are about to be stored (§13 rule 6). What is refused is not to be stored; it keeps
 * no number and does not move the tenant's counter, so nothing else is to be left out afterwards.
 */
export async function imposeNumbers<Of>(
  session: WriteSession,
  asked: readonly NumbersAsked<Of>[],
): Promise<ImposedNumbers<Of>> {
  const wanted = asked.flatMap(({ numbers }) => numbers.map(([, number]) => number));
  if (wanted.length === 0) return { numbers: new Map(), refused: [] };
  const taken = new Set(await session.invoices.takenNumbers(wanted));
  const imposed = new Map<Uuid, number>();
  const refused: { of: Of; error: BillingError }[] = [];
  for (const { of, numbers } of asked) {
    const own = numbers.map(([, number]) => number);
    const clash = own.find((number, index) => taken.has(number) || own.indexOf(number) < index);
    if (clash === undefined) {
      for (const [id, number] of numbers) imposed.set(id, number);
      for (const number of own) taken.add(number);
    } else {
      refused.push({ of, error: invalidNumber('that of another invoice', String(clash)) });
    }
  }
  if (imposed.size > 0) await session.invoices.passNumber(Math.max(...imposed.values()));
  return { numbers: imposed, refused };
}

/** The runs with the numbers that plugins impose, without the runs whose numbers are refused. It comes last: the counter passes all of them. */
export async function numberRuns<R extends CreditedRun | SplitRun>(
  session: WriteSession,
  runs: readonly R[],
  propertiesOf: (run: R) => readonly PluginProperty[],
): Promise<{
  readonly runs: readonly R[];
  readonly failed: readonly FailedEvaluation[];
  readonly numbers: ReadonlyMap<Uuid, number>;
}> {
  const asked: NumbersAsked<R>[] = [];
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

/** Those of the new invoices of a run; a draft that is reused keeps its own. */
function numbersOfRun(
  run: CreditedRun | SplitRun,
  properties: readonly PluginProperty[],
): readonly (readonly [Uuid, number])[] {
  if (!hasItems(run) || run.run.invoice.draft !== null) return [];
  return numbersOf('invoices' in run ? run.invoices.map(({ id }) => id) : [run.invoiceId], properties);
}

/** The numbers that the properties impose on these new invoices. @throws BillingError INVOICE_INVALID_NUMBER (4019). */
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
