import type { Account as AccountRecord } from '../../../lib/records/index.ts';
import type { Decimal } from '../../../lib/values/money/index.ts';
import { field, model } from '../wire/model.ts';
import { bool, currency, decimalNumber, externalKey, int, text, timestamp, uuid } from '../wire/scalars.ts';
import { auditLogs } from './audit-log.ts';

export const Account = model('Account', {
  accountId: field(uuid, 'R', { from: ({ id }: AccountRecord) => id }),
  externalKey: field(externalKey, 'C'),
  referenceTime: field(timestamp, 'C'),
  parentAccountId: field(uuid, 'W', { nullable: true }),
  isPaymentDelegatedToParent: field(bool, 'W'),
  currency: field(currency, 'C', { nullable: true }),
  billCycleDayLocal: field(int({ minimum: 0, maximum: 31 }), 'W'),
  paymentMethodId: field(uuid, 'W', { nullable: true }),
  name: field(text(255), 'W', { nullable: true }),
  firstNameLength: field(int({ minimum: 0 }), 'W', { nullable: true }),
  company: field(text(255), 'W', { nullable: true }),
  address1: field(text(255), 'W', { nullable: true }),
  address2: field(text(255), 'W', { nullable: true }),
  city: field(text(100), 'W', { nullable: true }),
  state: field(text(100), 'W', { nullable: true }),
  postalCode: field(text(16), 'W', { nullable: true }),
  country: field(text(50), 'W', { nullable: true }),
  locale: field(text(35), 'W', { nullable: true }),
  timeZone: field(text(), 'C'),
  phone: field(text(25), 'W', { nullable: true }),
  email: field(text(254), 'W', { nullable: true }),
  notes: field(text(4096), 'W', { nullable: true }),
  isMigrated: field(bool, 'C', { nullable: true }),
  accountCBA: field(decimalNumber, 'R', { nullable: true }),
  accountBalance: field(decimalNumber, 'R', { nullable: true }),
  auditLogs,
});

export const AccountEmail = model('AccountEmail', {
  accountId: field(uuid, 'C', { required: true }),
  email: field(text(254), 'C', { required: true }),
  auditLogs,
});

/** Null where the call did not ask for it (accounts §5 rule 1). */
export interface ShownBalance {
  readonly accountCBA: Decimal | null;
  readonly accountBalance: Decimal | null;
}

/** What the model shows of an account. */
export type ShownAccount = AccountRecord & ShownBalance;
