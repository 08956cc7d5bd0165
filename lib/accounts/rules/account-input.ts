import { BillingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_STORED_INTEGER } from '../../values/limits.ts';
import { isCurrency } from '../../values/money/index.ts';
import { checkStorable, shortened } from '../../values/text/index.ts';
import { type Instant, isTimeZone } from '../../values/time/index.ts';

/** The fields of an account that a caller may give (§1.1). Absent = not given, null = given as nothing. */
export interface AccountInput {
  readonly externalKey?: string | null;
  readonly referenceTime?: Instant | null;
  readonly parentAccountId?: Uuid | null;
  readonly isPaymentDelegatedToParent?: boolean | null;
  readonly currency?: string | null;
  /** 0 = unset, else 1–31. */
  readonly billCycleDayLocal?: number | null;
  readonly paymentMethodId?: Uuid | null;
  readonly name?: string | null;
  readonly firstNameLength?: number | null;
  readonly company?: string | null;
  readonly address1?: string | null;
  readonly address2?: string | null;
  readonly city?: string | null;
  readonly state?: string | null;
  readonly postalCode?: string | null;
  readonly country?: string | null;
  readonly locale?: string | null;
  readonly timeZone?: string | null;
  readonly phone?: string | null;
  readonly email?: string | null;
  readonly notes?: string | null;
  readonly isMigrated?: boolean | null;
}

/** Longest text per field, in characters (§1.1). */
const MAX_LENGTH = {
  name: 255,
  company: 255,
  address1: 255,
  address2: 255,
  city: 100,
  state: 100,
  postalCode: 16,
  country: 50,
  locale: 35,
  phone: 25,
  email: 254,
  notes: 4096,
} as const satisfies Partial<Record<keyof AccountInput, number>>;

export const MAX_EXTERNAL_KEY_LENGTH = 255;

/** Refuses values outside their type's range (§1.1 rules 1 and 3). */
export function checkAccountInput(input: AccountInput): void {
  checkExternalKey(input.externalKey);
  for (const [field, limit] of Object.entries(MAX_LENGTH)) {
    const value = input[field as keyof typeof MAX_LENGTH];
    checkStorable(`Account ${field}`, value);
    if (value != null && value.length > limit) {
      throw invalidField(
        `Account ${field} is ${value.length} characters long; at most ${limit} are allowed`,
        { field },
      );
    }
  }
  if (input.currency != null && !isCurrency(input.currency)) {
    throw new BillingError({
      code: ErrorCode.CURRENCY_INVALID,
      message: `Account currency "${shortened(input.currency)}" is no currency code of ISO 4217, such as EUR`,
      facts: { field: 'currency' },
    });
  }
  if (input.timeZone != null && input.timeZone !== '' && !isTimeZone(input.timeZone)) {
    throw invalidField(
      `Account timeZone "${shortened(input.timeZone)}" is no IANA time zone and no offset ±HH:MM`,
      { field: 'timeZone' },
    );
  }
  checkRanges(input);
}

/**
 * External keys are compared exactly and hold at most 255 characters (json-models §16).
 * @throws BillingError EXTERNAL_KEY_LIMIT_EXCEEDED (5), MISSING_OR_INVALID_FIELD for text that cannot be stored.
 */
export function checkExternalKey(externalKey: string | null | undefined): void {
  checkStorable('External key', externalKey);
  if (externalKey == null || externalKey.length <= MAX_EXTERNAL_KEY_LENGTH) return;
  throw new BillingError({
    code: ErrorCode.EXTERNAL_KEY_LIMIT_EXCEEDED,
    message: `External key is ${externalKey.length} characters long; at most ${MAX_EXTERNAL_KEY_LENGTH} are allowed`,
    facts: { length: externalKey.length },
  });
}

function checkRanges(input: AccountInput): void {
  const day = input.billCycleDayLocal;
  if (day != null && (!Number.isInteger(day) || day < 0 || day > 31)) {
    throw invalidField(`Account billCycleDayLocal ${day} is outside 0 to 31`, { field: 'billCycleDayLocal' });
  }
  const length = input.firstNameLength;
  if (length == null) return;
  if (!Number.isInteger(length) || length < 0 || length > MAX_STORED_INTEGER) {
    throw invalidField(`Account firstNameLength ${length} is no length`, { field: 'firstNameLength' });
  }
  checkFirstNameLength(length, input.name);
}

/** The first name is a part of the name (json-models §4). @throws BillingError MISSING_OR_INVALID_FIELD. */
export function checkFirstNameLength(
  length: number | null | undefined,
  name: string | null | undefined,
): void {
  if (length == null || name == null || length <= name.length) return;
  throw invalidField(`Account firstNameLength ${length} is longer than the name`, {
    field: 'firstNameLength',
  });
}
