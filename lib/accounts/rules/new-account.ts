import { type Account, type AccountInput, accountFields, type New } from '../../records/index.ts';
import { givenOrNull } from '../../values/fields/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { asCurrency } from '../../values/money/index.ts';
import { type Instant, timeZone, UTC } from '../../values/time/index.ts';
import { checkAccountInput } from './account-input.ts';

/** An account as it is created: the caller's fields with the defaults of §1.1. */
export function newAccount(input: AccountInput, id: Uuid, now: Instant): New<Account> {
  checkAccountInput(input);
  return {
    ...givenOrNull(accountFields, input),
    id,
    // an empty external key could never be looked up, so it counts as absent (§1.1 rule 2)
    externalKey: input.externalKey || id,
    referenceTime: input.referenceTime ?? now,
    parentAccountId: input.parentAccountId ?? null,
    isPaymentDelegatedToParent: input.isPaymentDelegatedToParent ?? false,
    currency: input.currency == null ? null : asCurrency(input.currency),
    billCycleDayLocal: input.billCycleDayLocal ?? 0,
    paymentMethodId: null,
    timeZone: input.timeZone ? timeZone(input.timeZone) : UTC,
    createdDate: now,
    updatedDate: now,
  };
}
