import { type Account, type AccountInput, accountFields } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { givenChanges } from '../../values/fields/index.ts';
import { shortened } from '../../values/text/index.ts';
import { formatInstant, type Instant, localDateOf, UTC } from '../../values/time/index.ts';
import { checkAccountInput, checkFirstNameLength } from './account-input.ts';

const FIXED_FIELDS = ['externalKey', 'currency', 'timeZone'] as const;

export interface MergeOptions {
  readonly treatNullAsReset: boolean;
  /** Tenant setting `features.account.allowBCDUpdate`: whether a bill cycle day that is set may change. */
  readonly allowsBillCycleDayChange: boolean;
  readonly now: Instant;
}

/**
 * The account after an update (§4): an absent member changes nothing; null resets only with
 * `treatNullAsReset`. Fixed fields may be repeated but not changed (3005). References to other records (payment
 * method, parent) are checked by the service.
 */
export function mergeAccount(stored: Account, input: AccountInput, options: MergeOptions): Account {
  checkAccountInput(input);
  // If only the name changes, the first name keeps its length: the caller knows nothing of it.
  if (input.name === undefined) checkFirstNameLength(input.firstNameLength, stored.name);
  for (const field of FIXED_FIELDS) checkFixedField({ stored, input, field, ...options });
  checkReferenceTime(stored, input);
  return {
    ...stored,
    ...givenChanges(accountFields, input, options.treatNullAsReset),
    isPaymentDelegatedToParent: delegation(stored, input, options.treatNullAsReset),
    billCycleDayLocal: billCycleDay(stored, input, options),
    updatedDate: options.now,
  };
}

interface FixedFieldCheck {
  readonly stored: Account;
  readonly input: AccountInput;
  readonly field: (typeof FIXED_FIELDS)[number];
  readonly treatNullAsReset: boolean;
}

/** An empty text counts as absent (§1.1 rule 2). */
function checkFixedField({ stored, input, field, treatNullAsReset }: FixedFieldCheck): void {
  const value = input[field];
  if (value === undefined || value === '' || value === stored[field]) return;
  if (value === null && !treatNullAsReset) return;
  throw cannotChange(stored, field, value);
}

function checkReferenceTime(stored: Account, input: AccountInput): void {
  const value = input.referenceTime;
  if (value == null) return;
  if (localDateOf(value, UTC) === localDateOf(stored.referenceTime, UTC)) return;
  throw cannotChange(stored, 'referenceTime', value);
}

function delegation(stored: Account, input: AccountInput, treatNullAsReset: boolean): boolean {
  const value = input.isPaymentDelegatedToParent;
  if (value === undefined) return stored.isPaymentDelegatedToParent;
  if (value === null) return treatNullAsReset ? false : stored.isPaymentDelegatedToParent;
  return value;
}

/** Set once, from 0 to 1..31, unless the tenant allows more (§4). */
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
    field === 'referenceTime' ? formatInstant(value as Instant) : shortened(String(value));
  return new BillingError({
    code: ErrorCode.ACCOUNT_CANNOT_CHANGE_EXTERNAL_KEY,
    message: `Account ${stored.id}: ${field} is fixed at ${show(from)} and cannot become ${show(to)}`,
    facts: { accountId: stored.id, field, from, to },
  });
}
