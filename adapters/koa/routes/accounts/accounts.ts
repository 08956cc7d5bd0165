import type { AuditLevel } from '../../../../lib/audit/index.ts';
import type { Account as AccountRecord } from '../../../../lib/records/index.ts';
import { ErrorCode, invalidParameter } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { checkPermission } from '../../auth/credentials.ts';
import { Dialect } from '../../dialect.ts';
import { Account, type ShownAccount, type ShownBalance } from '../../models/account.ts';
import { AccountTimeline, auditedIdsOfTimeline } from '../../models/account-timeline.ts';
import { Bundle } from '../../models/subscription.ts';
import { type Answer, created, json, longJson, page, UNCOUNTED } from '../../routing/answer.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { partial, withNulls } from '../../wire/model.ts';
import {
  exactPageParameters,
  flag,
  optionalFlag,
  pageParameters,
  plainText,
  required,
  uuidList,
} from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';
import { type AuditedCall, auditParameter, renderingOf } from '../objects/audit.ts';
import { bundlePage, bundlesJson } from '../subscriptions/bundle-answers.ts';
import { accountEmailRoutes } from './account-emails.ts';

const balanceParameters = { accountWithBalance: flag(), accountWithBalanceAndCBA: flag() };
const noSuchAccount = [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID];

interface AccountReading extends AuditedCall {
  readonly query: {
    readonly accountWithBalance: boolean;
    readonly accountWithBalanceAndCBA: boolean;
    readonly audit: AuditLevel;
  };
}

export const accountRoutes: readonly Route[] = [
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/accounts',
    operationId: 'createAccount',
    summary: 'Create an account',
    permission: 'account:create',
    body: jsonBody(Account),
    success: { status: 201, location: '/accounts/{accountId}' },
    fails: [ErrorCode.ACCOUNT_ALREADY_EXISTS, ErrorCode.EXTERNAL_KEY_LIMIT_EXCEEDED],
    async handle({ billing, context, body }) {
      const account = await billing.createAccount(context, body);
      return created(`/accounts/${account.id}`);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/pagination',
    operationId: 'getAccounts',
    summary: 'List accounts',
    permission: 'NONE',
    query: { ...pageParameters, ...balanceParameters, ...auditParameter },
    success: { status: 200, body: listOf(Account), paged: true },
    async handle(call) {
      const { rows, total, max } = await call.billing.accounts.page(call.context, call.query);
      return page(await accountsJson(call, rows), { ...call.query, total, max });
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/search/{searchKey}',
    operationId: 'searchAccounts',
    summary: 'Search accounts by id, name, e-mail, external key or company, or by clauses (_q=1&…)',
    permission: 'NONE',
    query: { ...exactPageParameters, ...balanceParameters, ...auditParameter },
    success: { status: 200, body: listOf(Account), paged: true },
    async handle(call) {
      const { billing, context, params, query } = call;
      if (query.offset < 0) return exactlyFound(call, params.searchKey);
      const { rows, total, max } = await billing.accounts.search(context, params.searchKey, query);
      return page(await accountsJson(call, rows), { ...query, total, max });
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts',
    operationId: 'getAccountByKey',
    summary: 'Get an account by its external key',
    permission: 'NONE',
    query: {
      externalKey: required(plainText, ErrorCode.ACCOUNT_CANNOT_MAP_NULL_KEY),
      ...balanceParameters,
      ...auditParameter,
    },
    success: { status: 200, body: Account },
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_KEY, ErrorCode.ACCOUNT_CANNOT_MAP_NULL_KEY],
    async handle(call) {
      const account = await call.billing.accounts.getByKey(call.context, call.query.externalKey);
      return json((await accountsJson(call, [account]))[0]);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}',
    operationId: 'getAccount',
    summary: 'Get an account by id',
    permission: 'NONE',
    query: { ...balanceParameters, ...auditParameter },
    success: { status: 200, body: Account },
    fails: noSuchAccount,
    async handle(call) {
      const account = await call.billing.getAccount(call.context, call.params.accountId);
      return json((await accountsJson(call, [account]))[0]);
    },
  }),
  tenantRoute({
    method: 'PUT',
    path: '/1.0/kb/accounts/{accountId}',
    operationId: 'updateAccount',
    summary:
      'Update an account; fields that are not sent keep their values, and in dialect K reset with treatNullAsReset',
    permission: 'account:update',
    query: { treatNullAsReset: flag() },
    body: jsonBody(partial(Account)),
    fails: [...noSuchAccount, ErrorCode.ACCOUNT_CANNOT_CHANGE_EXTERNAL_KEY],
    async handle({ billing, context, params, body, query: { treatNullAsReset }, dialect }) {
      // Clients of dialect K leave nulls out (http-api §4 line 13).
      const changes = treatNullAsReset && dialect === Dialect.K ? withNulls(Account, body) : body;
      await billing.updateAccount(context, params.accountId, { changes, treatNullAsReset });
    },
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/1.0/kb/accounts/{accountId}',
    operationId: 'closeAccount',
    summary:
      'Close an account: what is due of it is done first, then nothing invoices it by itself any more, and it gets no more subscriptions; nothing is deleted',
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
    fails: noSuchAccount,
    async handle(call) {
      const { query } = call;
      // Which permissions are needed depends on what is requested; all are checked before anything is written (http-api
      // §5).
      for (const [isAsked, permission] of [
        [query.cancelAllSubscriptions, 'entitlement:cancel'],
        [query.writeOffUnpaidInvoices, 'invoice:write_off'],
        [query.itemAdjustUnpaidInvoices, 'invoice:item_adjust'],
      ] as const) {
        if (isAsked) checkPermission(call.user, permission);
      }
      const removeFutureNotifications = query.removeFutureNotifications ?? call.dialect === Dialect.K;
      await call.billing.accounts.close(call.context, call.params.accountId, {
        ...query,
        removeFutureNotifications,
      });
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/children',
    operationId: 'getChildrenAccounts',
    summary: 'List the children of an account; an unknown account has none',
    permission: 'NONE',
    query: { ...balanceParameters, ...auditParameter },
    success: { status: 200, body: listOf(Account) },
    async handle(call) {
      const children = await call.billing.accounts.children(call.context, call.params.accountId);
      return json(await accountsJson(call, children));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/timeline',
    operationId: 'getAccountTimeline',
    summary: 'Get an account with its bundles, invoices and payments, as they are at one moment',
    permission: 'NONE',
    // Accepted without effect: everything is read from one snapshot (accounts §10).
    query: { parallel: flag(), ...auditParameter },
    success: { status: 200, body: AccountTimeline },
    fails: [...noSuchAccount, ErrorCode.ANSWER_TOO_LARGE],
    async handle(call) {
      const timeline = await call.billing.outlines.timeline(call.context, call.params.accountId);
      const rendering = await renderingOf(call, auditedIdsOfTimeline(timeline));
      return longJson(AccountTimeline.write(timeline, rendering));
    },
  }),
  ...accountEmailRoutes,
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/bundles',
    operationId: 'getAccountBundles',
    area: 'bundles',
    summary: 'List the bundles of an account with their subscriptions',
    permission: 'NONE',
    query: { externalKey: plainText, bundlesFilter: uuidList, ...auditParameter },
    success: { status: 200, body: listOf(Bundle) },
    fails: [...noSuchAccount, ErrorCode.ANSWER_TOO_LARGE],
    async handle(call) {
      const { externalKey, bundlesFilter } = call.query;
      const bundles = await call.billing.outlines.ofAccount(call.context, call.params.accountId, {
        ...(externalKey === null ? {} : { externalKey }),
        ...(bundlesFilter.length === 0 ? {} : { bundleIds: bundlesFilter }),
      });
      return longJson(await bundlesJson(call, bundles));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/bundles/pagination',
    operationId: 'getAccountBundlesPaginated',
    area: 'bundles',
    summary: 'List the bundles of an account by pages',
    permission: 'NONE',
    query: { ...pageParameters, ...auditParameter },
    success: { status: 200, body: listOf(Bundle), paged: true },
    fails: noSuchAccount,
    async handle(call) {
      const { billing, context, params, query } = call;
      return bundlePage(call, await billing.outlines.pageOfAccount(context, params.accountId, query));
    },
  }),
];

/** The quick search of http-api §8 rule 2, which asks for offset -1 and limit 1: none or one account. */
async function exactlyFound(
  call: AccountReading & { readonly query: { readonly limit: number } },
  key: string,
): Promise<Answer> {
  if (call.query.limit !== 1) {
    throw invalidParameter(
      'Query parameter offset is not between 0 and 9007199254740991, or -1 with limit 1',
      { parameter: 'offset' },
    );
  }
  const found = await call.billing.accounts.findExactly(call.context, key);
  const accounts = found === null ? [] : [found];
  const counts = { total: accounts.length, max: UNCOUNTED };
  return page(await accountsJson(call, accounts), { offset: 0, limit: 1, ...counts });
}

/** Accounts with the balances and audit that the call asks for, each read once for all of them. */
async function accountsJson(call: AccountReading, accounts: readonly AccountRecord[]) {
  const ids = accounts.map((account) => account.id);
  const [balanceOf, rendering] = await Promise.all([shownBalances(call, ids), renderingOf(call, ids)]);
  return accounts.map((account) => {
    const shown: ShownAccount = { ...account, ...balanceOf(account.id) };
    return Account.write(shown, rendering);
  });
}

/** accounts §5 rule 1: the flag for both wins over the one for the balance alone. */
async function shownBalances(
  call: AccountReading,
  ids: readonly Uuid[],
): Promise<(id: Uuid) => ShownBalance> {
  const { accountWithBalance, accountWithBalanceAndCBA } = call.query;
  if (!accountWithBalance && !accountWithBalanceAndCBA)
    return () => ({ accountBalance: null, accountCBA: null });
  const balances = await call.billing.accounts.balances(call.context, ids);
  return (id) => ({
    accountBalance: balances.get(id)?.accountBalance ?? null,
    accountCBA: accountWithBalanceAndCBA ? (balances.get(id)?.accountCBA ?? null) : null,
  });
}
