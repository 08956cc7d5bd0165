import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { CatalogChangeReport, changeReportJson } from '../../models/catalog-change-report.ts';
import { streamedJson } from '../../routing/answer.ts';
import { xmlBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { unaudited } from '../../wire/wire-type.ts';

export const catalogChangeReportRoutes: readonly Route[] = [
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/catalog/xml/changeReport',
    operationId: 'reportCatalogChanges',
    summary: 'Show which live subscriptions an XML catalog would change in price, without storing it',
    permission: 'catalog:config_upload',
    changesNothing: true,
    body: xmlBody,
    success: { status: 200, body: CatalogChangeReport },
    fails: [ErrorCode.CATALOG_INVALID_FOR_TENANT],
    async handle({ billing, context, body, dialect }) {
      const parts = await billing.catalogs.changeReport(context, body);
      return streamedJson(changeReportJson(parts, unaudited(dialect)));
    },
  }),
];
