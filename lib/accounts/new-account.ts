import type { Uuid } from '../ids/index.ts';
import { asCurrency } from '../money/index.ts';
import type { New } from '../ports/storage/index.ts';
import { type Instant, timeZone, UTC } from '../time/index.ts';
import { type AccountInput, checkAccountInput } from './account-input.ts';
import type { Account } from './model.ts';

/** An account as it is created: the caller's fields with the defaults of accounts.md §1.1. */
export function newAccount(input: AccountInput, id: Uuid, now: Instant): New<Account> {
  checkAccountInput(input);
  return {
    id,
    // an empty external key could never be looked up, so it counts as absent (accounts.md §1.1 rule 2)
    externalKey: input.externalKey || id,
    referenceTime: input.referenceTime ?? now,
    parentAccountId: input.parentAccountId ?? null,
    isPaymentDelegatedToParent: input.isPaymentDelegatedToParent ?? false,
    currency: input.currency == null ? null : asCurrency(input.currency),
    billCycleDayLocal: input.billCycleDayLocal ?? 0,
    paymentMethodId: null,
    name: input.name ?? null,
    firstNameLength: input.firstNameLength ?? null,
    company: input.company ?? null,
    address1: input.address1 ?? null,
    address2: input.address2 ?? null,
    city: input.city ?? null,
    state: input.state ?? null,
    postalCode: input.postalCode ?? null,
    country: input.country ?? null,
    locale: input.locale ?? null,
    timeZone: input.timeZone ? timeZone(input.timeZone) : UTC,
    phone: input.phone ?? null,
    email: input.email ?? null,
    notes: input.notes ?? null,
    isMigrated: input.isMigrated ?? null,
    createdDate: now,
    updatedDate: now,
  };
}
