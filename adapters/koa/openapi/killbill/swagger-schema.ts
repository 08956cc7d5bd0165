import { DATE_OR_DATE_TIME, type JsonSchema } from '../../wire/json-schema.ts';

const COMPONENT = '#/components/schemas/';

/** What Swagger 2.0 takes over of a schema; it has neither null nor alternatives. */
const kept = ['format', 'default', 'enum', 'description', 'maxLength'] as const;

/** A schema as Swagger 2.0 has it; `nameOf` gives the definition that stands for a model. */
export function swaggerSchema(schema: JsonSchema, nameOf: (model: string) => string): JsonSchema {
  const { $ref, anyOf, type: types, items } = schema;
  if (typeof $ref === 'string') return { $ref: `#/definitions/${nameOf($ref.slice(COMPONENT.length))}` };
  if (Array.isArray(anyOf)) return swaggerSchema({ ...schema, ...firstOf(anyOf), anyOf: undefined }, nameOf);
  const type: unknown = Array.isArray(types) ? types.find((each) => each !== 'null') : types;
  const own = Object.fromEntries(kept.filter((key) => key in schema).map((key) => [key, schema[key]]));
  if (own.format === DATE_OR_DATE_TIME) own.format = 'date';
  if (type === undefined) return { type: 'object', ...own };
  if (type === 'integer') return { type, format: 'int32', ...own };
  return items === undefined
    ? { type, ...own }
    : { type, ...own, items: swaggerSchema(items as JsonSchema, nameOf) };
}

/** Of alternatives, the first that is not null. */
function firstOf(schemas: readonly JsonSchema[]): JsonSchema {
  return schemas.find(({ type }) => type !== 'null') ?? {};
}
