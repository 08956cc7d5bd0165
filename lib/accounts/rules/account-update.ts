import { type Account, type AccountInput, accountFields } from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import { inputChanges } from '../../values/fields/index.ts';
import { shortenText } from '../../values/text/index.ts';
import { formatInstant, type Instant, localDateOf, UTC } from '../../values/time/index.ts';
import { checkAccountInput, checkFirstNameLength, withTrimmedTaxId } from './account-input.ts';

const FIXED_FIELDS = ['externalKey', 'currency', 'timeZone'] as const;

export interface MergeOptions {
  readonly treatNullAsReset: boolean;
  /** True if the tenant allows changes to a bill cycle day that is already set (`features.account.allowBCDUpdate`). */
  readonly allowsBillCycleDayChange: boolean;
  readonly now: Instant;
}

/**
 * Returns the updated account (§4). Absent fields change nothing. Null resets a field only with `treatNullAsReset`.
 * Fixed fields may be given but must not change (3005). The service checks the payment method and the parent.
 */
export function mergeAccount(stored: Account, given: AccountInput, options: MergeOptions): Account {
  const input = withTrimmedTaxId(given);
  checkAccountInput(input);
  // If only the name changes, the stored length of the first name is not checked.
  if (input.name === undefined) checkFirstNameLength(input.firstNameLength, stored.name);
  for (const field of FIXED_FIELDS) {
    const value = input[field];
    // An empty string is treated as absent (§1.1 rule 2).
    const isUnchanged = value === undefined || value === '' || value === stored[field];
    if (!isUnchanged && (value !== null || options.treatNullAsReset))
      throw cannotChange(stored, field, value);
  }
  checkReferenceTime(stored, input);
  return {
    ...stored,
    ...inputChanges(accountFields, input, options.treatNullAsReset),
    isPaymentDelegatedToParent: delegation(stored, input, options.treatNullAsReset),
    billCycleDayLocal: billCycleDay(stored, input, options),
    updatedDate: options.now,
  };
}

function checkReferenceTime(stored: Account, input: AccountInput): void {
  const value = input.referenceTime;
  if (value == null) return;
  if (localDateOf(value, UTC) === localDateOf(stored.referenceTime, UTC)) return;
  throw cannotChange(stored, 'referenceTime', value);
}

function delegation(stored: Account, input: AccountInput, treatNullAsReset: boolean): boolean {
  const value = input.isPaymentDelegatedToParent;
  return value ?? (value === null && treatNullAsReset ? false : stored.isPaymentDelegatedToParent);
}

/**
 * Returns the bill cycle day. It can change only from 0 to a day from 1 to 31, unless the tenant allows other changes
 * (§4).
 */
function billCycleDay(stored: Account, input: AccountInput, options: MergeOptions): number {
  const { billCycleDayLocal: set } = stored;
  const { billCycleDayLocal: asked } = input;
  const isUntouched = asked === undefined || asked === 0 || (asked === null && !options.treatNullAsReset);
  if (isUntouched || (asked ?? 0) === set) return set;
  if (set === 0 || options.allowsBillCycleDayChange) return asked ?? 0;
  throw cannotChange(stored, 'billCycleDayLocal', asked);
}

function cannotChange(stored: Account, field: keyof Account, to: unknown): BillingError {
  const from = stored[field];
  const show = (value: unknown): string =>
    field === 'referenceTime' ? formatInstant(value as Instant) : shortenText(String(value));
  return billingError(
    ErrorCode.ACCOUNT_CANNOT_CHANGE_EXTERNAL_KEY,
    `Account ${stored.id}: ${field} cannot be changed from ${show(from)} to ${show(to)}`,
    { accountId: stored.id, field, from, to },
  );
}
