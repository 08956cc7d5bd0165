import { type AccountInput, accountFields } from '../../records/index.ts';
import { invalidField } from '../../values/errors/index.ts';
import { checkFields } from '../../values/fields/index.ts';

/** Rejects invalid values (§1.1 rules 1 and 3). */
export function checkAccountInput(input: AccountInput): void {
  checkFields('Account', accountFields, input);
  checkFirstNameLength(input.firstNameLength, input.name);
}

/** Checks that the first name fits into the name (json-models §4). @throws BillingError MISSING_OR_INVALID_FIELD. */
export function checkFirstNameLength(
  length: number | null | undefined,
  name: string | null | undefined,
): void {
  if (length == null || name == null || length <= name.length) return;
  throw invalidField(`Account firstNameLength ${length} is longer than the name`, {
    field: 'firstNameLength',
  });
}
