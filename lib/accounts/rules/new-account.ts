import type { Account, New } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { asCurrency } from '../../values/money/index.ts';
import { type Instant, timeZone, UTC } from '../../values/time/index.ts';
import { type AccountInput, checkAccountInput } from './account-input.ts';

/** Fields that are null unless the caller gives them. */
const NOT_GIVEN = {
  name: null,
  firstNameLength: null,
  company: null,
  address1: null,
  address2: null,
  city: null,
  state: null,
  postalCode: null,
  country: null,
  locale: null,
  phone: null,
  email: null,
  notes: null,
  isMigrated: null,
} as const satisfies Partial<Account>;

type GivenField = keyof typeof NOT_GIVEN;

/** An account as it is created: the caller's fields with the defaults of §1.1. */
export function newAccount(input: AccountInput, id: Uuid, now: Instant): New<Account> {
  checkAccountInput(input);
  return {
    ...NOT_GIVEN,
    ...given(input),
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

function given(input: AccountInput): Partial<Pick<Account, GivenField>> {
  const fields = Object.keys(NOT_GIVEN) as GivenField[];
  return Object.fromEntries(
    fields.filter((field) => input[field] !== undefined).map((field) => [field, input[field]]),
  );
}
