import { type Account, type AccountInput, accountFields, type New } from '../../records/index.ts';
import { inputOrNull } from '../../values/fields/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { asCurrency } from '../../values/money/index.ts';
import { type Instant, timeZone, UTC } from '../../values/time/index.ts';
import { checkAccountInput, withTrimmedTaxId } from './account-input.ts';

/** Returns a new account that consists of the caller's fields and the defaults of §1.1. */
export function newAccount(given: AccountInput, id: Uuid, now: Instant): New<Account> {
  const input = withTrimmedTaxId(given);
  checkAccountInput(input);
  return {
    ...inputOrNull(accountFields, input),
    id,
    // An empty key is treated as absent (§1.1 rule 2).
    externalKey: input.externalKey || id,
    referenceTime: input.referenceTime ?? now,
    isPaymentDelegatedToParent: input.isPaymentDelegatedToParent ?? false,
    currency: input.currency == null ? null : asCurrency(input.currency),
    billCycleDayLocal: input.billCycleDayLocal ?? 0,
    paymentMethodId: null,
    timeZone: input.timeZone ? timeZone(input.timeZone) : UTC,
    createdDate: now,
    updatedDate: now,
  };
}

/**
 * Returns the new account with this creation date. The creation date is also the default reference time of the account.
 */
export function changeCreationDate(account: New<Account>, createdDate: Instant): New<Account> {
  const { referenceTime, createdDate: asked } = account;
  if (asked === createdDate) return account;
  return {
    ...account,
    referenceTime: referenceTime === asked ? createdDate : referenceTime,
    createdDate,
    updatedDate: createdDate,
  };
}
