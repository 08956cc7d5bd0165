import {
  bigint,
  currency,
  flag,
  type InputOf,
  id,
  instant,
  integer,
  key,
  orNull,
  type RecordOf,
  recordId,
  text,
  timeZone,
} from '../values/fields/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { MAX_STORED_INTEGER } from '../values/limits.ts';
import type { Decimal } from '../values/money/index.ts';

export const MAX_EMAIL_CHARACTERS = 254;

/** Personal data that callers set on creation and update and that operator searches find. */
const contact = { set: 'update', searched: true, personal: true } as const;
const terms = { set: 'update', searched: true } as const;
const fixed = { set: 'creation', searched: true } as const;

/** A customer of a tenant (accounts §1.1). */
export const accountFields = {
  recordId,
  id: id({ searched: true }),
  /** Unique in the tenant; default: the id. */
  externalKey: key(fixed),
  /** Its time of day applies to operations with only a date; default: the instant of creation. */
  referenceTime: instant(fixed),
  parentAccountId: orNull(id(terms)),
  isPaymentDelegatedToParent: flag(terms),
  /** Without a currency nothing is invoiced. */
  currency: orNull(currency(fixed)),
  /** 1 to 31; 0 = not set yet. */
  billCycleDayLocal: integer({ ...terms, range: [0, 31], audit: 'billingCycleDayLocal' }),
  /** The default payment method. */
  paymentMethodId: orNull(id(terms)),
  name: orNull(text({ ...contact, max: 255 })),
  /** Number of characters of the first name at the start of `name`. */
  firstNameLength: orNull(integer({ ...contact, range: [0, MAX_STORED_INTEGER] })),
  company: orNull(text({ ...contact, max: 255, audit: 'companyName' })),
  address1: orNull(text({ ...contact, max: 255 })),
  address2: orNull(text({ ...contact, max: 255 })),
  city: orNull(text({ ...contact, max: 100 })),
  state: orNull(text({ ...contact, max: 100, audit: 'stateOrProvince' })),
  postalCode: orNull(text({ ...contact, max: 16 })),
  /** Country, locale and zone survive anonymization because tax needs them. */
  country: orNull(text({ ...terms, max: 50 })),
  locale: orNull(text({ ...terms, max: 35 })),
  timeZone: timeZone(fixed),
  phone: orNull(text({ ...contact, max: 25 })),
  email: orNull(text({ ...contact, max: MAX_EMAIL_CHARACTERS })),
  notes: orNull(text({ ...contact, max: 4096 })),
  isMigrated: orNull(flag({ ...terms, audit: 'migrated' })),
  createdDate: instant({ searched: true }),
  updatedDate: instant({ searched: true }),
};
export interface Account extends RecordOf<typeof accountFields> {}
/** The fields of an account that callers give (accounts §1.1). */
export type AccountInput = InputOf<typeof accountFields>;

/** Stored sums over an account's invoices (invoicing §1.4, §1.5), updated together with the invoices. */
export interface AccountBalance {
  readonly accountId: Uuid;
  readonly accountBalance: Decimal;
  readonly accountCBA: Decimal;
}

/** A secondary address of an account (accounts §15); independent of the account's own `email`. */
export const accountEmailFields = {
  recordId,
  id: id(),
  accountId: id({ set: 'creation' }),
  accountRecordId: bigint(),
  email: text({ set: 'creation', max: MAX_EMAIL_CHARACTERS, personal: true }),
  /** False after removal. */
  isActive: flag(),
  createdDate: instant(),
};
export interface AccountEmail extends RecordOf<typeof accountEmailFields> {}
