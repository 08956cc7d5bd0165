import { ObjectType, type Tag as TagRecord } from '../../../lib/records/index.ts';
import {
  MAX_TAG_DEFINITION_DESCRIPTION_CHARACTERS,
  MAX_TAG_DEFINITION_NAME_CHARACTERS,
} from '../../../lib/values/limits.ts';
import { derivedField, field, model, replaceRequestFields } from '../wire/model.ts';
import { bool, enumeration, text, uuid } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';
import { auditLogs } from './audit-log.ts';

const description = field(text(MAX_TAG_DEFINITION_DESCRIPTION_CHARACTERS), 'C', { required: true });
const applicableObjectTypes = field(listOf(enumeration(ObjectType)), 'C', { required: true });

export const TagDefinition = model('TagDefinition', {
  id: uuid,
  isControlTag: bool,
  name: field(text(), 'C', { required: true }),
  description,
  applicableObjectTypes,
  auditLogs,
});

/** A new tag definition. The names of system definitions may exceed the length limit for new definitions. */
export const NewTagDefinition = replaceRequestFields(TagDefinition, {
  name: field(text(MAX_TAG_DEFINITION_NAME_CHARACTERS), 'C', { required: true }),
  description,
  applicableObjectTypes,
});

export const Tag = model('Tag', {
  tagId: derivedField(uuid, ({ id }: TagRecord) => id),
  objectType: enumeration(ObjectType),
  objectId: uuid,
  tagDefinitionId: uuid,
  tagDefinitionName: text(),
  auditLogs,
});
