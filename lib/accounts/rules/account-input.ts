import { type AccountInput, accountFields } from '../../records/index.ts';
import { checkTaxId } from '../../values/business-ids/index.ts';
import { invalidField } from '../../values/errors/index.ts';
import { checkFields } from '../../values/fields/index.ts';

/** Rejects invalid values (§1.1 rules 1, 3 and 7). */
export function checkAccountInput(input: AccountInput): void {
  checkFields('Account', accountFields, input);
  checkFirstNameLength(input.firstNameLength, input.name);
  checkTaxId('Account taxId', 'taxId', input.taxId);
}

/** Returns the input with the tax id in the form that is stored, without leading and trailing blanks (§1.1 rule 7). */
export function withTrimmedTaxId<I extends AccountInput>(input: I): I {
  return typeof input.taxId === 'string' ? { ...input, taxId: input.taxId.trim() } : input;
}

/**
 * Checks that the first name is not longer than the name (accounts §1.1 rule 3).
 * @throws BillingError MISSING_OR_INVALID_FIELD.
 */
export function checkFirstNameLength(
  length: number | null | undefined,
  name: string | null | undefined,
): void {
  if (length == null || name == null || length <= name.length) return;
  throw invalidField(`Account firstNameLength ${length} is longer than the name`, {
    field: 'firstNameLength',
  });
}
