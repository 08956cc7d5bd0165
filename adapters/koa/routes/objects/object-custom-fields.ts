import { type FieldedType, ObjectType } from '../../../../lib/records/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { CustomField, CustomFieldChange, NewCustomField } from '../../models/custom-field.ts';
import { created } from '../../routing/answer.ts';
import { jsonListBody } from '../../routing/body.ts';
import { fieldedResources, type ObjectResource, objectOf } from '../../routing/objects.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { optionalChoice, uuidList } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';
import { auditedList, auditParameter } from './audit.ts';

/** Custom fields of each kind of object (accounts §11). */
export const objectCustomFieldRoutes: readonly Route[] = [
  ...fieldedResources.flatMap(routesOf),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/allCustomFields',
    operationId: 'getAllCustomFields',
    summary: 'List the custom fields of an account and of all that belongs to it',
    permission: 'NONE',
    query: { objectType: optionalChoice(ObjectType), ...auditParameter },
    success: { status: 200, body: listOf(CustomField) },
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
    async handle(call) {
      const { objectType } = call.query;
      const fields = await call.billing.customFields.ofAccount(call.context, call.params.accountId, {
        objectType,
      });
      return auditedList(call, CustomField, fields);
    },
  }),
];

function routesOf(resource: ObjectResource<FieldedType>): readonly Route[] {
  const { noun, described } = resource;
  const path = `/1.0/kb/${resource.path}/{${resource.idName}}/customFields`;
  return [
    tenantRoute({
      method: 'GET',
      path,
      operationId: `get${noun}CustomFields`,
      summary: `List the custom fields of ${described}`,
      permission: 'NONE',
      query: auditParameter,
      success: { status: 200, body: listOf(CustomField) },
      fails: [resource.unknown],
      async handle(call) {
        const fields = await call.billing.customFields.ofObject(
          call.context,
          objectOf(resource, call.params),
        );
        return auditedList(call, CustomField, fields);
      },
    }),
    tenantRoute({
      method: 'POST',
      path,
      operationId: `create${noun}CustomFields`,
      summary: `Add custom fields to ${described}`,
      permission: 'custom_field:add',
      body: jsonListBody(NewCustomField, CustomField.name),
      success: { status: 201, location: `/${resource.path}/{${resource.idName}}/customFields` },
      fails: [resource.unknown, ErrorCode.CUSTOM_FIELD_ALREADY_EXISTS],
      async handle({ billing, context, params, body }) {
        const object = objectOf(resource, params);
        await billing.customFields.add(context, object, body);
        return created(`/${resource.path}/${object.id}/customFields`);
      },
    }),
    tenantRoute({
      method: 'PUT',
      path,
      operationId: `modify${noun}CustomFields`,
      summary: `Change values of custom fields of ${described}`,
      permission: 'custom_field:update',
      body: jsonListBody(CustomFieldChange, CustomField.name),
      fails: [
        resource.unknown,
        ErrorCode.CUSTOM_FIELD_DOES_NOT_EXIST_FOR_ID,
        ErrorCode.CUSTOM_FIELD_INVALID_UPDATE,
        ErrorCode.CUSTOM_FIELD_ALREADY_EXISTS,
      ],
      handle: ({ billing, context, params, body }) =>
        billing.customFields.modify(context, objectOf(resource, params), body),
    }),
    tenantRoute({
      method: 'DELETE',
      path,
      operationId: `delete${noun}CustomFields`,
      summary: `Remove custom fields from ${described}: those that are named, or all`,
      permission: 'custom_field:delete',
      query: { customField: uuidList },
      fails: [resource.unknown],
      handle: ({ billing, context, params, query }) =>
        billing.customFields.remove(context, objectOf(resource, params), query.customField),
    }),
  ];
}
