import type { Account } from '../../../lib/accounts/model.ts';
import { ErrorCode } from '../../../lib/errors/index.ts';
import type { New } from '../../../lib/ports/storage/index.ts';
import {
  boolean,
  booleanOrNull,
  currencyOrNull,
  instantAt,
  integer,
  integerOrNull,
  text,
  textOrNull,
  timeZone,
  uuid,
  uuidOrNull,
} from '../columns.ts';
import { RecordTable } from './record-table.ts';

export const accountsTable = new RecordTable<New<Account>>(
  {
    name: 'accounts',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      {
        name: 'external_key',
        columns: ['tenant_record_id', 'external_key'],
        violation: {
          code: ErrorCode.ACCOUNT_ALREADY_EXISTS,
          message: 'An account with this external key exists already; choose another key or use that account',
        },
      },
    ],
    indexes: [{ name: 'page', columns: ['tenant_record_id', 'record_id'] }],
  },
  {
    id: uuid('id'),
    externalKey: text('external_key'),
    referenceTime: instantAt('reference_time'),
    parentAccountId: uuidOrNull('parent_account_id'),
    isPaymentDelegatedToParent: boolean('is_payment_delegated_to_parent'),
    currency: currencyOrNull('currency'),
    billCycleDayLocal: integer('bill_cycle_day_local'),
    paymentMethodId: uuidOrNull('payment_method_id'),
    name: textOrNull('name'),
    firstNameLength: integerOrNull('first_name_length'),
    company: textOrNull('company'),
    address1: textOrNull('address1'),
    address2: textOrNull('address2'),
    city: textOrNull('city'),
    state: textOrNull('state'),
    postalCode: textOrNull('postal_code'),
    country: textOrNull('country'),
    locale: textOrNull('locale'),
    timeZone: timeZone('time_zone'),
    phone: textOrNull('phone'),
    email: textOrNull('email'),
    notes: textOrNull('notes'),
    isMigrated: booleanOrNull('is_migrated'),
    createdDate: instantAt('created_date'),
    updatedDate: instantAt('updated_date'),
  },
);
