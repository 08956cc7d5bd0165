import {
  type Account,
  type AccountEmail,
  accountEmailFields,
  accountFields,
  type New,
} from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { aside, textOrNull } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

/** An account with a column that only searches use. */
export type StoredAccount = New<Account> & {
  /** Name, e-mail, external key and company in JavaScript's lower case, so that both databases agree. */
  readonly foldedText?: string | null;
  readonly createdBy?: string | null;
  readonly updatedBy?: string | null;
};

export const accountsTable = new RecordTable<StoredAccount>(
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
    indexes: [
      { name: 'page', columns: ['tenant_record_id', 'record_id'] },
      {
        name: 'parent',
        columns: ['tenant_record_id', 'parent_account_id', 'record_id'],
        where: 'parent_account_id is not null',
      },
      { name: 'name', columns: ['tenant_record_id', 'name', 'record_id'] },
      { name: 'email', columns: ['tenant_record_id', 'email', 'record_id'] },
      { name: 'company', columns: ['tenant_record_id', 'company', 'record_id'] },
    ],
  },
  {
    ...columnsOf(accountFields),
    foldedText: aside(textOrNull('folded_text')),
    createdBy: aside(textOrNull('created_by')),
    updatedBy: aside(textOrNull('updated_by')),
  },
);

export const accountEmailsTable = new RecordTable<New<AccountEmail>>(
  {
    name: 'account_emails',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      // The account is locked while an address is added, so nobody runs into this.
      { name: 'email', columns: ['tenant_record_id', 'account_record_id', 'email'], where: 'is_active' },
    ],
    indexes: [{ name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] }],
  },
  columnsOf(accountEmailFields),
);
