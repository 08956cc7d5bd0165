import type { JsonSchema } from '../../../adapters/koa/wire/wire-type.ts';

/** A parameter of an operation with what the document shows for it. */
export interface ShownParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly example: unknown;
  /** Whether a page that fills forms with examples fills in this one. */
  readonly isFilledIn: boolean;
}

interface Documented {
  readonly operationId: string;
  readonly parameters?: readonly (ShownParameter & { readonly schema: JsonSchema })[];
}

/** The parameters of every operation of an OpenAPI document. */
export function shownParameters(document: JsonSchema): ReadonlyMap<string, readonly ShownParameter[]> {
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return new Map(
    operations.map(({ operationId, parameters = [] }) => [
      operationId,
      parameters.map(({ schema, ...parameter }) => ({
        ...parameter,
        example: parameter.example ?? firstOf(schema.examples),
        isFilledIn: parameter.example !== undefined,
      })),
    ]),
  );
}

/**
 * What a tool shows for a schema of an OpenAPI document: the examples of the properties put together, enumerations by
 * their first value, and null or nothing where an object would hold one of its own kind again.
 * @throws Error where a text or number has no example.
 */
export function shownValue(schema: JsonSchema, models: Models, within: readonly string[] = []): unknown {
  const { $ref, examples, anyOf, enum: values, const: only, items, properties, type } = schema;
  if (Array.isArray(examples)) return examples[0];
  if (Array.isArray(values)) return values[0];
  if (only !== undefined) return only;
  if (typeof $ref === 'string') {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return within.includes(name) ? null : shownValue(models[name] ?? {}, models, [...within, name]);
  }
  if (Array.isArray(anyOf)) return shownValue(anyOf[0], models, within);
  if (typeof properties === 'object') {
    const members = Object.entries(properties as Models);
    return Object.fromEntries(members.map(([name, each]) => [name, shownValue(each, models, within)]));
  }
  const [kind] = [type].flat();
  if (kind === 'array')
    return [shownValue(items as JsonSchema, models, within)].filter((each) => each !== null);
  if (kind === 'boolean') return true;
  if (kind === 'string' || kind === 'number' || kind === 'integer')
    throw new Error(`There is no example: ${JSON.stringify(schema)}`);
  return {};
}

type Models = Readonly<Record<string, JsonSchema>>;

function firstOf(examples: unknown): unknown {
  return Array.isArray(examples) ? examples[0] : undefined;
}
