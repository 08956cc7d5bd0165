import type { PluginProperty } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { MAX_STORED_INTEGER } from '../../values/limits.ts';
import { shortened } from '../../values/text/index.ts';

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
