import { type FieldedType, ObjectType } from '../../../lib/records/index.ts';
import { CustomField, CustomFieldChange, NewCustomField } from '../models/custom-field.ts';
import { auditParameter } from '../routing/audited.ts';
import { jsonListBody } from '../routing/body.ts';
import { fieldedResources, type ObjectResource, objectOf } from '../routing/objects.ts';
import { type Route, tenantRoute } from '../routing/route.ts';
import { optionalChoice, pageParameters, plainText, required, textOrEmpty, uuidList } from '../wire/query.ts';
import { listOf } from '../wire/wire-type.ts';

const pageQuery = { ...pageParameters, ...auditParameter };
const shows = listOf(CustomField);

/** Search paths in both spellings (http-api §13.1). The first has the usual operation name. */
const searchPaths = [
  { prefix: '/customFields', suffix: '' },
  { prefix: '/customField', suffix: 'Alias' },
] as const;

/** See accounts §11. */
export const customFieldRoutes: readonly Route[] = [
  tenantRoute('getCustomFields', 'GET /customFields/pagination', {
    summary: 'List custom fields',
    query: pageQuery,
    shows,
    handle: ({ billing, context, query }) => billing.customFields.page(context, query),
  }),
  ...searchPaths.flatMap(({ prefix, suffix }) => [
    tenantRoute(`searchCustomFieldsByTypeName${suffix}`, `GET ${prefix}/search`, {
      area: 'customFields',
      summary: 'Find custom fields by object type, name and value',
      query: {
        objectType: required(optionalChoice(ObjectType)),
        fieldName: required(plainText),
        fieldValue: textOrEmpty,
        ...pageQuery,
      },
      shows,
      handle({ billing, context, query }) {
        const { objectType, fieldName: name, fieldValue: value } = query;
        return billing.customFields.searchByName(context, { objectType, name, value }, query);
      },
    }),
    tenantRoute(`searchCustomFields${suffix}`, `GET ${prefix}/search/{searchKey}`, {
      area: 'customFields',
      summary: 'Search custom fields by id, object, name or value',
      query: pageQuery,
      shows,
      handle: ({ billing, context, params, query }) =>
        billing.customFields.search(context, params.searchKey, query),
    }),
  ]),
  ...fieldedResources.flatMap(routesOf),
  tenantRoute('getAllCustomFields', 'GET /accounts/{accountId}/allCustomFields', {
    summary: 'List the custom fields of an account and its objects',
    query: { objectType: optionalChoice(ObjectType), ...auditParameter },
    shows,
    handle: ({ billing, context, params, query: { objectType } }) =>
      billing.customFields.ofAccount(context, params.accountId, { objectType }),
  }),
];

function routesOf(resource: ObjectResource<FieldedType>): readonly Route[] {
  const { noun, described } = resource;
  const path = `/${resource.path}/{${resource.idName}}/customFields` as const;
  return [
    tenantRoute(`get${noun}CustomFields`, `GET ${path}`, {
      summary: `List the custom fields of ${described}`,
      query: auditParameter,
      shows,
      handle: ({ billing, context, params }) =>
        billing.customFields.ofObject(context, objectOf(resource, params)),
    }),
    tenantRoute(`create${noun}CustomFields`, `POST ${path}`, {
      summary: `Add custom fields to ${described}`,
      permission: 'custom_field:add',
      body: jsonListBody(NewCustomField, CustomField.name),
      creates: path,
      fails: ['CUSTOM_FIELD_ALREADY_EXISTS'],
      handle: ({ billing, context, params, body }) =>
        billing.customFields.add(context, objectOf(resource, params), body),
    }),
    tenantRoute(`modify${noun}CustomFields`, `PUT ${path}`, {
      summary: `Update custom field values of ${described}`,
      permission: 'custom_field:update',
      body: jsonListBody(CustomFieldChange, CustomField.name),
      fails: [
        'CUSTOM_FIELD_DOES_NOT_EXIST_FOR_ID',
        'CUSTOM_FIELD_INVALID_UPDATE',
        'CUSTOM_FIELD_ALREADY_EXISTS',
      ],
      handle: ({ billing, context, params, body }) =>
        billing.customFields.modify(context, objectOf(resource, params), body),
    }),
    tenantRoute(`delete${noun}CustomFields`, `DELETE ${path}`, {
      summary: `Remove custom fields from ${described}: the given ones, or all`,
      permission: 'custom_field:delete',
      query: { customField: uuidList },
      handle: ({ billing, context, params, query }) =>
        billing.customFields.remove(context, objectOf(resource, params), query.customField),
    }),
  ];
}
