import type { CallContext, InvoiceItemView, ManualItemsRequest } from '../../../../lib/index.ts';
import { itemTypes } from '../../../../lib/records/index.ts';
import { ErrorCode, invalidField } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { Dialect } from '../../dialect.ts';
import {
  InvoiceItem,
  InvoiceItemAdjustment,
  ManualInvoiceItem,
  MigrationInvoiceItem,
} from '../../models/invoice.ts';
import { InvoiceItemExplanation } from '../../models/item-explanation.ts';
import { jsonBody, jsonListBody } from '../../routing/body.ts';
import { type Route, type TenantCall, tenantRoute } from '../../routing/route.ts';
import {
  flag,
  moment,
  pageParameters,
  pluginProperties,
  requiredParameter,
  uuidParameter,
} from '../../wire/query.ts';
import { text } from '../../wire/scalars.ts';
import { listOf } from '../../wire/wire-type.ts';
import { abortErrors, pluginItemErrors, requestedDay } from './invoices.ts';

const manualParameters = { requestedDate: moment, autoCommit: flag(), pluginProperty: pluginProperties };
const body = jsonListBody(ManualInvoiceItem, ManualInvoiceItem.name);
const migrationBody = jsonListBody(MigrationInvoiceItem, MigrationInvoiceItem.name);
const manualErrors = [
  'CURRENCY_INVALID',
  'INVOICE_INVALID_STATUS',
  'INVOICE_ALREADY_COMMITTED',
  ...abortErrors,
  ...pluginItemErrors,
] as const;

const adding = {
  query: manualParameters,
  body,
  shows: listOf(InvoiceItem),
  success: { status: 201 },
  fails: manualErrors,
} as const;

type AddCall = TenantCall<string, typeof manualParameters, NonNullable<ReturnType<typeof body.read>>>;
type Add = (context: CallContext, request: ManualItemsRequest) => Promise<readonly InvoiceItemView[]>;

/** Routes for usage items (usage §7.6) and manual items (invoicing §9). */
export const invoiceItemRoutes: readonly Route[] = [
  tenantRoute('getInvoiceTrackingIds', 'GET /invoices/{invoiceId}/trackingIds', {
    summary: 'List the tracking ids of the usage billed by an invoice, with pagination',
    query: pageParameters,
    shows: listOf(text()),
    handle: ({ billing, context, params, query }) =>
      billing.invoices.trackingIds(context, params.invoiceId, query),
  }),
  tenantRoute('createExternalCharges', 'POST /invoices/charges/{accountId}', {
    ...adding,
    summary: 'Add external charges to a new invoice or to drafts',
    permission: 'account:charge',
    handle: (call) => add(call, call.params.accountId, call.billing.invoices.addCharges),
  }),
  tenantRoute('createTaxItems', 'POST /invoices/taxes/{accountId}', {
    ...adding,
    summary: 'Add taxes to a new invoice or to drafts',
    permission: 'account:charge',
    handle: (call) => add(withoutTaxed(call), call.params.accountId, call.billing.invoices.addTaxes),
  }),
  tenantRoute('createMigrationInvoice', 'POST /invoices/migration/{accountId}', {
    summary: 'Store an invoice from another system, which does not affect balances',
    permission: 'invoice:trigger',
    query: { targetDate: moment, pluginProperty: pluginProperties },
    body: migrationBody,
    creates: '/invoices/{invoiceId}',
    fails: ['CURRENCY_INVALID', 'INVOICE_INVALID_DATE_SEQUENCE', ...abortErrors],
    async handle(call) {
      const { accountId } = call.params;
      const targetDate = await requestedDay(call, accountId, call.query.targetDate);
      const items = call.body.map(withLinkedItem);
      return call.billing.invoices.createMigrationInvoice(call.context, { accountId, items, targetDate });
    },
  }),
  tenantRoute('deleteCBA', 'DELETE /invoices/{invoiceId}/{invoiceItemId}/cba', {
    summary: 'Delete an account credit item: used credit is returned, granted credit is removed',
    permission: 'invoice:delete_cba',
    query: { accountId: requiredParameter(uuidParameter), pluginProperty: pluginProperties },
    fails: ['INVOICE_PLUGIN_API_ABORTED', 'INVOICE_ITEM_TYPE_INVALID', 'INVOICE_CBA_DELETED'],
    handle: ({ billing, context, params, query }) =>
      billing.invoices.deleteCredit(context, { ...params, accountId: query.accountId }),
  }),
  tenantRoute('adjustInvoiceItem', 'POST /invoices/{invoiceId}', {
    summary: 'Adjust an invoice item by an amount, by default the remaining amount',
    permission: 'invoice:item_adjust',
    query: { requestedDate: moment, pluginProperty: pluginProperties },
    body: { ...jsonBody(InvoiceItemAdjustment), needed: ['accountId', 'invoiceItemId'] },
    creates: '/invoices/{invoiceId}',
    fails: [
      'ACCOUNT_DOES_NOT_EXIST_FOR_ID',
      'CURRENCY_INVALID',
      'INVOICE_NOTHING_TO_DO',
      'INVOICE_PLUGIN_API_ABORTED',
      ...pluginItemErrors,
    ],
    statusOf: { [ErrorCode.INVOICE_NOTHING_TO_DO]: 404 },
    async handle(call) {
      const { invoiceId } = call.params;
      const accountId = requireId(call.body.accountId, 'accountId');
      const invoiceItemId = requireId(call.body.invoiceItemId, 'invoiceItemId');
      const requestedDate = await requestedDay(call, accountId, call.query.requestedDate);
      const adjustment = { ...call.body, accountId, invoiceId, invoiceItemId, requestedDate };
      await call.billing.invoices.adjustItem(call.context, adjustment);
    },
  }),
  tenantRoute('createCredits', 'POST /credits', {
    ...adding,
    summary: 'Add credits to an account, as account credit or on drafts',
    permission: 'account:credit',
    body: { ...body, needed: ['accountId'] },
    fails: [...manualErrors, 'ACCOUNT_DOES_NOT_EXIST_FOR_ID'],
    handle: (call) => add(call, accountOf(call.body), call.billing.invoices.addCredits),
  }),
  tenantRoute('getCredit', 'GET /credits/{creditId}', {
    summary: 'Get a credit by the id of its invoice item',
    shows: InvoiceItem,
    handle: async ({ billing, context, params }) =>
      shownItem(await billing.invoices.getCredit(context, params.creditId)),
  }),
  tenantRoute('rebalanceExistingCBAOnAccount', 'PUT /accounts/{accountId}/cbaRebalancing', {
    summary: "Use an account's credit on its unpaid invoices",
    permission: 'invoice:delete_cba',
    query: { pluginProperty: pluginProperties },
    fails: ['INVOICE_PLUGIN_API_ABORTED'],
    handle: ({ billing, context, params }) => billing.accounts.rebalanceCredit(context, params.accountId),
  }),
  tenantRoute('transferChildCreditToParent', 'PUT /accounts/{childAccountId}/transferCredit', {
    summary: 'Move all credit of a child account to its parent',
    permission: 'invoice:delete_cba',
    query: { pluginProperty: pluginProperties },
    fails: [
      ...abortErrors,
      'ACCOUNT_DOES_NOT_HAVE_PARENT_ACCOUNT',
      'INVOICE_CHILD_ACCOUNT_MISSING_CREDIT',
      'CURRENCY_INVALID',
    ],
    handle: ({ billing, context, params }) =>
      billing.accounts.transferCreditToParent(context, params.childAccountId),
  }),
];

/**
 * Removes the reference to the taxed item from a request for a tax, because Kill Bill does not store this reference
 * (invoicing §9 rule 1).
 */
function withoutTaxed(call: AddCall): AddCall {
  if (call.dialect === Dialect.D) return call;
  return { ...call, body: call.body.map((item) => ({ ...item, linkedInvoiceItemId: null })) };
}

async function add(call: AddCall, accountId: Uuid, operation: Add): Promise<readonly InvoiceItemView[]> {
  const requestedDate = await requestedDay(call, accountId, call.query.requestedDate);
  const { autoCommit } = call.query;
  const added = call.body.map(withLinkedItem);
  const items = await operation(call.context, { accountId, items: added, requestedDate, autoCommit });
  return items.map(shownItem);
}

function withLinkedItem<I extends { readonly linkedInvoiceItemId?: Uuid | null | undefined }>(item: I) {
  const { linkedInvoiceItemId, ...rest } = item;
  return { ...rest, linkedItemId: linkedInvoiceItemId };
}

/**
 * Returns an item as shown in responses. Credits are stored with negative amounts but shown with positive amounts
 * (invoicing §9 rule 1).
 */
function shownItem(item: InvoiceItemView): InvoiceItemView {
  return itemTypes[item.itemType].kind === 'CREDIT' ? { ...item, amount: item.amount.negated() } : item;
}

/** Returns the account of the items. All credits of one call belong to the same account (invoicing §15). */
function accountOf(items: readonly { readonly accountId?: Uuid | null }[]): Uuid {
  const [first] = items;
  if (first === undefined) throw invalidField('InvoiceItemJson body should be specified');
  const accountId = requireId(first.accountId, 'accountId');
  if (items.every((item) => item.accountId === accountId)) return accountId;
  throw invalidField('InvoiceItemJson accountId should be the same for each element');
}

function requireId(id: Uuid | null | undefined, name: string): Uuid {
  if (id != null) return id;
  throw invalidField(`InvoiceItemJson ${name} needs to be set`);
}

export const itemExplanationRoutes: readonly Route[] = [
  tenantRoute('explainInvoiceItem', 'GET /invoiceItems/{invoiceItemId}/explanation', {
    area: 'invoices',
    summary:
      'Explain the amount of an invoice item by its events, price, days and rounding, as data and as text',
    shows: InvoiceItemExplanation,
    handle: ({ billing, context, params }) => billing.invoices.explain(context, params.invoiceItemId),
  }),
];
