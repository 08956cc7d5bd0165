import { ObjectType, type Tag as TagRecord } from '../../../lib/records/index.ts';
import {
  MAX_TAG_DEFINITION_DESCRIPTION_CHARACTERS,
  MAX_TAG_DEFINITION_NAME_CHARACTERS,
} from '../../../lib/values/limits.ts';
import { field, model, reading } from '../wire/model.ts';
import { bool, enumeration, text, uuid } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';
import { auditLogs } from './audit-log.ts';

const description = field(text(MAX_TAG_DEFINITION_DESCRIPTION_CHARACTERS), 'C', { required: true });
const applicableObjectTypes = field(listOf(enumeration(ObjectType)), 'C', { required: true });

export const TagDefinition = model('TagDefinition', {
  id: field(uuid, 'R'),
  isControlTag: field(bool, 'R'),
  name: field(text(), 'C', { required: true }),
  description,
  applicableObjectTypes,
  auditLogs,
});

/** As it is sent; some names of the system are longer than those of users may be. */
export const NewTagDefinition = reading(TagDefinition, {
  name: field(text(MAX_TAG_DEFINITION_NAME_CHARACTERS), 'C', { required: true }),
  description,
  applicableObjectTypes,
});

export const Tag = model('Tag', {
  tagId: field(uuid, 'R', { from: ({ id }: TagRecord) => id }),
  objectType: field(enumeration(ObjectType), 'R'),
  objectId: field(uuid, 'R'),
  tagDefinitionId: field(uuid, 'R'),
  tagDefinitionName: field(text(), 'R'),
  auditLogs,
});
