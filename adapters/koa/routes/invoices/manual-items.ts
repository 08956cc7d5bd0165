import type { CallContext, InvoiceItemView, ManualItemsRequest } from '../../../../lib/index.ts';
import { itemTypes } from '../../../../lib/records/index.ts';
import { ErrorCode, invalidField } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import type { Dialect } from '../../dialect.ts';
import {
  InvoiceItem,
  InvoiceItemAdjustment,
  ManualInvoiceItem,
  MigrationInvoiceItem,
} from '../../models/invoice.ts';
import { type Answer, created, json } from '../../routing/answer.ts';
import { jsonBody, jsonListBody } from '../../routing/body.ts';
import { type Route, type TenantCall, tenantRoute } from '../../routing/route.ts';
import { flag, moment, pluginProperties, required, uuidParameter } from '../../wire/query.ts';
import { listOf, unaudited } from '../../wire/wire-type.ts';
import { abortErrors, pluginItemErrors } from './plugin-errors.ts';
import { requestedDay } from './requested-day.ts';

const manualParameters = {
  requestedDate: moment,
  autoCommit: flag(),
  pluginProperty: pluginProperties,
};
const body = jsonListBody(ManualInvoiceItem, ManualInvoiceItem.name);
const migrationBody = jsonListBody(MigrationInvoiceItem, MigrationInvoiceItem.name);
const success = { status: 201, body: listOf(InvoiceItem) } as const;
const fails = [
  ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
  ErrorCode.CURRENCY_INVALID,
  ErrorCode.INVOICE_INVALID_STATUS,
  ErrorCode.INVOICE_ALREADY_COMMITTED,
  ...abortErrors,
  ...pluginItemErrors,
];

type AddCall = TenantCall<string, typeof manualParameters, NonNullable<ReturnType<typeof body.read>>>;
type Add = (context: CallContext, request: ManualItemsRequest) => Promise<readonly InvoiceItemView[]>;

export const manualItemRoutes: readonly Route[] = [
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/invoices/charges/{accountId}',
    operationId: 'createExternalCharges',
    summary: 'Add external charges, on a new invoice or on drafts',
    permission: 'account:charge',
    query: manualParameters,
    body,
    success,
    fails,
    handle: (call) => add(call, call.params.accountId, call.billing.invoices.addCharges),
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/invoices/taxes/{accountId}',
    operationId: 'createTaxItems',
    summary: 'Add taxes, on a new invoice or on drafts',
    permission: 'account:charge',
    query: manualParameters,
    body,
    success,
    fails,
    handle: (call) => add(call, call.params.accountId, call.billing.invoices.addTaxes),
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/invoices/migration/{accountId}',
    operationId: 'createMigrationInvoice',
    summary: 'Store an invoice that another system has made; it counts in no balance',
    permission: 'invoice:trigger',
    query: { targetDate: moment, pluginProperty: pluginProperties },
    body: migrationBody,
    success: { status: 201, location: '/invoices/{invoiceId}' },
    fails: [
      ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
      ErrorCode.CURRENCY_INVALID,
      ErrorCode.INVOICE_INVALID_DATE_SEQUENCE,
      ...abortErrors,
    ],
    async handle(call) {
      const { accountId } = call.params;
      const targetDate = await requestedDay(call, accountId, call.query.targetDate);
      const items = call.body.map(withLinkedItem);
      const invoice = await call.billing.invoices.createMigrationInvoice(call.context, {
        accountId,
        items,
        targetDate,
      });
      return created(`/invoices/${invoice.id}`);
    },
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/1.0/kb/invoices/{invoiceId}/{invoiceItemId}/cba',
    operationId: 'deleteCBA',
    summary: 'Delete an item of account credit: what was used comes back, what was given goes',
    permission: 'invoice:delete_cba',
    query: { accountId: required(uuidParameter), pluginProperty: pluginProperties },
    fails: [
      ErrorCode.INVOICE_PLUGIN_API_ABORTED,
      ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
      ErrorCode.INVOICE_NOT_FOUND,
      ErrorCode.INVOICE_ITEM_NOT_FOUND,
      ErrorCode.INVOICE_ITEM_TYPE_INVALID,
      ErrorCode.INVOICE_CBA_DELETED,
    ],
    handle: ({ billing, context, params, query }) =>
      billing.invoices.deleteCredit(context, { ...params, accountId: query.accountId }),
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/invoices/{invoiceId}',
    operationId: 'adjustInvoiceItem',
    summary: 'Take an amount off an item of an invoice, by default all that remains',
    permission: 'invoice:item_adjust',
    query: { requestedDate: moment, pluginProperty: pluginProperties },
    body: { ...jsonBody(InvoiceItemAdjustment), needed: ['accountId', 'invoiceItemId'] },
    success: { status: 201, location: '/invoices/{invoiceId}' },
    fails: [
      ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
      ErrorCode.CURRENCY_INVALID,
      ErrorCode.INVOICE_NOTHING_TO_DO,
      ErrorCode.INVOICE_PLUGIN_API_ABORTED,
      ...pluginItemErrors,
    ],
    statusOf: { [ErrorCode.INVOICE_NOTHING_TO_DO]: 404 },
    async handle(call) {
      const { invoiceId } = call.params;
      const accountId = named(call.body.accountId, 'accountId');
      const invoiceItemId = named(call.body.invoiceItemId, 'invoiceItemId');
      const requestedDate = await requestedDay(call, accountId, call.query.requestedDate);
      await call.billing.invoices.adjustItem(call.context, {
        ...call.body,
        accountId,
        invoiceId,
        invoiceItemId,
        requestedDate,
      });
      return created(`/invoices/${invoiceId}`);
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/credits',
    operationId: 'createCredits',
    summary: 'Give credits to an account, as account credit or on drafts',
    permission: 'account:credit',
    query: manualParameters,
    body: { ...body, needed: ['accountId'] },
    success,
    fails,
    handle: (call) => add(call, accountOf(call.body), call.billing.invoices.addCredits),
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/credits/{creditId}',
    operationId: 'getCredit',
    summary: 'Get a credit by the id of its item',
    permission: 'NONE',
    success: { status: 200, body: InvoiceItem },
    fails: [ErrorCode.INVOICE_NO_SUCH_CREDIT],
    async handle(call) {
      const credit = await call.billing.invoices.getCredit(call.context, call.params.creditId);
      return json(itemJson(credit, call.dialect));
    },
  }),
  tenantRoute({
    method: 'PUT',
    path: '/1.0/kb/accounts/{accountId}/cbaRebalancing',
    operationId: 'rebalanceExistingCBAOnAccount',
    summary: "Use an account's credit on its unpaid invoices",
    permission: 'invoice:delete_cba',
    query: { pluginProperty: pluginProperties },
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID, ErrorCode.INVOICE_PLUGIN_API_ABORTED],
    handle: ({ billing, context, params }) => billing.accounts.rebalanceCredit(context, params.accountId),
  }),
  tenantRoute({
    method: 'PUT',
    path: '/1.0/kb/accounts/{childAccountId}/transferCredit',
    operationId: 'transferChildCreditToParent',
    summary: 'Move all credit of a child account to its parent',
    permission: 'invoice:delete_cba',
    query: { pluginProperty: pluginProperties },
    fails: [
      ...abortErrors,
      ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
      ErrorCode.ACCOUNT_DOES_NOT_HAVE_PARENT_ACCOUNT,
      ErrorCode.INVOICE_CHILD_ACCOUNT_MISSING_CREDIT,
      ErrorCode.CURRENCY_INVALID,
    ],
    handle: ({ billing, context, params }) =>
      billing.accounts.transferCreditToParent(context, params.childAccountId),
  }),
];

async function add(call: AddCall, accountId: Uuid, operation: Add): Promise<Answer> {
  const requestedDate = await requestedDay(call, accountId, call.query.requestedDate);
  const { autoCommit } = call.query;
  const added = call.body.map(withLinkedItem);
  const items = await operation(call.context, { accountId, items: added, requestedDate, autoCommit });
  return json(items.map((item) => itemJson(item, call.dialect)));
}

function withLinkedItem<I extends { readonly linkedInvoiceItemId?: Uuid | null | undefined }>(item: I) {
  const { linkedInvoiceItemId, ...rest } = item;
  return { ...rest, linkedItemId: linkedInvoiceItemId };
}

/** Credits are stored negative and shown positive (invoicing §9 rule 1). */
function itemJson(item: InvoiceItemView, dialect: Dialect) {
  const amount = itemTypes[item.itemType].kind === 'CREDIT' ? item.amount.negated() : item.amount;
  return InvoiceItem.write({ ...item, amount }, unaudited(dialect));
}

/** The account of the first credit, which is that of all (invoicing §15). */
function accountOf(items: readonly { readonly accountId?: Uuid | null }[]): Uuid {
  const [first] = items;
  if (first === undefined) throw invalidField('InvoiceItemJson body should be specified');
  const accountId = named(first.accountId, 'accountId');
  if (items.every((item) => item.accountId === accountId)) return accountId;
  throw invalidField('InvoiceItemJson accountId should be the same for each element');
}

function named(id: Uuid | null | undefined, name: string): Uuid {
  if (id != null) return id;
  throw invalidField(`InvoiceItemJson ${name} needs to be set`);
}
