import { type CustomField as CustomFieldRecord, ObjectType } from '../../../lib/records/index.ts';
import {
  MAX_CUSTOM_FIELD_NAME_CHARACTERS,
  MAX_CUSTOM_FIELD_VALUE_CHARACTERS,
} from '../../../lib/values/limits.ts';
import { field, model, reading } from '../wire/model.ts';
import { enumeration, text, uuid } from '../wire/scalars.ts';
import { auditLogs } from './audit-log.ts';

const name = text(MAX_CUSTOM_FIELD_NAME_CHARACTERS);
const value = field(text(MAX_CUSTOM_FIELD_VALUE_CHARACTERS), 'W', { required: true });

/** The id is read for changes only; whatever else a caller sends is ignored. */
export const CustomField = model('CustomField', {
  customFieldId: field(uuid, 'W', { from: ({ id }: CustomFieldRecord) => id }),
  objectType: field(enumeration(ObjectType), 'R'),
  objectId: field(uuid, 'R'),
  name: field(name, 'C', { required: true }),
  value,
  auditLogs,
});

/** As it is sent to add a field. */
export const NewCustomField = reading(CustomField, { name: field(name, 'C', { required: true }), value });

/** As it is sent to change a value. */
export const CustomFieldChange = reading(CustomField, {
  customFieldId: field(uuid, 'W', { required: true }),
  name: field(text(), 'W'),
  value,
});
