import {
  type Account,
  accountEmailFields,
  accountFields,
  type New,
  overdueAccountFields,
} from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { searchOnly, textOrNull } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

/** An account with additional columns that only searches use. */
export type StoredAccount = New<Account> & {
  /**
   * Name, e-mail, external key and company in lowercase. JavaScript converts them, so that both databases find the same
   * accounts.
   */
  readonly foldedText?: string | null;
  readonly createdBy?: string | null;
  readonly updatedBy?: string | null;
};

const fields = {
  ...columnsOf(accountFields),
  ...searchOnly({ foldedText: textOrNull, createdBy: textOrNull, updatedBy: textOrNull }),
};

export const accountsTable = new RecordTable<StoredAccount>('accounts', fields, {
  uniques: { id: 'id', external_key: 'tenant_record_id, external_key' },
  violations: {
    external_key: {
      code: ErrorCode.ACCOUNT_ALREADY_EXISTS,
      message: (key) => `An account with ${key} already exists; choose a different key or use that account`,
    },
  },
  indexes: {
    page: 'tenant_record_id, record_id',
    parent: 'tenant_record_id, parent_account_id, record_id where parent_account_id is not null',
    name: 'tenant_record_id, name, record_id',
    email: 'tenant_record_id, email, record_id',
    company: 'tenant_record_id, company, record_id',
  },
});

export const accountEmailsTable = new RecordTable('account_emails', columnsOf(accountEmailFields), {
  // The account is locked while an address is added, so callers never violate the unique index `email`.
  uniques: { id: 'id', email: 'tenant_record_id, account_record_id, email where is_active' },
  indexes: { account: 'tenant_record_id, account_record_id, record_id' },
});

export const overdueAccountsTable = new RecordTable('overdue_accounts', columnsOf(overdueAccountFields), {
  uniques: { account: 'tenant_record_id, account_id' },
  indexes: {
    page: 'tenant_record_id, record_id where state_name is not null',
    state: 'tenant_record_id, state_name, record_id where state_name is not null',
  },
});
