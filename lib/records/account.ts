import { f, type InputOf, type RecordOf } from '../values/fields/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { MAX_STORED_INTEGER } from '../values/limits.ts';
import type { Decimal } from '../values/money/index.ts';

export const MAX_EMAIL_CHARACTERS = 254;

/**
 * Options of fields with personal data. Callers can set these fields on creation and update, and operator searches
 * include them.
 */
const contact = { set: 'update', searched: true, personal: true } as const;
const terms = { set: 'update', searched: true } as const;
const fixed = { set: 'creation', searched: true } as const;

/** A customer of a tenant (accounts §1.1). */
export const accountFields = {
  recordId: f.recordId,
  id: f.id({ searched: true }),
  /** External key, unique in the tenant. Defaults to the id of the account. */
  externalKey: f.key(fixed),
  /** Reference time. Operations that specify only a date use its time of day. Defaults to the creation time. */
  referenceTime: f.instant(fixed),
  parentAccountId: f.orNull(f.id(terms)),
  isPaymentDelegatedToParent: f.flag(terms),
  /** Currency. An account without a currency is not invoiced. */
  currency: f.orNull(f.currency(fixed)),
  /** Bill cycle day, 1 to 31. 0 means not set yet. */
  billCycleDayLocal: f.integer({ ...terms, range: [0, 31], audit: 'billingCycleDayLocal' }),
  /** The default payment method. */
  paymentMethodId: f.orNull(f.id(terms)),
  name: f.orNull(f.text({ ...contact, max: 255 })),
  /** Length of the first name in characters. `name` starts with the first name. */
  firstNameLength: f.orNull(f.integer({ ...contact, range: [0, MAX_STORED_INTEGER] })),
  company: f.orNull(f.text({ ...contact, max: 255, audit: 'companyName' })),
  /** The registered name, or null if it is the same as the company. */
  legalName: f.orNull(f.text({ ...contact, max: 255, ours: true })),
  /** Tax number of a business, such as a VAT id. An EU VAT id must have the format of its country. */
  taxId: f.orNull(f.text({ ...contact, max: 64, ours: true })),
  address1: f.orNull(f.text({ ...contact, max: 255 })),
  address2: f.orNull(f.text({ ...contact, max: 255 })),
  city: f.orNull(f.text({ ...contact, max: 100 })),
  state: f.orNull(f.text({ ...contact, max: 100, audit: 'stateOrProvince' })),
  postalCode: f.orNull(f.text({ ...contact, max: 16 })),
  /** Country. Like the locale and time zone, it is kept when the account is anonymized, because taxes depend on it. */
  country: f.orNull(f.text({ ...terms, max: 50 })),
  locale: f.orNull(f.text({ ...terms, max: 35 })),
  timeZone: f.timeZone(fixed),
  phone: f.orNull(f.text({ ...contact, max: 25 })),
  email: f.orNull(f.text({ ...contact, max: MAX_EMAIL_CHARACTERS })),
  notes: f.orNull(f.text({ ...contact, max: 4096 })),
  isMigrated: f.orNull(f.flag({ ...terms, audit: 'migrated' })),
  createdDate: f.instant({ searched: true }),
  updatedDate: f.instant({ searched: true }),
};
export interface Account extends RecordOf<typeof accountFields> {}
/** The fields of an account that callers can set (accounts §1.1). */
export type AccountInput = InputOf<typeof accountFields>;

/** Stored sums of an account's invoices (invoicing §1.4, §1.5). They are updated together with the invoices. */
export interface AccountBalance {
  readonly accountId: Uuid;
  readonly accountBalance: Decimal;
  readonly accountCBA: Decimal;
}

/** A secondary e-mail address of an account (accounts §15). It is independent of the account's own `email`. */
export const accountEmailFields = {
  recordId: f.recordId,
  id: f.id(),
  accountId: f.id({ set: 'creation' }),
  accountRecordId: f.bigint(),
  email: f.text({ set: 'creation', max: MAX_EMAIL_CHARACTERS, personal: true }),
  /** False after the address was removed. */
  isActive: f.flag(),
  createdDate: f.instant(),
};
export interface AccountEmail extends RecordOf<typeof accountEmailFields> {}
