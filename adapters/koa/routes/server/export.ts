import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { Dialect } from '../../dialect.ts';
import { streamedText } from '../../routing/answer.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';

export const exportRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/export/{accountId}',
    operationId: 'exportDataForAccount',
    summary: 'Get everything that is kept of an account, as lines of text by table',
    permission: 'admin:export',
    success: { status: 201, statusInK: 200, mediaTypes: ['application/octet-stream'] },
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
    async handle({ billing, context, dialect, params }) {
      const pieces = await billing.accounts.export(context, params.accountId);
      // http-api §4 line 8
      return { ...streamedText(pieces), ...(dialect === Dialect.K ? { status: 200 } : {}) };
    },
  }),
];
