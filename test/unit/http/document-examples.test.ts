import { z } from 'zod';
import { openApi } from '../../../adapters/koa/index.ts';
import { exampleIds, namedExamples } from '../../../adapters/koa/openapi/examples/named-examples.ts';
import { requestExamples } from '../../../adapters/koa/openapi/examples/request-examples.ts';
import { nameOfExample } from '../../../adapters/koa/openapi/examples/shown-examples.ts';
import { routeTable } from '../../../adapters/koa/routes/route-table.ts';
import { isIdParameter } from '../../../adapters/koa/routing/path.ts';
import type { Route } from '../../../adapters/koa/routing/route.ts';
import { modelsByName } from '../../../adapters/koa/wire/model.ts';
import type { JsonSchema } from '../../../adapters/koa/wire/wire-type.ts';
import { type ShownParameter, shownParameters, shownValue } from '../../support/http/shown-parameters.ts';
import { expect, isUuid } from '../../support/unit.ts';

const routes = routeTable({ testMode: true });
const document = await openApi();
const { schemas } = document.components as { readonly schemas: Readonly<Record<string, JsonSchema>> };

/** Returns the validation errors of a value. */
function faults(schema: z.ZodType, value: unknown): readonly unknown[] {
  return schema.safeParse(value).error?.issues ?? [];
}

/** Returns the documented schema of the operation's response. */
function documentedAnswer({ path, method, success }: Route): JsonSchema {
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  const answer = paths[path]?.[method.toLowerCase()]?.responses[success.status];
  return answer?.content?.['application/json']?.schema ?? {};
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly schema: JsonSchema;
    readonly example?: unknown;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>> }>
  >;
}

/** Converts a documented schema into a validator. Keywords next to a reference are ignored. */
function validatorOf(schema: JsonSchema): z.ZodType {
  const text = JSON.stringify({ ...schema, $defs: schemas });
  return z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
}

/** Returns the members of a value that its schema marks as read-only. */
function readOnlyIn(value: unknown, schema: JsonSchema): readonly string[] {
  const { $ref, anyOf: [either = schema] = [] } = schema as Referring;
  const shown = $ref === undefined ? either : (schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {});
  if (shown !== schema) return readOnlyIn(value, shown);
  const { items = {}, properties = {} } = schema as Referring;
  if (Array.isArray(value)) return value.flatMap((each) => readOnlyIn(each, items));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const property = properties[name] ?? {};
    return property.readOnly === true ? [name] : readOnlyIn(each, property);
  });
}

interface Referring {
  readonly $ref?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/** Returns the names of all properties of a schema, at any depth. */
function propertiesIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, ...others } = schema as JsonSchema;
  return [
    ...Object.keys(properties as object),
    ...Object.values({ ...others, ...(properties as object) }).flatMap(propertiesIn),
  ];
}

/** The contract tests validate real responses against the same schemas, which allow no other members. */
describe('examples in the OpenAPI document', () => {
  const parameters = shownParameters(document);

  it('exist for every parameter', () => {
    const silent = [...parameters].flatMap(([operationId, each]) =>
      each.filter(({ example }) => example === undefined).map(({ name }) => `${operationId} ${name}`),
    );
    expect(silent).to.eql([]);
  });

  it('prefill only the required parameters of a form', () => {
    const others = [...parameters.values()]
      .flat()
      .filter(({ isFilledIn, required }) => isFilledIn !== required);
    expect(others.map(({ name }) => name)).to.eql([]);
  });

  it('are accepted as values of their parameters', () => {
    const refused = ({ query }: Route, { name, in: place, example }: ShownParameter): readonly unknown[] => {
      if (place === 'path') return isIdParameter(name) === isUuid(String(example)) ? [] : [example];
      const parameter = query[name];
      if (parameter === undefined) return [];
      const texts = [example].flat().map(String);
      return faults(parameter.schema, parameter.many ? texts : texts[0]);
    };
    for (const route of routes) {
      for (const each of parameters.get(route.operationId) ?? [])
        expect(refused(route, each), `${route.operationId} ${each.name}`).to.eql([]);
    }
  });

  it('match the schemas of parameters', () => {
    const operations = Object.values(
      document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>,
    );
    for (const { parameters: all = [] } of operations.flatMap((each) => Object.values(each))) {
      for (const { name, schema, example } of all) {
        const [shown] = example === undefined ? (schema.examples as readonly unknown[]) : [example];
        expect(faults(z.fromJSONSchema(schema), shown), name).to.eql([]);
      }
    }
  });

  it('match the schemas of bodies, and omit response-only fields', () => {
    const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    for (const { path, method, operationId, body } of routes) {
      const { schema } = paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json'] ?? {};
      const example = requestExamples[operationId];
      if (schema === undefined || typeof example === 'string') continue;
      expect(faults(validatorOf(schema), example), operationId).to.eql([]);
      expect(readOnlyIn(example, schema), operationId).to.eql([]);
      const silent = [example]
        .flat()
        .map((each) => body?.needed?.filter((name) => !(name in Object(each))) ?? []);
      expect(silent.flat(), operationId).to.eql([]);
    }
  });

  it('exist for every body type', () => {
    const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    const silent = routes.flatMap(({ path, method, operationId }) => {
      const { content = {} } = paths[path]?.[method.toLowerCase()]?.requestBody ?? {};
      return Object.entries(content)
        .filter(([, { example }]) => example === undefined)
        .map(([type]) => `${operationId} ${type}`);
    });
    expect(silent).to.eql([]);
  });

  it('are valid server responses for every model', () => {
    const failed = Object.entries(schemas).flatMap(([name, schema]) => {
      const answer = modelsByName().get(name)?.answer.D;
      return answer === undefined
        ? []
        : faults(answer, shownValue(schema, schemas)).map((each) => ({ name, each }));
    });
    expect(failed).to.eql([]);
    expect(shownValue(schemas.Error ?? {}, schemas)).to.include({ className: 'BillingError', code: 3002 });
  });

  it('are valid server responses for every operation', () => {
    for (const route of routes) {
      const { body } = route.success;
      if (body === undefined) continue;
      const made = shownValue(documentedAnswer(route), schemas);
      expect(faults(body.answer.D, made), route.operationId).to.eql([]);
    }
  });

  it('include every named example', () => {
    const shown = new Set<string | undefined>();
    for (const [operationId, each] of parameters)
      for (const { name } of each) shown.add(nameOfExample({}, operationId, name));
    const answers = routes.map((route) => [route.operationId, documentedAnswer(route)] as const);
    for (const [place, schema] of [...Object.entries(schemas), ...answers])
      for (const name of [place, ...propertiesIn(schema)]) shown.add(nameOfExample({}, place, name));
    const others = Object.keys(namedExamples).filter((name) => !(name in exampleIds) && !shown.has(name));
    expect(others).to.eql([]);
  });
});
