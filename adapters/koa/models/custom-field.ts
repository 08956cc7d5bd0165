import {
  CustomFieldObjectType,
  type CustomField as CustomFieldRecord,
  ObjectType,
} from '../../../lib/records/index.ts';
import {
  MAX_CUSTOM_FIELD_NAME_CHARACTERS,
  MAX_CUSTOM_FIELD_VALUE_CHARACTERS,
} from '../../../lib/values/limits.ts';
import { withLazy } from '../wire/lazy-values.ts';
import { field, model, replaceRequestFields } from '../wire/model.ts';
import { enumeration, text, uuid } from '../wire/scalars.ts';
import { auditLogs } from './audit-log.ts';

const name = text(MAX_CUSTOM_FIELD_NAME_CHARACTERS);
const value = field(text(MAX_CUSTOM_FIELD_VALUE_CHARACTERS), 'W', { required: true });

/**
 * The type of the object. Kill Bill's clients reject unknown types, so dialect K never shows custom fields of coupons.
 */
const objectType = withLazy(enumeration(CustomFieldObjectType), {
  jsonInK: () => enumeration(ObjectType).json,
});

export const CustomField = model('CustomField', {
  customFieldId: field(uuid, 'W', { from: ({ id }: CustomFieldRecord) => id }),
  objectType,
  objectId: uuid,
  name: field(name, 'C', { required: true }),
  value,
  auditLogs,
});

export const NewCustomField = replaceRequestFields(CustomField, {
  name: field(name, 'C', { required: true }),
  value,
});

export const CustomFieldChange = replaceRequestFields(CustomField, {
  customFieldId: field(uuid, 'W', { required: true }),
  name: field(text(), 'W'),
  value,
});
