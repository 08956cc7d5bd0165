import { type CallContext, DryRunType, type GenerateRequest } from '../../../../lib/index.ts';
import { ErrorCode, invalidField, invalidParameter } from '../../../../lib/values/errors/index.ts';
import { isUuid, type Uuid } from '../../../../lib/values/ids/index.ts';
import type { WireMoment } from '../../../../lib/values/time/index.ts';
import { Dialect } from '../../dialect.ts';
import { auditedIdsOfInvoice, dryRunOf, Invoice, InvoiceDryRun, shownDryRun } from '../../models/invoice.ts';
import { created, json, nothing } from '../../routing/answer.ts';
import { optionalJsonBody } from '../../routing/body.ts';
import { type Route, type TenantCall, tenantRoute } from '../../routing/route.ts';
import {
  flag,
  moment,
  type PluginPropertyParameter,
  pageParameters,
  pluginProperties,
  required,
  uuidList,
  uuidParameter,
} from '../../wire/query.ts';
import { listOf, unaudited } from '../../wire/wire-type.ts';
import { audited, auditedList, auditedPage, auditParameter } from '../objects/audit.ts';
import { pluginItemErrors } from './plugin-errors.ts';
import { requestedDay } from './requested-day.ts';

const area = 'invoices';
const auditedInvoice = { write: Invoice.write, idsOf: auditedIdsOfInvoice };
const noSuchAccount = [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID];
const runErrors = [
  ...noSuchAccount,
  ErrorCode.INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE,
  ErrorCode.CURRENCY_INVALID,
  ErrorCode.INVOICE_BOUND_EXCEEDED,
];

/** What a run is refused for besides, where invoice plugins have a say. */
const generateErrors = [
  ...runErrors,
  ErrorCode.INVOICE_NOTHING_TO_DO,
  ErrorCode.INVOICE_ALREADY_COMMITTED,
  ErrorCode.INVOICE_INVALID_STATUS,
  ErrorCode.INVOICE_INVALID_NUMBER,
  ...pluginItemErrors,
];

const generateQuery = {
  accountId: required(uuidParameter),
  targetDate: moment,
  acceptBounds: flag(),
  pluginProperty: pluginProperties,
};

/** Errors of a hypothetical action, as those of the operation itself. */
const actionErrors = [
  ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
  ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID,
  ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER,
  ErrorCode.SUBSCRIPTION_INVALID_REQUESTED_DATE,
  ErrorCode.SUBSCRIPTION_CREATE_BAD_PHASE,
  ErrorCode.SUBSCRIPTION_CREATE_BP_EXISTS,
  ErrorCode.SUBSCRIPTION_CHANGE_NON_ACTIVE,
  ErrorCode.SUBSCRIPTION_CHANGE_FUTURE_CANCELLED,
  ErrorCode.SUBSCRIPTION_CHANGE_INVALID,
  ErrorCode.SUBSCRIPTION_CHANGE_FUTURE_EXPIRED,
  ErrorCode.SUBSCRIPTION_CANCEL_BAD_STATE,
  ErrorCode.CATALOG_ILLEGAL_CHANGE_REQUEST,
  ErrorCode.CATALOG_NO_SUCH_PLAN,
  ErrorCode.CATALOG_NO_SUCH_PRODUCT,
  ErrorCode.CATALOG_PLAN_NOT_FOUND,
  ErrorCode.CATALOG_PRICE_LIST_NOT_FOUND,
  ErrorCode.CATALOG_INVALID_PRICE_OVERRIDE,
  ErrorCode.BLOCKING_BLOCKED_ACTION,
];

export const invoiceRoutes: readonly Route[] = [
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/invoices',
    operationId: 'createFutureInvoice',
    summary: 'Invoice an account up to a date now',
    permission: 'invoice:trigger',
    query: generateQuery,
    success: { status: 201, location: '/invoices/{invoiceId}' },
    fails: generateErrors,
    statusOf: { [ErrorCode.INVOICE_NOTHING_TO_DO]: 404 },
    async handle(call) {
      const invoice = await call.billing.generateInvoice(call.context, await runAsked(call));
      return created(`/invoices/${invoice.id}`);
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/invoices/group',
    operationId: 'createFutureInvoiceGroup',
    summary: 'Invoice an account up to a date now, by several invoices where a plugin splits what is due',
    permission: 'invoice:trigger',
    query: generateQuery,
    success: { status: 201, location: '/invoices/{groupId}/group?accountId={accountId}' },
    fails: generateErrors,
    statusOf: { [ErrorCode.INVOICE_NOTHING_TO_DO]: 404 },
    async handle(call) {
      const [first] = await call.billing.invoices.generateGroup(call.context, await runAsked(call));
      if (first === undefined) throw new Error('a run that is done makes an invoice');
      return created(`/invoices/${first.groupId}/group?accountId=${first.accountId}`);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/invoices/{groupId}/group',
    operationId: 'getInvoicesGroup',
    summary: 'List the invoices that one run has made, with their items',
    permission: 'NONE',
    query: { accountId: required(uuidParameter), withChildrenItems: flag(), ...auditParameter },
    success: { status: 200, body: listOf(Invoice) },
    fails: [...noSuchAccount, ErrorCode.INVOICE_NOT_FOUND],
    async handle(call) {
      const { accountId, withChildrenItems } = call.query;
      const { groupId } = call.params;
      const request = { accountId, groupId, withChildrenItems };
      return auditedList(call, auditedInvoice, await call.billing.invoices.listGroup(call.context, request));
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/invoices/dryRun',
    operationId: 'generateDryRunInvoice',
    summary:
      'Show the invoice that a run at a date, the next run, or a run after an action would make; nothing is stored',
    permission: 'invoice:dry_run',
    changesNothing: true,
    query: { accountId: required(uuidParameter), targetDate: moment, pluginProperty: pluginProperties },
    body: optionalJsonBody(InvoiceDryRun),
    success: { status: 200, emptyStatus: 204, body: Invoice },
    fails: [...runErrors, ...actionErrors, ...pluginItemErrors],
    async handle(call) {
      const { accountId } = call.query;
      const asked = call.query.targetDate ?? dryRunMoment(call);
      const targetDate = await requestedDay(call, accountId, asked);
      const request = { ...dryRunOf(call.body, call.dialect), accountId, targetDate };
      const invoice = await call.billing.invoices.dryRun(call.context, request);
      if (invoice === null) return nothing;
      return json(Invoice.write(shownDryRun(invoice, call.dialect), unaudited(call.dialect)));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/invoices/pagination',
    operationId: 'getInvoices',
    summary: 'List invoices without their items',
    permission: 'NONE',
    query: { ...pageParameters, ...auditParameter },
    success: { status: 200, body: listOf(Invoice), paged: true },
    async handle(call) {
      return auditedPage(call, auditedInvoice, await call.billing.invoices.page(call.context, call.query));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/invoices/search/{searchKey}',
    operationId: 'searchInvoices',
    summary:
      'Search invoices by number, currency, id or account id, or by clauses (_q=1&…), without their items',
    permission: 'NONE',
    query: { ...pageParameters, ...auditParameter },
    success: { status: 200, body: listOf(Invoice), paged: true },
    async handle(call) {
      const { billing, context, params, query } = call;
      const found = await billing.invoices.search(context, params.searchKey, query);
      return auditedPage(call, auditedInvoice, found);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/invoices/byNumber/{invoiceNumber}',
    operationId: 'getInvoiceByNumber',
    summary: 'Get the invoice with a number, with its items',
    permission: 'NONE',
    query: { withChildrenItems: flag(), ...auditParameter },
    success: { status: 200, body: Invoice },
    fails: [ErrorCode.INVOICE_NUMBER_NOT_FOUND, ErrorCode.INVOICE_INVALID_NUMBER],
    async handle(call) {
      const { billing, context, params, query } = call;
      const { withChildrenItems } = query;
      // Anything but digits is no number, as the operation says.
      const number = /^\d+$/.test(params.invoiceNumber) ? Number(params.invoiceNumber) : Number.NaN;
      return audited(
        call,
        auditedInvoice,
        await billing.invoices.getByNumber(context, number, { withChildrenItems }),
      );
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/invoices/byItemId/{itemId}',
    operationId: 'getInvoiceByItemId',
    summary: 'Get the invoice that an item is on, with its items',
    permission: 'NONE',
    query: { withChildrenItems: flag(), ...auditParameter },
    success: { status: 200, body: Invoice },
    fails: [ErrorCode.INVOICE_ITEM_NOT_FOUND],
    async handle(call) {
      const { billing, context, params, query } = call;
      const { withChildrenItems } = query;
      const invoice = await billing.invoices.getByItem(context, params.itemId, { withChildrenItems });
      return audited(call, auditedInvoice, invoice);
    },
  }),
  tenantRoute({
    method: 'PUT',
    path: '/1.0/kb/invoices/{invoiceId}/commitInvoice',
    operationId: 'commitInvoice',
    summary: 'Commit a draft: it is owed from now on',
    permission: 'invoice:commit',
    query: { pluginProperty: pluginProperties },
    fails: [
      ErrorCode.INVOICE_NOT_FOUND,
      ErrorCode.INVOICE_INVALID_STATUS,
      ErrorCode.INVOICE_PLUGIN_API_ABORTED,
    ],
    handle: (call) => call.billing.invoices.commit(call.context, call.params.invoiceId),
  }),
  tenantRoute({
    method: 'PUT',
    path: '/1.0/kb/invoices/{invoiceId}/voidInvoice',
    operationId: 'voidInvoice',
    summary: 'Void an invoice: what it billed is billed again by the next run',
    permission: 'invoice:void',
    query: { pluginProperty: pluginProperties },
    fails: [
      ErrorCode.INVOICE_PLUGIN_API_ABORTED,
      ErrorCode.INVOICE_NOT_FOUND,
      ErrorCode.INVOICE_INVALID_STATUS,
      ErrorCode.INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_PAID,
      ErrorCode.INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_REPAIRED,
      ErrorCode.INVOICE_CAN_NOT_VOID_INVOICE_THAT_GENERATED_USED_CREDIT,
    ],
    handle: (call) => call.billing.invoices.void(call.context, call.params.invoiceId),
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/invoices/{invoiceId}',
    operationId: 'getInvoice',
    summary: 'Get an invoice with its items',
    permission: 'NONE',
    query: { withChildrenItems: flag(), ...auditParameter },
    success: { status: 200, body: Invoice },
    fails: [ErrorCode.INVOICE_NOT_FOUND],
    async handle(call) {
      const { withChildrenItems } = call.query;
      const { invoiceId } = call.params;
      const invoice = await call.billing.getInvoice(call.context, invoiceId, { withChildrenItems });
      return audited(call, auditedInvoice, invoice);
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
      const { query } = call;
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
      return auditedList(call, auditedInvoice, invoices);
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
      const { billing, context, params, query } = call;
      const found = await billing.invoices.pageOfAccount(context, params.accountId, query);
      return auditedPage(call, auditedInvoice, found);
    },
  }),
];

type RunCall = Pick<TenantCall<string, typeof generateQuery, unknown>, 'billing' | 'context' | 'query'>;

/** The run that a call asks for. */
async function runAsked(call: RunCall): Promise<GenerateRequest> {
  const { accountId, acceptBounds, pluginProperty } = call.query;
  const targetDate = await requestedDay(call, accountId, call.query.targetDate);
  return { accountId, targetDate, acceptBounds, ...draftAsked(pluginProperty) };
}

/** The plugin properties that say which draft a run adds to (invoicing §8.3). */
function draftAsked(properties: readonly PluginPropertyParameter[]) {
  const given = (name: string) => properties.findLast(({ key }) => key === name)?.value ?? null;
  const draftId = given('KB_REUSE_DRAFT_INVOICING_ID');
  return {
    reuseDraft: given('KB_AUTO_INVOICING_REUSE_DRAFT') === 'true',
    draftId: draftId === null ? null : uuidOrRefuse(draftId),
  };
}

function uuidOrRefuse(text: string): Uuid {
  const id = text.toLowerCase();
  if (isUuid(id)) return id;
  throw invalidParameter('pluginProperty KB_REUSE_DRAFT_INVOICING_ID has to be the id of an invoice');
}

/** http-api §13.1 note 20. */
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
  throw invalidField(
    'unpaidInvoicesOnly excludes withMigrationInvoices and includeInvoiceComponents, and withMigrationInvoices excludes startDate',
  );
}

/** What a dry run without a target date is as of: an action in dialect K is as of now, else the engine decides (R53). */
function dryRunMoment({
  body,
  dialect,
  context,
}: {
  readonly body: { readonly dryRunType?: string | null } | null;
  readonly dialect: Dialect;
  readonly context: CallContext;
}): WireMoment | null {
  const isAction = body?.dryRunType === DryRunType.SUBSCRIPTION_ACTION;
  return isAction && dialect === Dialect.K ? { kind: 'DATE_TIME', at: context.createdDate } : null;
}
