import type { WriteSession } from '../../ports/storage/index.ts';
import type { BillingError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { invalidNumber } from '../plugins/imposed-numbers.ts';

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
