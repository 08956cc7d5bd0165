import { z } from 'zod';

/** A JSON Schema (draft 2020-12) as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The format of a text that is a date or a date-time. */
export const DATE_OR_DATE_TIME = 'date-or-date-time';

/** `schema` that also allows null; one that allows everything does, and generators know no choice of it and null. */
export function nullable(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0) return schema;
  if (typeof schema.type === 'string' && !('enum' in schema))
    return { ...schema, type: [schema.type, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
}

/** `schema` with annotations such as `readOnly`; a reference keeps them beside it. */
export function annotated(schema: JsonSchema, annotations: JsonSchema): JsonSchema {
  return { ...schema, ...annotations };
}

/** The schema of a scalar as zod gives it, without what a `format` already says. */
export function documentOf(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...document } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return document;
}
