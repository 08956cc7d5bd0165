import { BillingError, ErrorCode } from '../../../lib/errors/index.ts';
import { auditedIdsOfInvoice, DryRunType, Invoice, InvoiceDryRun, invoiceJson } from '../models/invoice.ts';
import { created, json, nothing, page } from '../routing/answer.ts';
import { optionalJsonBody } from '../routing/body.ts';
import { type Route, tenantRoute } from '../routing/route.ts';
import { flag, moment, pageParameters, required, uuidList, uuidParameter } from '../wire/query.ts';
import { listOf } from '../wire/wire-type.ts';
import { auditOf, auditParameter } from './audit.ts';
import { requestedDay } from './requested-day.ts';

const area = 'invoices';
const noSuchAccount = [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID];
const runErrors = [
  ...noSuchAccount,
  ErrorCode.INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE,
  ErrorCode.CURRENCY_INVALID,
];

export const invoiceRoutes: readonly Route[] = [
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/invoices',
    operationId: 'createFutureInvoice',
    area,
    summary: 'Invoice an account up to a date now',
    permission: 'invoice:trigger',
    query: { accountId: required(uuidParameter), targetDate: moment },
    success: { status: 201, location: '/invoices/{invoiceId}' },
    fails: [...runErrors, ErrorCode.INVOICE_NOTHING_TO_DO],
    statusOf: { [ErrorCode.INVOICE_NOTHING_TO_DO]: 404 },
    async handle(call) {
      const { accountId } = call.query;
      const targetDate = await requestedDay(call, accountId, call.query.targetDate);
      const invoice = await call.billing.generateInvoice(call.context, { accountId, targetDate });
      return created(`/invoices/${invoice.id}`);
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/invoices/dryRun',
    operationId: 'generateDryRunInvoice',
    area,
    summary: 'Show the invoice that a run at a date would make; nothing is stored',
    permission: 'invoice:dry_run',
    query: { accountId: required(uuidParameter), targetDate: moment },
    body: optionalJsonBody(InvoiceDryRun),
    success: { status: 200, emptyStatus: 204, body: Invoice },
    fails: [...runErrors, ErrorCode.NOT_IMPLEMENTED],
    async handle(call) {
      checkDryRunType(call.body?.dryRunType ?? DryRunType.TARGET_DATE);
      const { accountId } = call.query;
      const targetDate = await requestedDay(call, accountId, call.query.targetDate);
      const invoice = await call.billing.invoices.dryRun(call.context, { accountId, targetDate });
      if (invoice === null) return nothing;
      return json(invoiceJson(invoice, { dialect: call.dialect, audit: new Map() }, false));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/invoices/pagination',
    operationId: 'getInvoices',
    area,
    summary: 'List invoices without their items',
    permission: 'NONE',
    query: { ...pageParameters, ...auditParameter },
    success: { status: 200, body: listOf(Invoice), paged: true },
    async handle(call) {
      const { rows, total, max } = await call.billing.invoices.page(call.context, call.query);
      const audit = await auditOf(call, rows.flatMap(auditedIdsOfInvoice));
      const invoices = rows.map((row) => invoiceJson(row, { dialect: call.dialect, audit }));
      return page(invoices, { ...call.query, total, max });
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/invoices/{invoiceId}',
    operationId: 'getInvoice',
    area,
    summary: 'Get an invoice with its items',
    permission: 'NONE',
    query: auditParameter,
    success: { status: 200, body: Invoice },
    fails: [ErrorCode.INVOICE_NOT_FOUND],
    async handle(call) {
      const invoice = await call.billing.getInvoice(call.context, call.params.invoiceId);
      const audit = await auditOf(call, auditedIdsOfInvoice(invoice));
      return json(invoiceJson(invoice, { dialect: call.dialect, audit }));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/invoices',
    operationId: 'getInvoicesForAccount',
    area,
    summary: 'List the invoices of an account by target date',
    permission: 'NONE',
    query: {
      startDate: moment,
      endDate: moment,
      withMigrationInvoices: flag(),
      unpaidInvoicesOnly: flag(),
      includeVoidedInvoices: flag(),
      includeInvoiceComponents: flag(),
      invoicesFilter: uuidList,
      ...auditParameter,
    },
    success: { status: 200, body: listOf(Invoice) },
    fails: noSuchAccount,
    async handle(call) {
      const { accountId } = call.params;
      const { query, dialect } = call;
      refuseContradictions(query);
      const startDate = await requestedDay(call, accountId, query.startDate);
      const endDate = await requestedDay(call, accountId, query.endDate);
      const invoices = await call.billing.invoices.ofAccount(call.context, {
        accountId,
        withItems: query.includeInvoiceComponents,
        includeVoided: query.includeVoidedInvoices,
        withMigration: query.withMigrationInvoices,
        unpaidOnly: query.unpaidInvoicesOnly,
        ...(startDate === null ? {} : { startDate }),
        ...(endDate === null ? {} : { endDate }),
        ...(query.invoicesFilter.length === 0 ? {} : { ids: query.invoicesFilter }),
      });
      const audit = await auditOf(call, invoices.flatMap(auditedIdsOfInvoice));
      return json(invoices.map((invoice) => invoiceJson(invoice, { dialect, audit })));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/invoices/pagination',
    operationId: 'getInvoicesForAccountPaginated',
    area,
    summary: 'List the invoices of an account by pages, without their items',
    permission: 'NONE',
    query: { ...pageParameters, ...auditParameter },
    success: { status: 200, body: listOf(Invoice), paged: true },
    fails: noSuchAccount,
    async handle(call) {
      const { billing, context, params, query, dialect } = call;
      const { rows, total, max } = await billing.invoices.pageOfAccount(context, params.accountId, query);
      const audit = await auditOf(call, rows.flatMap(auditedIdsOfInvoice));
      const invoices = rows.map((row) => invoiceJson(row, { dialect, audit }));
      return page(invoices, { ...query, total, max });
    },
  }),
];

function checkDryRunType(type: DryRunType): void {
  if (type === DryRunType.TARGET_DATE) return;
  throw new BillingError({
    code: ErrorCode.NOT_IMPLEMENTED,
    message: `Dry runs of type ${type} are not offered by this version; use ${DryRunType.TARGET_DATE}`,
  });
}

/** http-api.md §13.1 note 20. */
function refuseContradictions(query: {
  readonly startDate: unknown;
  readonly unpaidInvoicesOnly: boolean;
  readonly withMigrationInvoices: boolean;
  readonly includeInvoiceComponents: boolean;
}): void {
  const { unpaidInvoicesOnly, withMigrationInvoices, includeInvoiceComponents, startDate } = query;
  const isContradictory =
    (unpaidInvoicesOnly && (withMigrationInvoices || includeInvoiceComponents)) ||
    (withMigrationInvoices && startDate !== null);
  if (!isContradictory) return;
  throw new BillingError({
    code: ErrorCode.MISSING_OR_INVALID_FIELD,
    message:
      'unpaidInvoicesOnly excludes withMigrationInvoices and includeInvoiceComponents, and withMigrationInvoices excludes startDate',
  });
}
