import type { JsonSchema } from '../../wire/json-schema.ts';
import { type Model, modelsByName } from '../../wire/model.ts';
import { describedModel } from '../descriptions/described.ts';
import {
  modelNames,
  propertyOrders,
  publishedModels,
  publishedProperties,
  requiredProperties,
  unpublishedProperties,
} from './published-models.ts';
import { swaggerSchema } from './swagger-schema.ts';

/** The definitions that a document refers to, made as they are met: fields of dialect K, under the names of clients. */
export class Definitions {
  readonly #made = new Map<string, JsonSchema>();

  /** A schema as Swagger 2.0 has it, whose models are among the definitions. */
  schemaOf(schema: JsonSchema): JsonSchema {
    return swaggerSchema(schema, (model) => this.#nameOf(model));
  }

  all(): JsonSchema {
    return Object.fromEntries([...this.#made].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #nameOf(model: string): string {
    const name = modelNames[model] ?? model;
    if (this.#made.has(name)) return name;
    // A model may hold itself.
    this.#made.set(name, {});
    this.#made.set(name, publishedModels[name] ?? this.#definitionOf(modelBehind(name, model)));
    return name;
  }

  #definitionOf({ name, fields, component }: Model): JsonSchema {
    const { description, properties: described } = describedModel(name, component);
    const texts = described as Readonly<Record<string, JsonSchema>>;
    const hidden = unpublishedProperties[name] ?? [];
    const shown = Object.entries(fields).filter(([key, { onlyD }]) => !onlyD && !hidden.includes(key));
    const schemas = Object.fromEntries(shown.map(([key, { type }]) => [key, type.jsonInK ?? type.json]));
    const all = { ...schemas, ...publishedProperties[name] };
    const properties = sorted(Object.keys(all), propertyOrders[name] ?? []).map((key) => {
      const schema = this.schemaOf(all[key] ?? {});
      return [
        key,
        '$ref' in schema ? schema : { ...schema, description: texts[key]?.description ?? schema.description },
      ];
    });
    const required = requiredProperties[name] ?? [];
    return {
      type: 'object',
      description,
      ...(required.length === 0 ? {} : { required }),
      properties: Object.fromEntries(properties),
    };
  }
}

/** The model of the name, or the one of another name that it stands for. */
function modelBehind(name: string, alias: string): Model {
  const model = modelsByName().get(name) ?? modelsByName().get(alias);
  if (model === undefined) throw new Error(`The document refers to ${alias}, which is no model`);
  return model;
}

/** The names, those of `order` first. */
function sorted(names: readonly string[], order: readonly string[]): readonly string[] {
  return [...order, ...names.filter((name) => !order.includes(name))];
}
