import type {
  PaymentMethodSearch,
  PaymentReads,
  PaymentSearch,
  PaymentWrites,
} from '../../../lib/ports/storage/index.ts';
import {
  InvoicePaymentType,
  type New,
  type Page,
  type PaymentMethod,
  TransactionStatus,
  TransactionType,
} from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import {
  attemptAudit,
  invoicePaymentAudit,
  paymentAudit,
  paymentMethodAudit,
  transactionAudit,
} from '../audit/audited-records.ts';
import { at, type WriteScope } from '../audit/audited-writes.ts';
import { inputColumns, numberIn, textOf } from '../sql/columns.ts';
import { clauseConditions, containsInAnyCase } from '../sql/search-conditions.ts';
import { type Condition, isIn, narrowCondition, nothing, raw, rowsAs, type Sql, sql } from '../sql/sql.ts';
import {
  autoPayHoldsTable,
  invoicePaymentsTable,
  OPEN_INVOICE_REFUNDS,
  paymentAttemptsTable,
  paymentMethodsTable,
  paymentsTable,
  paymentTransactionsTable,
  type StoredPaymentMethod,
  UNUSUAL_PAYMENTS,
  USUAL_PAYMENT_STATE,
} from '../tables/payments.ts';
import type { TenantScope } from '../tables/record-access.ts';
import { takeNumbers } from './tenant-settings.ts';

const activeMethods = sql`and is_active`;
const openInvoiceRefunds = raw(OPEN_INVOICE_REFUNDS);

export function paymentReads(scope: TenantScope): PaymentReads {
  const pageOfMethods = async (
    condition: Sql,
    ...[request, { pluginName }]: Parameters<PaymentReads['pageMethods']>
  ): Promise<Page<PaymentMethod>> => {
    const ofPlugin = pluginName === null ? nothing : sql`and plugin_name = ${pluginName}`;
    const within = sql`${activeMethods} ${ofPlugin} ${condition}`;
    return scope.page(paymentMethodsTable, { request, within, among: activeMethods });
  };
  const findMethods = (condition: Condition): Promise<readonly PaymentMethod[]> =>
    scope.select(paymentMethodsTable, condition);
  return {
    findMethodsByIds: async (ids) => scope.selectByIds(paymentMethodsTable, ids),
    findMethodsByKeys: async (keys) => findMethods(isIn('external_key', 'text', keys)),
    findMethodsByAccounts: async (accountIds, { includeDeleted }) =>
      findMethods(narrowCondition(scope.ofAccounts(accountIds), includeDeleted ? nothing : activeMethods)),
    pageMethods: async (request, options) => pageOfMethods(nothing, request, options),
    searchMethods: async (search, request, options) =>
      pageOfMethods(methodSearchCondition(search), request, options),
    findByIds: async (ids) => scope.selectByIds(paymentsTable, ids),
    findByKeys: async (keys) => scope.selectBy(paymentsTable, 'externalKey', keys),
    findByAccounts: async (accountIds) => scope.select(paymentsTable, scope.ofAccounts(accountIds)),
    pageOfAccount: async (accountId, request) =>
      scope.page(paymentsTable, { request, within: sql`and ${scope.ofAccount(accountId)}` }),
    page: async (request, { pluginName }) =>
      pluginName === null
        ? scope.page(paymentsTable, { request })
        : scope.page(paymentsTable, { request, within: ofGateway(scope, pluginName), among: nothing }),
    search: async (search, request, { pluginName }) => {
      const ofPlugin = pluginName === null ? nothing : ofGateway(scope, pluginName);
      const within = sql`${paymentSearchCondition(scope, search)} ${ofPlugin}`;
      return scope.page(paymentsTable, {
        request,
        within,
        among: nothing,
        along: isUnusual(search) ? scope.runner.dialect.along('bw_payments_state_index') : nothing,
      });
    },
    findTransactions: async (paymentIds) => scope.selectBy(paymentTransactionsTable, 'paymentId', paymentIds),
    findTransactionsByIds: async (ids) => scope.selectByIds(paymentTransactionsTable, ids),
    findTransactionsByKeys: async (keys) => scope.selectBy(paymentTransactionsTable, 'externalKey', keys),
    findOpenInvoiceRefunds: async (accountRecordIds) =>
      scope.select(
        paymentTransactionsTable,
        narrowCondition(
          isIn('account_record_id', 'bigint', accountRecordIds),
          sql`and ${openInvoiceRefunds}`,
        ),
      ),
    findAttemptsByIds: async (ids) => scope.selectByIds(paymentAttemptsTable, ids),
    findAttemptsByPaymentKeys: async (keys) =>
      scope.selectBy(paymentAttemptsTable, 'paymentExternalKey', keys),
    findAttemptsByTransactionKeys: async (keys) =>
      scope.selectBy(paymentAttemptsTable, 'transactionExternalKey', keys),
    findInvoicePaymentsByInvoices: async (invoiceIds) =>
      scope.selectBy(invoicePaymentsTable, 'invoiceId', invoiceIds),
    findLastFailures: async (invoiceIds) =>
      invoiceIds.length === 0
        ? []
        : (await scope.runner.rows(lastFailures(scope, invoiceIds))).map((row) => ({
            invoiceId: invoicePaymentsTable.fields.invoiceId.read(row),
            transactionRecordId: numberIn(row, 'record_id'),
            paymentResponse: paymentTransactionsTable.fields.paymentResponse.read(row),
          })),
    findInvoicePaymentsByPayments: async (paymentIds) =>
      scope.selectBy(invoicePaymentsTable, 'paymentId', paymentIds),
    findHoldsByInvoices: async (invoiceIds) =>
      scope.select(
        autoPayHoldsTable,
        narrowCondition(isIn('invoice_id', 'uuid', invoiceIds), sql`and is_active`),
      ),
    findHoldsByAccounts: async (accountIds) =>
      scope.select(autoPayHoldsTable, narrowCondition(scope.ofAccounts(accountIds), sql`and is_active`)),
  };
}

function lastFailures(scope: TenantScope, invoiceIds: readonly Uuid[]) {
  return sql`
    select invoice_id, record_id, payment_response from (
      select paid.invoice_id, made.record_id, made.payment_response,
        row_number() over (partition by paid.invoice_id order by made.record_id desc) as age
      from bw_invoice_payments paid
      join bw_payment_transactions made
        on made.tenant_record_id = paid.tenant_record_id and made.payment_id = paid.payment_id
      where paid.tenant_record_id = ${scope.tenantRecordId} and ${isIn('paid.invoice_id', 'uuid', invoiceIds)}
        and paid.type = ${InvoicePaymentType.ATTEMPT} and made.transaction_type = ${TransactionType.PURCHASE}
        and made.status in (${TransactionStatus.PAYMENT_FAILURE}, ${TransactionStatus.PLUGIN_FAILURE})
    ) failures where age = 1`;
}

/** Columns that the result of a gateway call may change (payments §1.7 rule 6). */
const outcome = [
  'status',
  'processedAmount',
  'processedCurrency',
  'gatewayErrorCode',
  'gatewayErrorMsg',
  'paymentResponse',
  'attemptId',
  'invoiceRefund',
  'leaseUntil',
] as const;
const outcomeColumns = paymentTransactionsTable.columnsOf(outcome);
const changedOfAttempts = [
  'paymentMethodId',
  'transactionId',
  'stateName',
  'amount',
  'currency',
  'pluginNames',
  'pluginProperties',
] as const;
const changedOfInvoicePayments = [
  'status',
  'paymentId',
  'paymentDate',
  'amount',
  'currency',
  'processedCurrency',
  'linkedInvoicePaymentId',
] as const;
const comparedColumns = inputColumns({ id: 'uuid', expected: 'text' });

export function paymentWrites(scope: WriteScope): PaymentWrites {
  const { userName: updatedBy, createdDate: updatedDate } = scope.authorship;
  const newMethod = (method: New<PaymentMethod>): StoredPaymentMethod => ({
    ...method,
    createdBy: updatedBy,
    updatedBy,
    updatedDate: method.createdDate,
  });
  return {
    insertMethods: async (methods) =>
      withIds(methods, await scope.insertForIds(paymentMethodAudit, methods.map(newMethod))),
    updateMethods: async (records) =>
      scope.updateAudited(paymentMethodAudit, {
        properties: ['isActive', 'updatedBy', 'updatedDate'],
        records: records.map(({ id, isActive }) => ({ id, isActive, updatedBy, updatedDate })),
      }),
    takePaymentNumbers: async (count) => takeNumbers(scope, 'payment_number', count),
    insertPayments: async (payments) => withIds(payments, await scope.insertForIds(paymentAudit, payments)),
    updatePayments: async (records) =>
      scope.updateKnown(paymentAudit, { properties: ['stateName', 'lastSuccessStateName'], records }),
    noteUpdates: (payments) => {
      for (const payment of payments) scope.noteUpdate(paymentAudit, payment);
    },
    insertTransactions: async (transactions) =>
      withIds(transactions, await scope.insertForIds(transactionAudit, transactions)),
    updateTransactions: async (changes) => {
      if (changes.length === 0) return [];
      const cells = changes.map(({ transaction, expected }) => [
        transaction.id,
        expected,
        ...paymentTransactionsTable.encodeOnly(outcome, transaction),
      ]);
      const assignments = outcomeColumns.map(({ name }) => `${name} = r.${name}`).join(', ');
      const stored = await scope.runner.readAs(paymentTransactionsTable)`
        update bw_payment_transactions set ${raw(assignments)}
        from ${rowsAs('r', [...comparedColumns, ...outcomeColumns], cells)}
        where +bw_payment_transactions.tenant_record_id = ${scope.tenantRecordId}
          and bw_payment_transactions.id = r.id and bw_payment_transactions.status = r.expected
        returning ${scope.columns(paymentTransactionsTable, paymentTransactionsTable.name)}`;
      for (const transaction of stored) scope.noteUpdate(transactionAudit, transaction);
      return stored.map(({ id }) => id);
    },
    leaseTransactions: async (ids, { now, leaseUntil }) => {
      if (ids.length === 0) return [];
      return scope.runner.readAs(({ id }) => textOf(id, 'id') as Uuid)`
        update bw_payment_transactions set lease_until = ${leaseUntil}
        where ${scope.haveIds(ids)} and status = 'PENDING'
          and (lease_until is null or lease_until <= ${now})
        returning id`;
    },
    endLeases: async (ids, { now }) => {
      if (ids.length === 0) return;
      await scope.runner.rows(sql`
        update bw_payment_transactions set lease_until = null
        where ${scope.haveIds(ids)} and lease_until <= ${now}
        returning id`);
    },
    insertAttempts: async (attempts) => withIds(attempts, await scope.insertForIds(attemptAudit, attempts)),
    updateAttempts: async (records) =>
      scope.updateKnown(attemptAudit, { properties: changedOfAttempts, records }),
    insertInvoicePayments: async (rows) => withIds(rows, await scope.insertForIds(invoicePaymentAudit, rows)),
    updateInvoicePayments: async (records) =>
      scope.updateKnown(invoicePaymentAudit, { properties: changedOfInvoicePayments, records }),
    insertHolds: async (holds) => {
      await scope.insertAll(autoPayHoldsTable, holds, sql`on conflict do nothing`);
    },
    endHolds: async (holds) => {
      const records = holds.map(({ id }) => ({ id, isActive: false }));
      await scope.update(autoPayHoldsTable, { properties: ['isActive'], records });
    },
  };
}

function withIds<R extends object>(records: readonly R[], recordIds: readonly number[]) {
  return records.map((record, index) => ({ ...record, recordId: at(recordIds, index) }));
}

/** Returns SQL for the first or last author of a payment. Only the audit rows of the payment contain its authors. */
const selectFromAudit = (column: string, order: 'asc' | 'desc'): string =>
  `(select a.${column} from bw_audit_log a where a.target_id = bw_payments.id
    and a.tenant_record_id = bw_payments.tenant_record_id order by a.record_id ${order} limit 1)`;

const places = {
  createdBy: { column: selectFromAudit('changed_by', 'asc') },
  updatedBy: { column: selectFromAudit('changed_by', 'desc') },
  updatedDate: { column: selectFromAudit('change_date', 'desc') },
};

function paymentSearchCondition(scope: TenantScope, search: PaymentSearch): Sql {
  switch (search.kind) {
    case 'clauses':
      return search.clauses.reduce((condition, clause) => {
        const { property, operator, value } = clause;
        // With the record id in the condition, the database uses the index of the account's payments.
        const isOfAccount = property === 'accountId' && operator === 'eq';
        if (isOfAccount) return sql`${condition} and ${scope.ofAccount(value as Uuid)}`;
        return sql`${condition} ${clauseConditions([clause], places)}`;
      }, nothing);
    case 'states':
      return sql`and ${isIn('state_name', 'text', search.stateNames)}
        ${isUnusual(search) ? sql`and ${raw(UNUSUAL_PAYMENTS)}` : nothing}`;
    case 'text': {
      const { id, text } = search;
      const named =
        id === null ? nothing : sql`or id = ${id} or payment_method_id = ${id} or ${scope.ofAccount(id)}`;
      return sql`and (${containsInAnyCase('external_key', text)} ${named})`;
    }
  }
}

/** Returns true if the index of unusual states can find the payments. */
function isUnusual(search: PaymentSearch): boolean {
  return search.kind === 'states' && !search.stateNames.some((name) => name === USUAL_PAYMENT_STATE);
}

function ofGateway(scope: TenantScope, pluginName: string) {
  return sql`and payment_method_id in (
    select id from bw_payment_methods
    where ${scope.ofTenant} and plugin_name = ${pluginName})`;
}

function methodSearchCondition(search: PaymentMethodSearch) {
  if (search.kind === 'clauses') return clauseConditions(search.clauses);
  const { id, text } = search;
  const named = id === null ? nothing : sql`or id = ${id} or account_id = ${id}`;
  return sql`and (${containsInAnyCase('external_key', text)} or ${containsInAnyCase('plugin_name', text)} ${named})`;
}
