import { ObjectType } from '../../../../lib/records/index.ts';
import { CustomField } from '../../models/custom-field.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { optionalChoice, pageParameters, plainText, required, textOrEmpty } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';
import { auditedPage, auditParameter } from './audit.ts';

const area = 'customFields';
const pageQuery = { ...pageParameters, ...auditParameter };
const success = { status: 200, body: listOf(CustomField), paged: true } as const;

/** The searches are spelled in two ways (http-api §13.1); the first name of each operation is the usual one. */
const searchPaths = [
  { prefix: '/1.0/kb/customFields', suffix: '' },
  { prefix: '/1.0/kb/customField', suffix: 'Alias' },
] as const;

/** Custom fields of the whole tenant. */
export const customFieldRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/customFields/pagination',
    operationId: 'getCustomFields',
    summary: 'List custom fields',
    permission: 'NONE',
    query: pageQuery,
    success,
    async handle(call) {
      return auditedPage(call, CustomField, await call.billing.customFields.page(call.context, call.query));
    },
  }),
  ...searchPaths.flatMap(({ prefix, suffix }) => [
    tenantRoute({
      method: 'GET',
      path: `${prefix}/search`,
      operationId: `searchCustomFieldsByTypeName${suffix}`,
      area,
      summary: 'Find custom fields by the type of their objects, their name and their value',
      permission: 'NONE',
      query: {
        objectType: required(optionalChoice(ObjectType)),
        fieldName: required(plainText),
        fieldValue: textOrEmpty,
        ...pageQuery,
      },
      success,
      async handle(call) {
        const { objectType, fieldName: name, fieldValue: value } = call.query;
        const { customFields } = call.billing;
        const found = await customFields.searchByName(call.context, { objectType, name, value }, call.query);
        return auditedPage(call, CustomField, found);
      },
    }),
    tenantRoute({
      method: 'GET',
      path: `${prefix}/search/{searchKey}`,
      operationId: `searchCustomFields${suffix}`,
      area,
      summary: 'Search custom fields by id, object, name or value',
      permission: 'NONE',
      query: pageQuery,
      success,
      async handle(call) {
        const { searchKey } = call.params;
        return auditedPage(
          call,
          CustomField,
          await call.billing.customFields.search(call.context, searchKey, call.query),
        );
      },
    }),
  ]),
];
