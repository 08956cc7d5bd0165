import { DATE_OR_DATE_TIME, type JsonSchema } from '../../wire/wire-type.ts';
import { namedExamples } from './named-examples.ts';

const OTHER_ID = '0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3cff';

/**
 * Returns the example with the given name, otherwise an example for the schema. Returns undefined for objects and unknown
 * names.
 */
export function exampleOf(schema: JsonSchema, place: string, name: string): unknown {
  const key = nameOfExample(schema, place, name);
  return key === undefined ? exampleByKind(schema) : namedExamples[key];
}

/** Returns the key of a named example. For an enumeration, the example must be one of its values. */
export function nameOfExample({ enum: values }: JsonSchema, place: string, name: string): string | undefined {
  const isOneOf = (key: string) => !Array.isArray(values) || values.includes(namedExamples[key]);
  return [`${place}.${name}`, name].find((key) => key in namedExamples && isOneOf(key));
}

/** Adds an example to every value in the schema, except enumerations and booleans. */
export function withExamples(schema: JsonSchema, place: string, name = place): JsonSchema {
  const { type, enum: values, properties, items, additionalProperties } = schema;
  if (isSchema(properties)) {
    const shown = Object.entries(properties).map(([key, each]) => [
      key,
      withExamples(each as JsonSchema, place, key),
    ]);
    return { ...schema, properties: Object.fromEntries(shown) };
  }
  if (isSchema(items) && isSchema(items.properties)) return { ...schema, items: withExamples(items, place) };
  if (isSchema(additionalProperties) && isSchema(additionalProperties.properties))
    return { ...schema, additionalProperties: withExamples(additionalProperties, place) };
  const hasValues = values !== undefined || type === 'boolean' || '$ref' in schema;
  if (hasValues && nameOfExample(schema, place, name) === undefined) return schema;
  const example = exampleOf(schema, place, name);
  return example === undefined ? schema : { ...schema, examples: [example] };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null;
}

function exampleByKind(schema: JsonSchema): unknown {
  const { type, format, anyOf, items, enum: values, const: only, default: fallback, minimum } = schema;
  if (Array.isArray(anyOf)) return exampleByKind(anyOf[0]);
  if (Array.isArray(values)) return values[0];
  switch (Array.isArray(type) ? type[0] : type) {
    case 'boolean':
      return fallback !== true;
    case 'integer':
      return fallback ?? minimum ?? 1;
    case 'number':
      return 12.5;
    case 'string':
      return only ?? (typeof format === 'string' ? byFormat[format] : undefined);
    case 'array': {
      const item = exampleByKind(items as JsonSchema);
      return item === undefined ? undefined : [item];
    }
    default:
      return undefined;
  }
}

const byFormat: Readonly<Record<string, string>> = {
  uuid: OTHER_ID,
  date: '2024-02-10',
  'date-time': '2024-02-10T09:00:00.000Z',
  [DATE_OR_DATE_TIME]: '2024-02-10',
};
