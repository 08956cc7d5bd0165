import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { InvoiceItemExplanation } from '../../models/item-explanation.ts';
import { json } from '../../routing/answer.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { unaudited } from '../../wire/wire-type.ts';

/** Explanations of invoice items, an addition of this product. */
export const itemExplanationRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/invoiceItems/{invoiceItemId}/explanation',
    operationId: 'explainInvoiceItem',
    area: 'invoices',
    summary:
      'Tell how the amount of an invoice item came about: events, price, days, rounding, as data and as text',
    permission: 'NONE',
    success: { status: 200, body: InvoiceItemExplanation },
    fails: [ErrorCode.INVOICE_ITEM_NOT_FOUND],
    async handle({ billing, context, dialect, params }) {
      const explanation = await billing.invoices.explain(context, params.invoiceItemId);
      return json(InvoiceItemExplanation.write(explanation, unaudited(dialect)));
    },
  }),
];
