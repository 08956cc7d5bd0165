import { ObjectType, type TaggedType } from '../../../../lib/records/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { Tag } from '../../models/tag.ts';
import { created } from '../../routing/answer.ts';
import { jsonListBody } from '../../routing/body.ts';
import { type ObjectResource, objectOf, taggedResources } from '../../routing/objects.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { flag, optionalChoice, pluginProperties, uuidList, uuidParameter } from '../../wire/query.ts';
import { uuid } from '../../wire/scalars.ts';
import { listOf } from '../../wire/wire-type.ts';
import { auditedList, auditParameter } from './audit.ts';

/** Tags of each kind of object (accounts §13.1). */
export const objectTagRoutes: readonly Route[] = [
  ...taggedResources.flatMap(routesOf),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/allTags',
    operationId: 'getAllTags',
    summary: 'List the tags of an account and of all that belongs to it',
    permission: 'NONE',
    query: { objectType: optionalChoice(ObjectType), includedDeleted: flag(), ...auditParameter },
    success: { status: 200, body: listOf(Tag) },
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
    async handle(call) {
      const { objectType, includedDeleted: includeDeleted } = call.query;
      const tags = await call.billing.tags.ofAccount(call.context, call.params.accountId, {
        objectType,
        includeDeleted,
      });
      return auditedList(call, Tag, tags);
    },
  }),
];

/** What can be asked for where tags are listed. */
function queryOf({ noun, type }: ObjectResource<TaggedType>) {
  const list = { includedDeleted: flag(), ...auditParameter };
  // An item is found without its account; the parameter says which account it must belong to (invoicing §14).
  if (type === ObjectType.INVOICE_ITEM) return { accountId: uuidParameter, ...list };
  return noun === 'InvoicePayment' ? { pluginProperty: pluginProperties, ...list } : list;
}

function routesOf(resource: ObjectResource<TaggedType>): readonly Route[] {
  const { noun, described } = resource;
  const path = `/1.0/kb/${resource.path}/{${resource.idName}}/tags`;
  return [
    tenantRoute({
      method: 'GET',
      path,
      operationId: `get${noun}Tags`,
      summary: `List the tags of ${described}`,
      permission: 'NONE',
      query: queryOf(resource),
      success: { status: 200, body: listOf(Tag) },
      fails: [resource.unknown],
      async handle(call) {
        const { query } = call;
        const tags = await call.billing.tags.ofObject(call.context, objectOf(resource, call.params), {
          includeDeleted: query.includedDeleted,
          accountId: 'accountId' in query ? query.accountId : null,
        });
        return auditedList(call, Tag, tags);
      },
    }),
    tenantRoute({
      method: 'POST',
      path,
      operationId: `create${noun}Tags`,
      summary: `Tag ${described}`,
      permission: 'tag:add',
      body: jsonListBody(uuid, 'Tag'),
      success: { status: 201, location: `/${resource.path}/{${resource.idName}}/tags` },
      fails: [
        resource.unknown,
        ErrorCode.TAG_DEFINITION_DOES_NOT_EXIST,
        ErrorCode.TAG_IS_SYSTEM,
        ErrorCode.TAG_NOT_APPLICABLE,
      ],
      async handle({ billing, context, params, body }) {
        const object = objectOf(resource, params);
        await billing.tags.add(context, object, body);
        return created(`/${resource.path}/${object.id}/tags`);
      },
    }),
    tenantRoute({
      method: 'DELETE',
      path,
      operationId: `delete${noun}Tags`,
      summary: `Remove tags from ${described}`,
      permission: 'tag:delete',
      query: { tagDef: uuidList },
      fails: [
        resource.unknown,
        ErrorCode.TAG_DEFINITION_DOES_NOT_EXIST,
        ErrorCode.TAG_DOES_NOT_EXIST,
        ErrorCode.TAG_CANNOT_BE_REMOVED,
        ErrorCode.TAG_IS_SYSTEM,
      ],
      handle: ({ billing, context, params, query }) =>
        billing.tags.remove(context, objectOf(resource, params), query.tagDef),
    }),
  ];
}
