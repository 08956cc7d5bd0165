import { z } from 'zod';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { pageParameters, pluginProperties } from '../../wire/query.ts';
import { perDialect } from '../../wire/wire-type.ts';

/** By account id, `OK` or the name of an error. */
const outcomes = {
  answer: perDialect(() => z.record(z.string(), z.string())),
  json: { type: 'object', additionalProperties: { type: 'string' } },
} as const;

/** The run of accounts that automatic runs pass over (platform §11). */
export const parkedAccountRoutes: readonly Route[] = [
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/admin/invoices',
    operationId: 'triggerInvoiceGenerationForParkedAccounts',
    area: 'admin',
    summary: 'Invoice accounts that automatic runs pass over, one page of them; those that succeed go on',
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
