import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { page } from '../../routing/answer.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { pageParameters } from '../../wire/query.ts';
import { text } from '../../wire/scalars.ts';
import { listOf } from '../../wire/wire-type.ts';

/** The usage on an invoice, however many ids it has (usage §7.6). */
export const invoiceTrackingIdRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/invoices/{invoiceId}/trackingIds',
    operationId: 'getInvoiceTrackingIds',
    summary: 'List by pages the tracking ids of the usage that an invoice bills',
    permission: 'NONE',
    query: pageParameters,
    success: { status: 200, body: listOf(text()), paged: true },
    fails: [ErrorCode.INVOICE_NOT_FOUND],
    async handle({ billing, context, params, query }) {
      const { rows, total, max } = await billing.invoices.trackingIds(context, params.invoiceId, query);
      return page(rows, { ...query, total, max });
    },
  }),
];
