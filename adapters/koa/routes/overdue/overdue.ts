import { OverdueFormat } from '../../../../lib/overdue/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { Overdue } from '../../models/overdue.ts';
import { created, json, plain } from '../../routing/answer.ts';
import { documentBody, XML_TYPES, xmlBody } from '../../routing/body.ts';
import { type RequestSent, type Route, tenantRoute } from '../../routing/route.ts';
import { unaudited } from '../../wire/wire-type.ts';

const JSON_TYPE = 'application/json';
const uploaded = { status: 201, location: '/overdue' } as const;
const uploadFails = [ErrorCode.OVERDUE_INVALID_FOR_TENANT];

/** What happens to those who do not pay (overdue §10). */
export const overdueRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/overdue',
    operationId: 'getOverdueConfigJson',
    summary: 'Get the overdue configuration in force, as JSON or XML',
    permission: 'NONE',
    success: { status: 200, body: Overdue, mediaTypes: [JSON_TYPE, ...XML_TYPES] },
    async handle({ billing, context, dialect, mediaType }) {
      if (mediaType !== JSON_TYPE) return plain(await billing.overdue.getXml(context));
      return json(Overdue.write(await billing.overdue.get(context), unaudited(dialect)));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/overdue/xml',
    operationId: 'getOverdueConfigXml',
    summary: 'Get the overdue configuration in force as XML: the text that was uploaded, if it was XML',
    permission: 'NONE',
    success: { status: 200, mediaTypes: XML_TYPES },
    handle: async ({ billing, context }) => plain(await billing.overdue.getXml(context)),
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/overdue',
    operationId: 'uploadOverdueConfigJson',
    summary: 'Replace the overdue configuration by one in JSON or XML; with an error in it nothing is stored',
    permission: 'overdue:config_upload',
    body: documentBody(Overdue),
    success: uploaded,
    fails: uploadFails,
    async handle({ billing, context, body, sent }) {
      await billing.overdue.upload(context, body, formatSent(sent));
      return created('/overdue');
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/overdue/xml',
    operationId: 'uploadOverdueConfigXml',
    summary: 'Replace the overdue configuration by one in XML; with an error in it nothing is stored',
    permission: 'overdue:config_upload',
    body: xmlBody,
    success: uploaded,
    fails: uploadFails,
    async handle({ billing, context, body }) {
      await billing.overdue.upload(context, body, { format: OverdueFormat.XML });
      return created('/overdue');
    },
  }),
];

/** A body without a type is what it looks like (http-api §3 rule 1). */
function formatSent({ headers }: RequestSent): { readonly format?: OverdueFormat } {
  const type = headers['content-type'];
  if (type === undefined) return {};
  return { format: type.trim().toLowerCase().startsWith(JSON_TYPE) ? OverdueFormat.JSON : OverdueFormat.XML };
}
