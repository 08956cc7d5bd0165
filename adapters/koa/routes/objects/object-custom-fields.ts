import type { FieldedType } from '../../../../lib/records/index.ts';
import { ObjectType } from '../../../../lib/records/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { CustomField, CustomFieldChange, NewCustomField } from '../../models/custom-field.ts';
import { created, empty, json } from '../../routing/answer.ts';
import { jsonListBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { optionalChoice, uuidList } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';
import { auditParameter, renderingOf } from './audit.ts';
import { fieldedResources, type ObjectResource, objectOf } from './objects.ts';

/** Custom fields of each kind of object (accounts §11). */
export const objectCustomFieldRoutes: readonly Route[] = [
  ...fieldedResources.flatMap(routesOf),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/allCustomFields',
    operationId: 'getAllCustomFields',
    area: 'accounts',
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
      const rendering = await renderingOf(
        call,
        fields.map(({ id }) => id),
      );
      return json(fields.map((custom) => CustomField.write(custom, rendering)));
    },
  }),
];

function routesOf(resource: ObjectResource<FieldedType>): readonly Route[] {
  const { noun, area, described } = resource;
  const path = `/1.0/kb/${resource.path}/{${resource.idName}}/customFields`;
  return [
    tenantRoute({
      method: 'GET',
      path,
      operationId: `get${noun}CustomFields`,
      area,
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
        const rendering = await renderingOf(
          call,
          fields.map(({ id }) => id),
        );
        return json(fields.map((custom) => CustomField.write(custom, rendering)));
      },
    }),
    tenantRoute({
      method: 'POST',
      path,
      operationId: `create${noun}CustomFields`,
      area,
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
      area,
      summary: `Change values of custom fields of ${described}`,
      permission: 'custom_field:update',
      body: jsonListBody(CustomFieldChange, CustomField.name),
      success: { status: 204 },
      fails: [
        resource.unknown,
        ErrorCode.CUSTOM_FIELD_DOES_NOT_EXIST_FOR_ID,
        ErrorCode.CUSTOM_FIELD_INVALID_UPDATE,
        ErrorCode.CUSTOM_FIELD_ALREADY_EXISTS,
      ],
      async handle({ billing, context, params, body }) {
        await billing.customFields.modify(context, objectOf(resource, params), body);
        return empty;
      },
    }),
    tenantRoute({
      method: 'DELETE',
      path,
      operationId: `delete${noun}CustomFields`,
      area,
      summary: `Remove custom fields from ${described}: those that are named, or all`,
      permission: 'custom_field:delete',
      query: { customField: uuidList },
      success: { status: 204 },
      fails: [resource.unknown],
      async handle({ billing, context, params, query }) {
        await billing.customFields.remove(context, objectOf(resource, params), query.customField);
        return empty;
      },
    }),
  ];
}
