import type { Account as AccountRecord, Page } from '../../../lib/records/index.ts';
import { ErrorCode, invalidField, invalidParameter } from '../../../lib/values/errors/index.ts';
import { checkPermission } from '../auth/credentials.ts';
import { Dialect } from '../dialect.ts';
import { Account, AccountEmail, type ShownAccount } from '../models/account.ts';
import { AccountTimeline, auditedIdsOfTimeline } from '../models/account-timeline.ts';
import { UNCOUNTED } from '../routing/answer.ts';
import { auditParameter } from '../routing/audited.ts';
import { jsonBody } from '../routing/body.ts';
import { type Route, type TenantCall, tenantRoute } from '../routing/route.ts';
import { partial, withNulls } from '../wire/model.ts';
import {
  exactPageParameters,
  flag,
  optionalFlag,
  pageParameters,
  plainText,
  requiredParameter,
} from '../wire/query.ts';
import { listOf } from '../wire/wire-type.ts';

const balanceParameters = { accountWithBalance: flag(), accountWithBalanceAndCBA: flag() };

type BalanceCall = Pick<
  TenantCall<string, typeof balanceParameters, unknown>,
  'billing' | 'context' | 'query'
>;

export const accountRoutes: readonly Route[] = [
  tenantRoute('createAccount', 'POST /accounts', {
    summary: 'Create an account',
    permission: 'account:create',
    body: jsonBody(Account),
    creates: '/accounts/{accountId}',
    fails: ['ACCOUNT_ALREADY_EXISTS', 'EXTERNAL_KEY_LIMIT_EXCEEDED'],
    handle: ({ billing, context, body }) => billing.createAccount(context, body),
  }),
  tenantRoute('getAccounts', 'GET /accounts/pagination', {
    summary: 'List accounts',
    query: { ...pageParameters, ...balanceParameters, ...auditParameter },
    shows: listOf(Account),
    handle: async (call) =>
      pageWithBalances(call, await call.billing.accounts.page(call.context, call.query)),
  }),
  tenantRoute('searchAccounts', 'GET /accounts/search/{searchKey}', {
    summary: 'Search accounts by id, name, email, external key or company, or by clauses (_q=1&…)',
    query: { ...exactPageParameters, ...balanceParameters, ...auditParameter },
    shows: listOf(Account),
    async handle(call) {
      const { billing, context, params, query } = call;
      if (query.offset < 0) return exactlyFound(call, params.searchKey);
      return pageWithBalances(call, await billing.accounts.search(context, params.searchKey, query));
    },
  }),
  tenantRoute('getAccountByKey', 'GET /accounts', {
    summary: 'Get an account by its external key',
    query: {
      externalKey: requiredParameter(plainText, ErrorCode.ACCOUNT_CANNOT_MAP_NULL_KEY),
      ...balanceParameters,
      ...auditParameter,
    },
    shows: Account,
    fails: ['ACCOUNT_DOES_NOT_EXIST_FOR_KEY', 'ACCOUNT_CANNOT_MAP_NULL_KEY'],
    async handle(call) {
      const account = await call.billing.accounts.getByKey(call.context, call.query.externalKey);
      return (await withBalances(call, [account]))[0];
    },
  }),
  tenantRoute('getAccount', 'GET /accounts/{accountId}', {
    summary: 'Get an account by id',
    query: { ...balanceParameters, ...auditParameter },
    shows: Account,
    async handle(call) {
      const account = await call.billing.getAccount(call.context, call.params.accountId);
      return (await withBalances(call, [account]))[0];
    },
  }),
  tenantRoute('updateAccount', 'PUT /accounts/{accountId}', {
    summary:
      'Update an account; omitted properties keep their values, or in dialect K are reset with treatNullAsReset',
    permission: 'account:update',
    query: { treatNullAsReset: flag() },
    body: jsonBody(partial(Account)),
    fails: ['ACCOUNT_CANNOT_CHANGE_EXTERNAL_KEY'],
    async handle({ billing, context, params, body, query: { treatNullAsReset }, dialect }) {
      // Clients of dialect K omit null members (http-api §4 line 13).
      const changes = treatNullAsReset && dialect === Dialect.K ? withNulls(Account, body) : body;
      await billing.updateAccount(context, params.accountId, { changes, treatNullAsReset });
    },
  }),
  tenantRoute('closeAccount', 'DELETE /accounts/{accountId}', {
    summary:
      'Close an account: process its due work, then stop automatic invoicing and reject new subscriptions; nothing is deleted',
    permission: 'tag:add',
    alsoNeeds: ['entitlement:pause_resume'],
    needsFor: {
      'with `cancelAllSubscriptions`': 'entitlement:cancel',
      'with `writeOffUnpaidInvoices`': 'invoice:write_off',
      'with `itemAdjustUnpaidInvoices`': 'invoice:item_adjust',
    },
    query: {
      cancelAllSubscriptions: flag(),
      writeOffUnpaidInvoices: flag(),
      itemAdjustUnpaidInvoices: flag(),
      removeFutureNotifications: optionalFlag,
    },
    async handle({ billing, context, params, query, user, dialect }) {
      // All permissions are checked before any write (http-api §5).
      if (query.cancelAllSubscriptions) checkPermission(user, 'entitlement:cancel');
      if (query.writeOffUnpaidInvoices) checkPermission(user, 'invoice:write_off');
      if (query.itemAdjustUnpaidInvoices) checkPermission(user, 'invoice:item_adjust');
      const removeFutureNotifications = query.removeFutureNotifications ?? dialect === Dialect.K;
      await billing.accounts.close(context, params.accountId, { ...query, removeFutureNotifications });
    },
  }),
  tenantRoute('getChildrenAccounts', 'GET /accounts/{accountId}/children', {
    summary: 'List the child accounts of an account; empty for an unknown account',
    query: { ...balanceParameters, ...auditParameter },
    shows: listOf(Account),
    takesUnknownObjects: true,
    handle: async (call) =>
      withBalances(call, await call.billing.accounts.children(call.context, call.params.accountId)),
  }),
  tenantRoute('getAccountTimeline', 'GET /accounts/{accountId}/timeline', {
    summary: 'Get a consistent snapshot of an account with its bundles, invoices and payments',
    // `parallel` has no effect: all reads use one snapshot (accounts §10).
    query: { parallel: flag(), ...auditParameter },
    shows: AccountTimeline,
    auditedIds: auditedIdsOfTimeline,
    isLong: true,
    fails: ['ANSWER_TOO_LARGE'],
    handle: ({ billing, context, params }) => billing.outlines.timeline(context, params.accountId),
  }),
  // Secondary addresses (accounts §15).
  tenantRoute('getEmails', 'GET /accounts/{accountId}/emails', {
    summary: 'List the secondary email addresses of an account',
    shows: listOf(AccountEmail),
    handle: ({ billing, context, params }) => billing.accounts.emails(context, params.accountId),
  }),
  tenantRoute('addEmail', 'POST /accounts/{accountId}/emails', {
    summary: 'Add a secondary email address to an account; no effect if it exists',
    permission: 'account:add_emails',
    body: jsonBody(AccountEmail),
    creates: '/accounts/{accountId}/emails',
    async handle({ billing, context, params, body }) {
      const { id } = await billing.getAccount(context, params.accountId);
      if (body.accountId !== id) {
        const message = `AccountEmailJson accountId ${body.accountId} does not match the account in the path, ${id}`;
        throw invalidField(message, { field: 'accountId' });
      }
      await billing.accounts.addEmail(context, id, body.email ?? '');
    },
  }),
  tenantRoute('removeEmail', 'DELETE /accounts/{accountId}/emails/{email}', {
    summary: 'Remove a secondary email address from an account; no effect if it does not exist',
    permission: 'account:delete_emails',
    handle: ({ billing, context, params }) =>
      billing.accounts.removeEmail(context, params.accountId, params.email),
  }),
];

/** Returns at most one account. Used for the quick search with offset -1 and limit 1 (http-api §8 rule 2). */
async function exactlyFound(
  call: BalanceCall & { readonly query: { readonly limit: number } },
  key: string,
): Promise<Page<ShownAccount>> {
  if (call.query.limit !== 1) {
    const message = 'Query parameter offset is not between 0 and 9007199254740991, or -1 with limit 1';
    throw invalidParameter(message, { parameter: 'offset' });
  }
  const found = await call.billing.accounts.findExactly(call.context, key);
  const rows = found === null ? [] : [found];
  return pageWithBalances(call, { rows, total: rows.length, max: UNCOUNTED });
}

async function pageWithBalances(call: BalanceCall, page: Page<AccountRecord>): Promise<Page<ShownAccount>> {
  return { ...page, rows: await withBalances(call, page.rows) };
}

/** Adds the requested balances, using one query. The flag for both balances takes precedence (accounts §5 rule 1). */
async function withBalances(
  { billing, context, query }: BalanceCall,
  accounts: readonly AccountRecord[],
): Promise<readonly ShownAccount[]> {
  const { accountWithBalance, accountWithBalanceAndCBA } = query;
  if (!accountWithBalance && !accountWithBalanceAndCBA)
    return accounts.map((account) => ({ ...account, accountBalance: null, accountCBA: null }));
  const ids = accounts.map(({ id }) => id);
  const balances = await billing.accounts.balances(context, ids);
  return accounts.map((account) => {
    const { accountBalance = null, accountCBA = null } = balances.get(account.id) ?? {};
    return { ...account, accountBalance, accountCBA: accountWithBalanceAndCBA ? accountCBA : null };
  });
}
