import {
  CustomFieldObjectType,
  type FieldedType,
  type ObjectRef,
  ObjectType,
  type PageRequest,
} from '../../../lib/records/index.ts';
import type { ErrorCode } from '../../../lib/values/errors/index.ts';
import { Dialect } from '../dialect.ts';
import { CustomField, CustomFieldChange, NewCustomField } from '../models/custom-field.ts';
import { auditParameter } from '../routing/audited.ts';
import { jsonListBody } from '../routing/body.ts';
import { fieldedResources, type ObjectResource, objectOf, resource } from '../routing/objects.ts';
import { type Route, type TenantCall, tenantRoute } from '../routing/route.ts';
import {
  optionalChoice,
  pageParameters,
  plainText,
  requiredParameter,
  textOrEmpty,
  uuidList,
} from '../wire/query.ts';
import { listOf } from '../wire/wire-type.ts';

const pageQuery = { ...pageParameters, ...auditParameter };
const shows = listOf(CustomField);

const coupons = resource<FieldedType>('coupon', CustomFieldObjectType.COUPON, { idName: 'couponCode' });

/** Search paths in both spellings. The first path has the usual operation name. */
const searchPaths = [
  { prefix: '/customFields', suffix: '' },
  { prefix: '/customField', suffix: 'Alias' },
] as const;

/**
 * Excludes the custom fields of coupons from lists in dialect K, because its clients reject the type COUPON (coupons
 * §6).
 */
function excludeCouponsInK<Q extends PageRequest>(
  query: Q,
  dialect: Dialect,
): Q & { readonly withoutCoupons: boolean } {
  return { ...query, withoutCoupons: dialect === Dialect.K };
}

/** See accounts §11. */
export const customFieldRoutes: readonly Route[] = [
  tenantRoute('getCustomFields', 'GET /customFields/pagination', {
    summary: 'List custom fields',
    query: pageQuery,
    shows,
    handle: ({ billing, context, query, dialect }) =>
      billing.customFields.page(context, excludeCouponsInK(query, dialect)),
  }),
  ...searchPaths.flatMap(({ prefix, suffix }) => [
    tenantRoute(`searchCustomFieldsByTypeName${suffix}`, `GET ${prefix}/search`, {
      area: 'customFields',
      summary: 'Find custom fields by object type, name and value',
      query: {
        objectType: requiredParameter(optionalChoice(CustomFieldObjectType)),
        fieldName: requiredParameter(plainText),
        fieldValue: textOrEmpty,
        ...pageQuery,
      },
      shows,
      handle({ billing, context, query, dialect }) {
        const { objectType, fieldName: name, fieldValue: value } = query;
        return billing.customFields.searchByName(
          context,
          { objectType, name, value },
          excludeCouponsInK(query, dialect),
        );
      },
    }),
    tenantRoute(`searchCustomFields${suffix}`, `GET ${prefix}/search/{searchKey}`, {
      area: 'customFields',
      summary: 'Search custom fields by id, object, name or value',
      query: pageQuery,
      shows,
      handle: ({ billing, context, params, query, dialect }) =>
        billing.customFields.search(context, params.searchKey, excludeCouponsInK(query, dialect)),
    }),
  ]),
  ...fieldedResources.flatMap((each) =>
    routesOf(each, { find: async ({ params }) => objectOf(each, params) }),
  ),
  ...routesOf(coupons, {
    async find({ billing, context, params }) {
      const { id } = await billing.coupons.get(context, params[coupons.idName] ?? '');
      return { type: coupons.type, id };
    },
    unknown: ['COUPON_NOT_FOUND'],
  }),
  tenantRoute('getAllCustomFields', 'GET /accounts/{accountId}/allCustomFields', {
    summary: 'List the custom fields of an account and its objects',
    query: { objectType: optionalChoice(ObjectType), ...auditParameter },
    shows,
    handle: ({ billing, context, params, query: { objectType } }) =>
      billing.customFields.ofAccount(context, params.accountId, { objectType }),
  }),
];

interface ObjectCall extends Pick<TenantCall<string, never, null>, 'billing' | 'context'> {
  readonly params: Readonly<Record<string, string>>;
}

interface FieldedObjects {
  readonly find: (call: ObjectCall) => Promise<ObjectRef<FieldedType>>;
  /** Errors for an unknown object, if they cannot be derived from the name of the path parameter. */
  readonly unknown?: readonly (keyof typeof ErrorCode)[];
}

function routesOf(
  { path: start, idName, noun, described }: ObjectResource<FieldedType>,
  { find, unknown = [] }: FieldedObjects,
): readonly Route[] {
  const path = `/${start}/{${idName}}/customFields` as const;
  return [
    tenantRoute(`get${noun}CustomFields`, `GET ${path}`, {
      summary: `List the custom fields of ${described}`,
      query: auditParameter,
      shows,
      fails: unknown,
      handle: async (call) => call.billing.customFields.ofObject(call.context, await find(call)),
    }),
    tenantRoute(`create${noun}CustomFields`, `POST ${path}`, {
      summary: `Add custom fields to ${described}`,
      permission: 'custom_field:add',
      body: jsonListBody(NewCustomField, CustomField.name),
      creates: path,
      fails: ['CUSTOM_FIELD_ALREADY_EXISTS', ...unknown],
      handle: async (call) => call.billing.customFields.add(call.context, await find(call), call.body),
    }),
    tenantRoute(`modify${noun}CustomFields`, `PUT ${path}`, {
      summary: `Update custom field values of ${described}`,
      permission: 'custom_field:update',
      body: jsonListBody(CustomFieldChange, CustomField.name),
      fails: [
        'CUSTOM_FIELD_DOES_NOT_EXIST_FOR_ID',
        'CUSTOM_FIELD_INVALID_UPDATE',
        'CUSTOM_FIELD_ALREADY_EXISTS',
        ...unknown,
      ],
      handle: async (call) => call.billing.customFields.modify(call.context, await find(call), call.body),
    }),
    tenantRoute(`delete${noun}CustomFields`, `DELETE ${path}`, {
      summary: `Remove custom fields from ${described}: the given ones, or all`,
      permission: 'custom_field:delete',
      query: { customField: uuidList },
      fails: unknown,
      handle: async (call) =>
        call.billing.customFields.remove(call.context, await find(call), call.query.customField),
    }),
  ];
}
