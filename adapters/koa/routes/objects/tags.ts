import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { NewTagDefinition, Tag, TagDefinition } from '../../models/tag.ts';
import { created } from '../../routing/answer.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { pageParameters } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';
import { audited, auditedList, auditedPage, auditParameter } from './audit.ts';

const area = 'tags';
const noSuchDefinition = [ErrorCode.TAG_DEFINITION_DOES_NOT_EXIST];
const pageQuery = { ...pageParameters, ...auditParameter };

/** Tag definitions and the tags of the whole tenant (accounts §12, §13). */
export const tagRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/tagDefinitions',
    operationId: 'getTagDefinitions',
    area,
    summary: 'List the tag definitions of the system and of the users',
    permission: 'NONE',
    query: auditParameter,
    success: { status: 200, body: listOf(TagDefinition) },
    async handle(call) {
      const definitions = await call.billing.tagDefinitions.list(call.context);
      return auditedList(call, TagDefinition, definitions);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/tagDefinitions/{tagDefinitionId}',
    operationId: 'getTagDefinition',
    area,
    summary: 'Get a tag definition',
    permission: 'NONE',
    query: auditParameter,
    success: { status: 200, body: TagDefinition },
    fails: noSuchDefinition,
    async handle(call) {
      const definition = await call.billing.tagDefinitions.get(call.context, call.params.tagDefinitionId);
      return audited(call, TagDefinition, definition);
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/tagDefinitions',
    operationId: 'createTagDefinition',
    area,
    summary: 'Create a tag definition',
    permission: 'tag:create_tag_definition',
    body: jsonBody(NewTagDefinition),
    success: { status: 201, location: '/tagDefinitions/{tagDefinitionId}' },
    fails: [
      ErrorCode.TAG_DEFINITION_CONFLICTS_WITH_CONTROL_TAG,
      ErrorCode.TAG_DEFINITION_ALREADY_EXISTS,
      ErrorCode.TAG_DEFINITION_HAS_UPPERCASE,
    ],
    async handle({ billing, context, body }) {
      const { id } = await billing.tagDefinitions.create(context, body);
      return created(`/tagDefinitions/${id}`);
    },
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/1.0/kb/tagDefinitions/{tagDefinitionId}',
    operationId: 'deleteTagDefinition',
    area,
    summary: 'Delete a tag definition that no tag uses',
    permission: 'tag:delete_tag_definition',
    fails: [...noSuchDefinition, ErrorCode.TAG_DEFINITION_IN_USE],
    handle: ({ billing, context, params }) => billing.tagDefinitions.delete(context, params.tagDefinitionId),
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/tags/pagination',
    operationId: 'getTags',
    summary: 'List tags',
    permission: 'NONE',
    query: pageQuery,
    success: { status: 200, body: listOf(Tag), paged: true },
    async handle(call) {
      return auditedPage(call, Tag, await call.billing.tags.page(call.context, call.query));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/tags/search/{searchKey}',
    operationId: 'searchTags',
    summary: 'Search tags by id, object type, or name or description of their definition',
    permission: 'NONE',
    query: pageQuery,
    success: { status: 200, body: listOf(Tag), paged: true },
    async handle(call) {
      return auditedPage(
        call,
        Tag,
        await call.billing.tags.search(call.context, call.params.searchKey, call.query),
      );
    },
  }),
];
