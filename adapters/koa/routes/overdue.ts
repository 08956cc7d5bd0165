import { OverdueFormat } from '../../../lib/overdue/index.ts';
import { Overdue, OverdueState } from '../models/overdue.ts';
import { OverdueAccount } from '../models/reports/report.ts';
import { documentBody, XML_TYPES, xmlBody } from '../routing/body.ts';
import { type RequestSent, type Route, tenantRoute } from '../routing/route.ts';
import { moment, pageParameters, plainText } from '../wire/query.ts';
import { listOf, renderingWithoutAudit } from '../wire/wire-type.ts';
import { requestedDay } from './invoices/invoices.ts';

const JSON_TYPE = 'application/json';
const uploads = {
  permission: 'overdue:config_upload',
  creates: '/overdue',
  fails: ['OVERDUE_INVALID_FOR_TENANT'],
} as const;

/** See overdue §10. */
export const overdueRoutes: readonly Route[] = [
  tenantRoute('getOverdueConfigJson', 'GET /overdue', {
    summary: 'Get the overdue configuration in force, as JSON or XML',
    success: { status: 200, body: Overdue, mediaTypes: [JSON_TYPE, ...XML_TYPES] },
    async handle({ billing, context, dialect, mediaType }) {
      if (mediaType !== JSON_TYPE) return { text: await billing.overdue.getXml(context) };
      return { json: Overdue.write(await billing.overdue.get(context), renderingWithoutAudit(dialect)) };
    },
  }),
  tenantRoute('getOverdueConfigXml', 'GET /overdue/xml', {
    summary: 'Get the overdue configuration in force as XML; an XML upload is returned unchanged',
    success: { status: 200, mediaTypes: XML_TYPES },
    handle: async ({ billing, context }) => ({ text: await billing.overdue.getXml(context) }),
  }),
  tenantRoute('uploadOverdueConfigJson', 'POST /overdue', {
    ...uploads,
    summary: 'Replace the overdue configuration with a valid JSON or XML document',
    body: documentBody(Overdue),
    handle: ({ billing, context, body, sent }) => billing.overdue.upload(context, body, formatSent(sent)),
  }),
  tenantRoute('uploadOverdueConfigXml', 'POST /overdue/xml', {
    ...uploads,
    summary: 'Replace the overdue configuration with a valid XML document',
    body: xmlBody,
    handle: ({ billing, context, body }) =>
      billing.overdue.upload(context, body, { format: OverdueFormat.XML }),
  }),
  tenantRoute('getOverdueAccounts', 'GET /overdue/accounts', {
    summary: 'List the accounts in an overdue state, by default in all states except the clear state',
    query: { state: plainText, ...pageParameters },
    shows: listOf(OverdueAccount),
    handle: ({ billing, context, query }) => billing.overdue.accounts(context, query),
  }),
  tenantRoute('getOverdueAccount', 'GET /accounts/{accountId}/overdue', {
    summary:
      'Get the overdue state of an account, or with asOf the predicted state on a day if nothing is paid or invoiced, in dialect D with the preceding states and reasons',
    query: { asOf: moment },
    shows: OverdueState,
    async handle(call) {
      const { billing, context, params, query } = call;
      const asOf = await requestedDay(call, params.accountId, query.asOf);
      if (asOf === null) return billing.overdue.ofAccount(context, params.accountId);
      const { state, steps, ...preview } = await billing.overdue.preview(context, params.accountId, asOf);
      const shownSteps = steps.map((step) => ({ ...step.state, date: step.date }));
      return { ...preview, ...state, asOf, steps: shownSteps };
    },
  }),
];

/** Returns the format of a body. If the request specifies no content type, detects the format (http-api §3 rule 1). */
function formatSent({ headers }: RequestSent): { readonly format?: OverdueFormat } {
  const type = headers['content-type'];
  if (type === undefined) return {};
  return { format: type.trim().toLowerCase().startsWith(JSON_TYPE) ? OverdueFormat.JSON : OverdueFormat.XML };
}
