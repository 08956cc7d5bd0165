export { enumeration } from '../enumeration.ts';
export { checkExternalKey, checkFields } from './check-fields.ts';
/** The functions that build record descriptions, as in `f.text()` or `f.orNull(f.id())`. */
export * as f from './field.ts';
export {
  type Field,
  type FieldKind,
  type Fields,
  type InputOf,
  type RecordOf,
  type SetOn,
  toSnakeCase,
} from './field.ts';
export { inputShapeOf, shapeOf } from './field-shape.ts';
export { inputChanges, inputOrNull } from './nullable-fields.ts';
export { authorFields, type SearchedFields, type SearchedType, searchedFields } from './searched-fields.ts';
