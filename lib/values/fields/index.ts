export { checkExternalKey, checkFields } from './check-fields.ts';
export {
  amount,
  bigint,
  code,
  currency,
  date,
  dated,
  enumeration,
  type Field,
  type FieldKind,
  type Fields,
  flag,
  type InputOf,
  id,
  instant,
  integer,
  json,
  key,
  oneOf,
  orNull,
  type RecordOf,
  recordId,
  type SetOn,
  text,
  timeZone,
  underscored,
} from './field.ts';
export { inputShapeOf, shapeOf } from './field-shape.ts';
export { givenChanges, givenOrNull } from './given-fields.ts';
export { authorFields, type SearchedFields, type SearchedType, searchedFields } from './searched-fields.ts';
