import { invalidField } from '../../../lib/values/errors/index.ts';
import { Decimal } from '../../../lib/values/money/index.ts';

/**
 * Checks the length of every list in a parsed body before its elements are read.
 * @throws BillingError MISSING_OR_INVALID_FIELD for one of more than `maxElements`.
 */
export function checkListLengths(value: unknown, maxElements: number): void {
  if (typeof value !== 'object' || value === null || value instanceof Decimal) return;
  if (Array.isArray(value) && value.length > maxElements) {
    throw invalidField(
      `A list of the body has ${value.length} elements; at most ${maxElements} are allowed`,
      { elements: value.length, maxElements },
    );
  }
  for (const each of Object.values(value)) checkListLengths(each, maxElements);
}
