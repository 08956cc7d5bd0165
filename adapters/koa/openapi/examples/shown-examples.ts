import { DATE_OR_DATE_TIME, type JsonSchema } from '../../wire/wire-type.ts';
import { namedExamples } from './named-examples.ts';

/** Id of what has no name of its own among the examples. */
const OTHER_ID = '0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3cff';

/**
 * The example of a value that is called `name`, in an operation or model `place`: by its name, else by its kind, which
 * the schema tells. Undefined where neither says enough, and for objects, whose properties have theirs.
 */
export function exampleOf(schema: JsonSchema, place: string, name: string): unknown {
  const key = nameOfExample(schema, place, name);
  return key === undefined ? exampleByKind(schema) : namedExamples[key];
}

/** Which of the named examples is shown there, if one is; what is called as an enumeration elsewhere is none of it. */
export function nameOfExample({ enum: values }: JsonSchema, place: string, name: string): string | undefined {
  const isOneOf = (key: string) => !Array.isArray(values) || values.includes(namedExamples[key]);
  return [`${place}.${name}`, name].find((key) => key in namedExamples && isOneOf(key));
}

/**
 * The schema of a model or an answer with an example of each value, from which whoever reads the document puts together
 * one of the whole. Enumerations and booleans say by themselves what they may be.
 */
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
  const isSaid = values !== undefined || type === 'boolean' || '$ref' in schema;
  if (isSaid && nameOfExample(schema, place, name) === undefined) return schema;
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
