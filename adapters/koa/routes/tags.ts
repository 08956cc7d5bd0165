import { ObjectType, type TaggedType } from '../../../lib/records/index.ts';
import { NewTagDefinition, Tag, TagDefinition } from '../models/tag.ts';
import { auditParameter } from '../routing/audited.ts';
import { jsonBody, jsonListBody } from '../routing/body.ts';
import { type ObjectResource, objectOf, taggedResources } from '../routing/objects.ts';
import { inArea, type Route, tenantRoute } from '../routing/route.ts';
import {
  flag,
  optionalChoice,
  pageParameters,
  pluginProperties,
  uuidList,
  uuidParameter,
} from '../wire/query.ts';
import { uuid } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';

const pageQuery = { ...pageParameters, ...auditParameter };

const definitionRoutes: readonly Route[] = [
  tenantRoute('getTagDefinitions', 'GET /tagDefinitions', {
    summary: 'List system and user tag definitions',
    query: auditParameter,
    shows: listOf(TagDefinition),
    handle: ({ billing, context }) => billing.tagDefinitions.list(context),
  }),
  tenantRoute('getTagDefinition', 'GET /tagDefinitions/{tagDefinitionId}', {
    summary: 'Get a tag definition',
    query: auditParameter,
    shows: TagDefinition,
    handle: ({ billing, context, params }) => billing.tagDefinitions.get(context, params.tagDefinitionId),
  }),
  tenantRoute('createTagDefinition', 'POST /tagDefinitions', {
    summary: 'Create a tag definition',
    permission: 'tag:create_tag_definition',
    body: jsonBody(NewTagDefinition),
    creates: '/tagDefinitions/{tagDefinitionId}',
    fails: [
      'TAG_DEFINITION_CONFLICTS_WITH_CONTROL_TAG',
      'TAG_DEFINITION_ALREADY_EXISTS',
      'TAG_DEFINITION_HAS_UPPERCASE',
    ],
    handle: ({ billing, context, body }) => billing.tagDefinitions.create(context, body),
  }),
  tenantRoute('deleteTagDefinition', 'DELETE /tagDefinitions/{tagDefinitionId}', {
    summary: 'Delete an unused tag definition',
    permission: 'tag:delete_tag_definition',
    fails: ['TAG_DEFINITION_IN_USE'],
    handle: ({ billing, context, params }) => billing.tagDefinitions.delete(context, params.tagDefinitionId),
  }),
];

/** See accounts §12, §13. */
export const tagRoutes: readonly Route[] = [
  ...inArea('tags', definitionRoutes),
  tenantRoute('getTags', 'GET /tags/pagination', {
    summary: 'List tags',
    query: pageQuery,
    shows: listOf(Tag),
    handle: ({ billing, context, query }) => billing.tags.page(context, query),
  }),
  tenantRoute('searchTags', 'GET /tags/search/{searchKey}', {
    summary: 'Search tags by id, object type, or name or description of their definition',
    query: pageQuery,
    shows: listOf(Tag),
    handle: ({ billing, context, params, query }) => billing.tags.search(context, params.searchKey, query),
  }),
  ...taggedResources.flatMap(routesOf),
  tenantRoute('getAllTags', 'GET /accounts/{accountId}/allTags', {
    summary: 'List the tags of an account and its objects',
    query: { objectType: optionalChoice(ObjectType), includedDeleted: flag(), ...auditParameter },
    shows: listOf(Tag),
    handle: ({ billing, context, params, query: { objectType, includedDeleted: includeDeleted } }) =>
      billing.tags.ofAccount(context, params.accountId, { objectType, includeDeleted }),
  }),
];

function queryOf({ noun, type }: ObjectResource<TaggedType>) {
  const list = { includedDeleted: flag(), ...auditParameter };
  // The item must belong to the account `accountId` (invoicing §14).
  if (type === ObjectType.INVOICE_ITEM) return { accountId: uuidParameter, ...list };
  return noun === 'InvoicePayment' ? { pluginProperty: pluginProperties, ...list } : list;
}

function routesOf(resource: ObjectResource<TaggedType>): readonly Route[] {
  const { noun, described, type } = resource;
  const path = `/${resource.path}/{${resource.idName}}/tags` as const;
  return [
    tenantRoute(`get${noun}Tags`, `GET ${path}`, {
      summary: `List the tags of ${described}`,
      query: queryOf(resource),
      shows: listOf(Tag),
      // An item of another account is reported as an unknown object.
      ...(type === ObjectType.INVOICE_ITEM && {
        takesUnknownObjects: true,
        fails: ['INVOICE_ITEM_NOT_FOUND'],
      }),
      handle: ({ billing, context, params, query }) =>
        billing.tags.ofObject(context, objectOf(resource, params), {
          includeDeleted: query.includedDeleted,
          accountId: 'accountId' in query ? query.accountId : null,
        }),
    }),
    tenantRoute(`create${noun}Tags`, `POST ${path}`, {
      summary: `Tag ${described}`,
      permission: 'tag:add',
      body: jsonListBody(uuid, 'Tag'),
      creates: path,
      fails: ['TAG_DEFINITION_DOES_NOT_EXIST', 'TAG_IS_SYSTEM', 'TAG_NOT_APPLICABLE'],
      handle: ({ billing, context, params, body }) =>
        billing.tags.add(context, objectOf(resource, params), body),
    }),
    tenantRoute(`delete${noun}Tags`, `DELETE ${path}`, {
      summary: `Remove tags from ${described}`,
      permission: 'tag:delete',
      query: { tagDef: uuidList },
      fails: [
        'TAG_DEFINITION_DOES_NOT_EXIST',
        'TAG_DOES_NOT_EXIST',
        'TAG_CANNOT_BE_REMOVED',
        'TAG_IS_SYSTEM',
      ],
      handle: ({ billing, context, params, query }) =>
        billing.tags.remove(context, objectOf(resource, params), query.tagDef),
    }),
  ];
}
