import { z } from 'zod';
import type { Billing } from '../../../../lib/billing.ts';
import { DryRunType, type GenerateRequest } from '../../../../lib/index.ts';
import type { CallContext } from '../../../../lib/records/index.ts';
import { ErrorCode, invalidField, invalidParameter } from '../../../../lib/values/errors/index.ts';
import { isUuid, type Uuid } from '../../../../lib/values/ids/index.ts';
import { type LocalDate, localDateOf, type WireMoment } from '../../../../lib/values/time/index.ts';
import { Dialect } from '../../dialect.ts';
import {
  auditedIdsOfInvoice,
  checkBundleNamed,
  dryRunOf,
  Invoice,
  InvoiceDryRun,
  InvoiceNote,
  shownDryRun,
} from '../../models/invoice.ts';
import { nothing } from '../../routing/answer.ts';
import { auditParameter } from '../../routing/audited.ts';
import { jsonBody, optionalJsonBody } from '../../routing/body.ts';
import { type Route, type TenantCall, tenantRoute } from '../../routing/route.ts';
import { forbidUnknownFieldsInD, type RequestOf } from '../../wire/model.ts';
import {
  flag,
  moment,
  type PluginPropertyParameter,
  pageParameters,
  pluginProperties,
  type QueryOf,
  requiredParameter,
  uuidList,
  uuidParameter,
  withoutNulls,
} from '../../wire/query.ts';
import { listOf, perDialect, renderingWithoutAudit } from '../../wire/wire-type.ts';
import { changeErrors } from '../subscriptions/call-completion.ts';

/** Errors caused by items that invoice plugins return (invoicing §13). */
export const pluginItemErrors = [
  'INVOICE_NOT_FOUND',
  'INVOICE_ITEM_NOT_FOUND',
  'INVOICE_ITEM_TYPE_INVALID',
  'INVOICE_INVALID_DATE_SEQUENCE',
  'INVOICE_INVALID_FOR_INVOICE_ITEM_ADJUSTMENT',
  'INVOICE_VOID_UPDATED',
  'INVOICE_EXTERNAL_CHARGE_AMOUNT_INVALID',
  'INVOICE_CREDIT_AMOUNT_INVALID',
  'INVOICE_ITEM_ADJUSTMENT_AMOUNT_SHOULD_BE_POSITIVE',
  'INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID',
  'INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID',
] as const;

/** Errors for invoice plugins that veto an invoice or set its number. */
export const abortErrors = ['INVOICE_PLUGIN_API_ABORTED', 'INVOICE_INVALID_NUMBER'] as const;

const runErrors = [
  'INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE',
  'CURRENCY_INVALID',
  'INVOICE_BOUND_EXCEEDED',
] as const;

/** Additional errors of runs that involve invoice plugins. */
const generateErrors = [
  ...runErrors,
  'INVOICE_NOTHING_TO_DO',
  'INVOICE_ALREADY_COMMITTED',
  'INVOICE_INVALID_STATUS',
  'INVOICE_INVALID_NUMBER',
  ...pluginItemErrors,
] as const;

const generateQuery = {
  accountId: requiredParameter(uuidParameter),
  targetDate: moment,
  acceptBounds: flag(),
  pluginProperty: pluginProperties,
};
const generating = {
  permission: 'invoice:trigger',
  query: generateQuery,
  fails: generateErrors,
  statusOf: { [ErrorCode.INVOICE_NOTHING_TO_DO]: 404 },
} as const;

const actionErrors = [
  'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID',
  'SUBSCRIPTION_GET_INVALID_BUNDLE_ID',
  'SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER',
  'SUBSCRIPTION_INVALID_REQUESTED_DATE',
  'SUBSCRIPTION_CREATE_BP_EXISTS',
  'SUBSCRIPTION_CANCEL_BAD_STATE',
  ...changeErrors,
] as const;

const accountListQuery = {
  startDate: moment,
  endDate: moment,
  withMigrationInvoices: flag(),
  unpaidInvoicesOnly: flag(),
  includeVoidedInvoices: flag(),
  includeInvoiceComponents: flag(),
  invoicesFilter: uuidList,
  ...auditParameter,
};

const oneInvoice = {
  query: { withChildrenItems: flag(), ...auditParameter },
  shows: Invoice,
  auditedIds: auditedIdsOfInvoice,
};
const invoiceList = { shows: listOf(Invoice), auditedIds: auditedIdsOfInvoice };
const invoicePages = { ...invoiceList, query: { ...pageParameters, ...auditParameter } };

export const invoiceRoutes: readonly Route[] = [
  tenantRoute('createFutureInvoice', 'POST /invoices', {
    ...generating,
    summary: 'Invoice an account up to a date',
    creates: '/invoices/{invoiceId}',
    handle: async (call) => call.billing.generateInvoice(call.context, await requestedRun(call)),
  }),
  tenantRoute('createFutureInvoiceGroup', 'POST /invoices/group', {
    ...generating,
    summary: 'Invoice an account up to a date, with several invoices if a plugin splits the charges',
    success: { status: 201, location: '/invoices/{groupId}/group?accountId={accountId}' },
    async handle(call) {
      const [first] = await call.billing.invoices.generateGroup(call.context, await requestedRun(call));
      if (first === undefined) throw new Error('a run that is done makes an invoice');
      return { location: `/invoices/${first.groupId}/group?accountId=${first.accountId}` };
    },
  }),
  tenantRoute('getInvoicesGroup', 'GET /invoices/{groupId}/group', {
    summary: 'List the invoices of a run with their items',
    query: { accountId: requiredParameter(uuidParameter), withChildrenItems: flag(), ...auditParameter },
    ...invoiceList,
    handle: ({ billing, context, params, query: { accountId, withChildrenItems } }) =>
      billing.invoices.listGroup(context, { ...params, accountId, withChildrenItems }),
  }),
  tenantRoute('generateDryRunInvoice', 'POST /invoices/dryRun', {
    summary:
      'Preview the invoice of a run on a date, of the next run, or of a run after a subscription change; nothing is stored',
    permission: 'invoice:dry_run',
    changesNothing: true,
    query: {
      // Dialect K always requires this parameter. Dialect D requires the parameter only if the body specifies neither a
      // subscription nor a bundle.
      accountId: uuidParameter,
      targetDate: moment,
      explain: flag(),
      pluginProperty: pluginProperties,
    },
    body: optionalJsonBody(forbidUnknownFieldsInD(InvoiceDryRun)),
    success: { status: 200, emptyStatus: 204, body: Invoice },
    fails: [...runErrors, ...actionErrors, ...pluginItemErrors],
    async handle(call) {
      const { billing, context, body, dialect, query } = call;
      const accountId = query.accountId ?? (await accountOfDryRun(call));
      // In dialect K, the date defaults to now. In dialect D, the engine chooses the default (R53).
      const isNow = dialect === Dialect.K && body?.dryRunType === DryRunType.SUBSCRIPTION_ACTION;
      const now = isNow ? ({ kind: 'DATE_TIME', at: context.createdDate } as const) : null;
      const targetDate = await requestedDay(call, accountId, query.targetDate ?? now);
      const explain = query.explain && dialect === Dialect.D;
      const request = { ...dryRunOf(body, dialect), accountId, targetDate, explain };
      if (dialect === Dialect.K) checkBundleNamed(request);
      const invoice = await billing.invoices.dryRun(context, request);
      if (invoice === null) return nothing;
      return { json: Invoice.write(shownDryRun(invoice, dialect), renderingWithoutAudit(dialect)) };
    },
  }),
  tenantRoute('getInvoices', 'GET /invoices/pagination', {
    ...invoicePages,
    summary: 'List invoices without their items',
    handle: (call) => call.billing.invoices.page(call.context, call.query),
  }),
  tenantRoute('searchInvoices', 'GET /invoices/search/{searchKey}', {
    ...invoicePages,
    summary:
      'Search invoices by number, currency, id or account id, or by clauses (_q=1&…), without their items',
    handle: ({ billing, context, params, query }) =>
      billing.invoices.search(context, params.searchKey, query),
  }),
  tenantRoute('getInvoiceByNumber', 'GET /invoices/byNumber/{invoiceNumber}', {
    ...oneInvoice,
    summary: 'Get an invoice by number, with its items',
    fails: ['INVOICE_INVALID_NUMBER'],
    handle({ billing, context, params, query: { withChildrenItems } }) {
      // The operation rejects NaN as an invalid number.
      const number = /^\d+$/.test(params.invoiceNumber) ? Number(params.invoiceNumber) : Number.NaN;
      return billing.invoices.getByNumber(context, number, { withChildrenItems });
    },
  }),
  tenantRoute('getInvoiceByItemId', 'GET /invoices/byItemId/{itemId}', {
    ...oneInvoice,
    summary: 'Get the invoice of an item, with its items',
    handle: ({ billing, context, params, query: { withChildrenItems } }) =>
      billing.invoices.getByItem(context, params.itemId, { withChildrenItems }),
  }),
  tenantRoute('commitInvoice', 'PUT /invoices/{invoiceId}/commitInvoice', {
    summary: 'Commit a draft invoice, which makes it payable',
    permission: 'invoice:commit',
    query: { pluginProperty: pluginProperties },
    fails: ['INVOICE_INVALID_STATUS', 'INVOICE_PLUGIN_API_ABORTED'],
    handle: (call) => call.billing.invoices.commit(call.context, call.params.invoiceId),
  }),
  tenantRoute('setInvoiceNote', 'PUT /invoices/{invoiceId}/note', {
    summary: 'Set the note of a draft invoice, which documents show to their reader',
    permission: 'invoice:commit',
    body: jsonBody(InvoiceNote),
    fails: ['INVOICE_INVALID_STATUS'],
    handle: ({ billing, context, params, body }) =>
      billing.invoices.setNote(context, { invoiceId: params.invoiceId, note: body?.note }),
  }),
  tenantRoute('voidInvoice', 'PUT /invoices/{invoiceId}/voidInvoice', {
    summary: 'Void an invoice; the next run bills its charges again',
    permission: 'invoice:void',
    query: { pluginProperty: pluginProperties },
    fails: [
      'INVOICE_PLUGIN_API_ABORTED',
      'INVOICE_INVALID_STATUS',
      'INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_PAID',
      'INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_REPAIRED',
      'INVOICE_CAN_NOT_VOID_INVOICE_THAT_GENERATED_USED_CREDIT',
    ],
    handle: (call) => call.billing.invoices.void(call.context, call.params.invoiceId),
  }),
  tenantRoute('getInvoice', 'GET /invoices/{invoiceId}', {
    ...oneInvoice,
    summary: 'Get an invoice with its items',
    handle: ({ billing, context, params, query: { withChildrenItems } }) =>
      billing.getInvoice(context, params.invoiceId, { withChildrenItems }),
  }),
  tenantRoute('getInvoicesForAccount', 'GET /accounts/{accountId}/invoices', {
    area: 'invoices',
    summary: 'List the invoices of an account by target date',
    query: accountListQuery,
    ...invoiceList,
    async handle(call) {
      const { query, params } = call;
      const { accountId } = params;
      refuseContradictions(query);
      const startDate = await requestedDay(call, accountId, query.startDate);
      const endDate = await requestedDay(call, accountId, query.endDate);
      return call.billing.invoices.ofAccount(call.context, {
        accountId,
        withItems: query.includeInvoiceComponents,
        includeVoided: query.includeVoidedInvoices,
        withMigration: query.withMigrationInvoices,
        unpaidOnly: query.unpaidInvoicesOnly,
        ...withoutNulls({ startDate, endDate }),
        ...(query.invoicesFilter.length === 0 ? {} : { ids: query.invoicesFilter }),
      });
    },
  }),
  tenantRoute('getInvoicesForAccountPaginated', 'GET /accounts/{accountId}/invoices/pagination', {
    ...invoicePages,
    area: 'invoices',
    summary: 'List the invoices of an account without their items, with pagination',
    handle: ({ billing, context, params, query }) =>
      billing.invoices.pageOfAccount(context, params.accountId, query),
  }),
];

type RunCall = Pick<TenantCall<string, typeof generateQuery, unknown>, 'billing' | 'context' | 'query'>;

async function requestedRun(call: RunCall): Promise<GenerateRequest> {
  const { accountId, acceptBounds, pluginProperty } = call.query;
  const targetDate = await requestedDay(call, accountId, call.query.targetDate);
  return { accountId, targetDate, acceptBounds, ...requestedDraft(pluginProperty) };
}

/** Returns the draft options that the plugin properties specify (invoicing §8.3). */
function requestedDraft(properties: readonly PluginPropertyParameter[]) {
  const findProperty = (name: string) => properties.findLast(({ key }) => key === name)?.value ?? null;
  const draftId = findProperty('KB_REUSE_DRAFT_INVOICING_ID')?.toLowerCase() ?? null;
  if (draftId !== null && !isUuid(draftId))
    throw invalidParameter('pluginProperty KB_REUSE_DRAFT_INVOICING_ID must be the id of an invoice');
  return { reuseDraft: findProperty('KB_AUTO_INVOICING_REUSE_DRAFT') === 'true', draftId };
}

/**
 * Returns the account of a dry run. In dialect D, the subscription or bundle in the request can determine the account
 * (http-api §4 line 23).
 */
async function accountOfDryRun({ billing, context, body, dialect }: DryRunCall): Promise<Uuid> {
  const { subscriptionId, bundleId } = dryRunOf(body, dialect);
  if (dialect === Dialect.D && subscriptionId)
    return (await billing.getSubscription(context, subscriptionId)).accountId;
  if (dialect === Dialect.D && bundleId) return (await billing.bundles.get(context, bundleId)).accountId;
  throw invalidField('Query parameter accountId needs to be set', { field: 'accountId' });
}

type DryRunCall = Pick<
  TenantCall<'POST /invoices/dryRun', never, RequestOf<typeof InvoiceDryRun.fields> | null>,
  'billing' | 'context' | 'body' | 'dialect'
>;

/** invoicing §15. */
function refuseContradictions({
  startDate,
  unpaidInvoicesOnly,
  withMigrationInvoices,
  includeInvoiceComponents,
}: QueryOf<typeof accountListQuery>): void {
  const isContradictory =
    (unpaidInvoicesOnly && (withMigrationInvoices || includeInvoiceComponents)) ||
    (withMigrationInvoices && startDate !== null);
  if (!isContradictory) return;
  throw invalidField(
    'unpaidInvoicesOnly excludes withMigrationInvoices and includeInvoiceComponents, and withMigrationInvoices excludes startDate',
  );
}

/** Returns the day of a parameter. A date-time is converted to the account's time zone (http-api §9 rule 3). */
export async function requestedDay(
  call: { readonly billing: Billing; readonly context: CallContext },
  accountId: Uuid,
  moment: WireMoment | null,
): Promise<LocalDate | null> {
  if (moment === null) return null;
  if (moment.kind === 'DATE') return moment.date;
  const { timeZone } = await call.billing.getAccount(call.context, accountId);
  return localDateOf(moment.at, timeZone);
}

/** Outcomes by account id. An outcome is `OK` or the name of an error. */
const outcomes = {
  answer: perDialect(() => z.record(z.string(), z.string())),
  json: { type: 'object', additionalProperties: { type: 'string' } },
} as const;

/** Routes for accounts that automatic runs skip (platform §11). */
export const parkedAccountRoutes: readonly Route[] = [
  tenantRoute('triggerInvoiceGenerationForParkedAccounts', 'POST /admin/invoices', {
    area: 'admin',
    summary: 'Invoice one page of parked accounts, and resume automatic invoicing of those that succeed',
    permission: 'invoice:trigger',
    query: { ...pageParameters, pluginProperty: pluginProperties },
    success: { status: 200, body: outcomes, paged: true },
    async handle({ billing, context, query }) {
      const { rows, ...counts } = await billing.invoices.generateForParked(context, query);
      const { offset, limit } = query;
      return {
        json: Object.fromEntries(rows.map(({ accountId, error }) => [accountId, error ?? 'OK'])),
        page: { offset, limit, returned: rows.length, ...counts },
      };
    },
  }),
];
