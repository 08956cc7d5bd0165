import { FORGOTTEN } from '../../../lib/accounts/index.ts';
import type { AccountReads, AccountSearch, AccountWrites } from '../../../lib/ports/storage/index.ts';
import { type Account, ChangeType, type New } from '../../../lib/records/index.ts';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { EXPORT_BATCH_ROWS } from '../../../lib/values/limits.ts';
import { accountAudit, accountEmailAudit } from '../audit/audited-records.ts';
import type { WriteScope } from '../audit/audited-writes.ts';
import { numberIn } from '../sql/columns.ts';
import { clauseConditions, contains, patternOf } from '../sql/search-conditions.ts';
import { type Condition, isIn, narrowCondition, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { accountEmailsTable, accountsTable, type StoredAccount } from '../tables/accounts.ts';
import type { TenantScope } from '../tables/record-access.ts';
import { auditLogTable } from '../tables/system.ts';

export function accountReads(scope: TenantScope): AccountReads {
  const find = (condition: Condition): Promise<readonly Account[]> => scope.select(accountsTable, condition);
  return {
    findByIds: async (ids) => scope.selectByIds(accountsTable, ids),
    findByRecordIds: async (recordIds) => find(isIn('record_id', 'bigint', recordIds)),
    findAfter: async ({ afterRecordId, limit }) =>
      scope.selectOrdered(accountsTable, {
        condition: sql`record_id > ${afterRecordId}`,
        order: `record_id limit ${limit}`,
      }),
    findByKeys: async (keys) => find(isIn('external_key', 'text', keys)),
    page: async (request) => scope.page(accountsTable, { request }),
    search: async (search, request) => {
      const { alongAccountTexts } = scope.runner.dialect;
      return scope.page(accountsTable, {
        request,
        within: await accountSearchCondition(scope, search),
        among: nothing,
        along: search.kind === 'text' ? alongAccountTexts : nothing,
      });
    },
    findExactly: async (text, id) => {
      const places = sql`(name = ${text} or email = ${text} or external_key = ${text} or company = ${text}
        ${id === null ? nothing : sql`or id = ${id}`})`;
      return scope.runner.firstAs((row) => accountsTable.decode(row))`
        select ${raw(scope.runner.dialect.selectList(accountsTable))} from bw_accounts
        where ${scope.ofTenant} and ${places}
        order by case ${id === null ? nothing : sql`when id = ${id} then 0`} when name = ${text} then 1
          when email = ${text} then 2 when external_key = ${text} then 3 else 4 end, record_id limit 1`;
    },
    findChildren: async (parentIds) => find(isIn('parent_account_id', 'uuid', parentIds)),
    findWithAncestors: async (ids) =>
      ids.length === 0 ? [] : find(sql`record_id in (${lineOf(scope, ids)})`),
    findEmails: async (accountIds) =>
      scope.select(accountEmailsTable, narrowCondition(scope.ofAccounts(accountIds), sql`and is_active`)),
    findEmailsByIds: async (ids) => scope.selectByIds(accountEmailsTable, ids),
  };
}

/** Selects these accounts and all their ancestors. `union` ends the recursion at accounts that were already visited. */
function lineOf(scope: TenantScope, accountIds: readonly Uuid[]) {
  return sql`
    with recursive line (record_id, parent_account_id) as (
      select record_id, parent_account_id from bw_accounts where ${scope.haveIds(accountIds)}
      union
      select parent.record_id, parent.parent_account_id from line
      join bw_accounts parent on parent.id = line.parent_account_id
        and parent.tenant_record_id = ${scope.tenantRecordId})
    select record_id from line`;
}

const immutable: readonly (keyof StoredAccount | 'recordId')[] = [
  'recordId',
  'id',
  'createdDate',
  'createdBy',
];
const updatable = (Object.keys(accountsTable.fields) as (keyof typeof accountsTable.fields)[]).filter(
  (property) => !immutable.includes(property),
);

export function accountWrites(scope: WriteScope): AccountWrites {
  const { userName } = scope.authorship;
  const toStoredAccount = (account: New<Account>): StoredAccount => ({
    ...account,
    foldedText: foldedText(account),
    createdBy: userName,
    updatedBy: userName,
  });
  const note = (account: Account, changeType: ChangeType): void =>
    scope.changes.add({
      tableName: accountAudit.tableName,
      changeType,
      targetId: account.id,
      targetRecordId: account.recordId,
      accountRecordId: account.recordId,
      snapshot: accountAudit.snapshot(account),
    });
  return {
    insert: async (accounts) => {
      if (accounts.length === 0) return [];
      const recordIds = await scope.insert(accountsTable, accounts.map(toStoredAccount));
      const stored = accounts.map((account, index) => ({ ...account, recordId: recordIds[index] ?? 0 }));
      for (const account of stored) note(account, ChangeType.INSERT);
      return stored;
    },
    update: async (accounts) => {
      await scope.update(accountsTable, {
        properties: updatable,
        records: accounts.map(toStoredAccount),
      });
      for (const account of accounts) note(account, ChangeType.UPDATE);
    },
    insertEmails: async (emails) => scope.insertAudited(accountEmailAudit, emails),
    /** Anonymizes all secondary e-mail addresses of the account. All of them must have been removed already. */
    anonymizeEmails: async (accountRecordId) => {
      await scope.runner.run(sql`
        update bw_account_emails set email = ${FORGOTTEN}
        where ${scope.ofTenant} and account_record_id = ${accountRecordId}`);
    },
    /** Anonymizes the history records of the account and its addresses, in batches. */
    anonymizeHistory: async (accountRecordId, anonymized) => {
      const concerned = isIn('table_name', 'text', [accountAudit.tableName, accountEmailAudit.tableName]);
      for (let last = 0; ; ) {
        const rows = await scope.selectOrdered(auditLogTable, {
          condition: sql`account_record_id = ${accountRecordId} and ${concerned} and record_id > ${last}`,
          order: `record_id limit ${EXPORT_BATCH_ROWS}`,
        });
        const records = rows.map(({ id, snapshot }) => ({ id, snapshot: snapshot && anonymized(snapshot) }));
        await scope.update(auditLogTable, { properties: ['snapshot'], records });
        if (rows.length < EXPORT_BATCH_ROWS) return;
        last = rows.at(-1)?.recordId ?? last;
      }
    },
    deactivateEmails: async (emails) => scope.deactivate(accountEmailAudit, emails),
  };
}

/**
 * Locks the accounts in ascending order of their record ids. `waitOf` returns the maximum wait for each account. It is
 * called only if the function has to wait.
 */
export async function lockAccounts(
  scope: TenantScope,
  accountIds: readonly Uuid[],
  waitOf: () => Promise<number>,
): Promise<readonly Account[]> {
  if (accountIds.length === 0) return [];
  const { dialect } = scope.runner;
  const chosen = scope.haveIds(accountIds);
  const rowsHaveNoLocks = dialect.forUpdate === '';
  if (rowsHaveNoLocks) return lockMatchingAccounts(scope, chosen, dialect.forUpdate);
  // Usually there is a single account that is free, so one statement is enough. Several accounts must be locked in
  // order.
  if (accountIds.length === 1) {
    const free = await lockedIfFree(scope, chosen);
    if (free.length === 1) return free;
  }
  const waitMs = await waitOf();
  const timeout = dialect.lockTimeout(waitMs);
  if (timeout !== null) await scope.runner.run(timeout);
  try {
    const accounts = await lockMatchingAccounts(scope, chosen, dialect.forUpdate);
    await scope.runner.run(sql`set local lock_timeout to default`);
    return accounts;
  } catch (error) {
    if (dialect.failureOf(error).kind !== 'lock-timeout') throw error;
    throw new BillingError({
      code: ErrorCode.BUSY,
      message: `Account ${accountIds.join(', ')} is locked by another operation; try again in a moment`,
      facts: { accountIds, waitMs },
      cause: error,
    });
  }
}

export async function tryLockAccounts(
  scope: TenantScope,
  recordIds: readonly number[],
): Promise<readonly Account[]> {
  if (recordIds.length === 0) return [];
  return lockedIfFree(scope, sql`${scope.ofTenant} and ${isIn('record_id', 'bigint', recordIds)}`);
}

export async function tryLockAccountsById(
  scope: TenantScope,
  accountIds: readonly Uuid[],
): Promise<readonly Account[]> {
  return accountIds.length === 0 ? [] : lockedIfFree(scope, scope.haveIds(accountIds));
}

async function lockedIfFree(scope: TenantScope, chosen: Sql): Promise<readonly Account[]> {
  return lockMatchingAccounts(scope, chosen, scope.runner.dialect.forUpdateSkipLocked);
}

async function lockMatchingAccounts(
  scope: TenantScope,
  chosen: Sql,
  lock: string,
): Promise<readonly Account[]> {
  return scope.runner.readAs(accountsTable)`
    select ${scope.columns(accountsTable)} from bw_accounts
    where ${chosen} order by record_id ${raw(lock)}`;
}

/** Returns the search condition, preceded by `and`. It is valid until the transaction ends. */
async function accountSearchCondition(scope: TenantScope, search: AccountSearch) {
  if (search.kind === 'clauses') return clauseConditions(search.clauses);
  const { id, text } = search;
  const { seekAccountText } = scope.runner.dialect;
  const named = id === null ? null : sql`select record_id from bw_accounts where ${scope.haveIds([id])}`;
  if (seekAccountText === null || !SOUGHT_BY_INDEX.test(text)) {
    if (named === null) return sql`and ${contains('folded_text', text)}`;
    return sql`and (${contains('folded_text', text)} or record_id in (${named}))`;
  }
  await scope.runner.run(seekAccountText(patternOf(text)));
  if (named === null && (await isCommon(scope, text))) return sql`and ${contains('folded_text', text)}`;
  const orNamed = named === null ? nothing : sql`union all ${named}`;
  // The policy only makes the index usable. The condition is repeated, because the policy does not apply to every role.
  return sql`and record_id in (
    select record_id from bw_account_texts
    where ${scope.ofTenant} and ${contains('folded_text', text)} ${orNamed})`;
}

/** Number of matches above which reading the accounts in the order of the page is faster than using the index. */
const FEW_MATCHES = 2_000;

/**
 * Returns true if the text occurs in so many accounts that the index should not be used. An example is a word that all
 * names contain.
 */
async function isCommon(scope: TenantScope, text: string): Promise<boolean> {
  const [row] = await scope.runner.rows(sql`
    select count(*) as found from (
      select 1 from bw_account_texts
      where ${scope.ofTenant} and ${contains('folded_text', text)} limit ${FEW_MATCHES + 1}) counted`);
  return numberIn(row, 'found') > FEW_MATCHES;
}

/** Matches texts with at least three consecutive letters or digits. The index can find only such texts. */
const SOUGHT_BY_INDEX = /[\p{L}\p{N}]{3}/u;

/**
 * Separates the texts in `folded_text`, so that a search cannot match the end of one text and the start of the next.
 */
const FOLDED_END = '\u0001';

/** Returns the text that free-text searches read. */
export function foldedText({ name, email, externalKey, company }: New<Account>): string {
  return [name, email, externalKey, company]
    .filter((each) => each !== null)
    .map((each) => `${each.toLowerCase()}${FOLDED_END}`)
    .join('');
}
