import { Dialect } from '../../dialect.ts';
import { statusOfCode } from '../../response/error-status.ts';
import { areaSegment, CORE, isIdParameter, parameterNamesOf } from '../../routing/path.ts';
import { producedTypes, type Route } from '../../routing/route.ts';
import { type Model, modelsByName } from '../../wire/model.ts';
import { pluginProperties, type QueryParameter } from '../../wire/query.ts';
import { DATE_OR_DATE_TIME, type JsonSchema } from '../../wire/wire-type.ts';
import { describedModel, queryText, segmentText } from '../descriptions/model-texts.ts';
import { failureCodes } from '../shared-parts.ts';
import {
  classes,
  modelNames,
  propertyOrders,
  publishedDifferences,
  publishedModels,
  publishedProperties,
  requiredProperties,
  unpublishedOperations,
  unpublishedProperties,
} from './published.ts';

/**
 * Returns the Swagger 2.0 document of dialect K. Clients generated from it have the classes, methods and parameters
 * of the published clients.
 */
export function swaggerDocument(routes: readonly Route[], basePath = ''): JsonSchema {
  const known = routes.filter(
    ({ path, operationId }) => path.startsWith(`${CORE}/`) && !unpublishedOperations.has(operationId),
  );
  const definitions = collectDefinitions();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of known) {
    const operations = paths[route.path] ?? {};
    operations[route.method.toLowerCase()] = operationOf(route, { definitions, routes: known });
    paths[route.path] = operations;
  }
  return {
    swagger: '2.0',
    info: {
      title: 'Kill Bill',
      version: '0.24.0',
      description:
        'The operations that Kill Bill clients call on this server, under their Kill Bill names. /openapi.json describes the complete API.',
    },
    basePath: basePath || '/',
    tags: [...new Set(known.map(classOf))].sort().map((name) => ({ name })),
    paths,
    securityDefinitions: {
      basicAuth: { type: 'basic' },
      'Killbill Api Key': { type: 'apiKey', name: 'X-Killbill-ApiKey', in: 'header' },
      'Killbill Api Secret': { type: 'apiKey', name: 'X-Killbill-ApiSecret', in: 'header' },
    },
    definitions: definitions.all(),
  };
}

interface Describing {
  readonly definitions: ReturnType<typeof collectDefinitions>;
  readonly routes: readonly Route[];
}

function operationOf(route: Route, describing: Describing): JsonSchema {
  const { operationId, summary, body, success } = route;
  const produces = producedTypes(success);
  return {
    tags: [classOf(route)],
    summary,
    operationId,
    ...(body === undefined ? {} : { consumes: [body.mediaTypes[0]] }),
    produces: produces.length === 0 ? ['application/json'] : [produces[0]],
    parameters: [
      ...parameterNamesOf(route.path).map(segmentParameter),
      ...bodyParameters(route, describing),
      ...queryParameters(route),
      ...(route.author || publishedDifferences(operationId).author ? authorParameters : []),
    ],
    responses: responsesOf(route, describing),
    security: [{ basicAuth: [], ...(route.credentials === 'TENANT' ? tenantSecurity : {}) }],
  };
}

const tenantSecurity = { 'Killbill Api Key': [], 'Killbill Api Secret': [] };

function classOf({ path }: Route): string {
  const segment = areaSegment(path);
  const name = classes[segment];
  if (name === undefined) throw new Error(`No Kill Bill client class is defined for ${path}`);
  return name;
}

function segmentParameter(name: string): JsonSchema {
  const type = name === 'invoiceNumber' ? { type: 'integer', format: 'int32' } : { type: 'string' };
  return {
    name,
    in: 'path',
    required: true,
    description: segmentText(name),
    ...type,
    ...(isIdParameter(name) ? { format: 'uuid' } : {}),
  };
}

function bodyParameters({ body }: Route, { definitions }: Describing): readonly JsonSchema[] {
  if (body === undefined) return [];
  const { format: _bytes, ...schema } = definitions.schemaOf(body.json);
  return [{ name: 'body', in: 'body', required: true, description: 'Request body', schema }];
}

function queryParameters({ operationId, query }: Route): readonly JsonSchema[] {
  const { parameters = Object.keys(query), optional = [], required = [] } = publishedDifferences(operationId);
  return parameters.map((name) => ({
    name,
    in: 'query',
    description: queryText(operationId, name),
    required: required.includes(name) || (query[name]?.required === true && !optional.includes(name)),
    ...querySchema(operationId, name, query[name]),
  }));
}

/** Returns the schema of a query parameter. Clients may send plugin properties even if no plugin receives them. */
function querySchema(
  operationId: string,
  name: string,
  { json }: Pick<QueryParameter<unknown>, 'json'> = pluginProperties,
): JsonSchema {
  const { texts = [], values = {}, defaults = {}, formats = {} } = publishedDifferences(operationId);
  if (texts.includes(name)) return { type: 'string' };
  const {
    type,
    format,
    items,
    enum: taken,
    default: fallback = defaults[name],
  } = swaggerSchema(json, ownName);
  const shape = type === 'array' ? { collectionFormat: 'multi', items } : { format: formats[name] ?? format };
  return { type, ...shape, enum: values[name] ?? taken, default: fallback };
}

function ownName(model: string): string {
  throw new Error(`A query parameter cannot have the type ${model}`);
}

const authorParameters = [
  { name: 'CreatedBy', description: 'Author of the change', required: true },
  { name: 'Reason', description: 'Reason for the change, stored in the audit log', required: false },
  { name: 'Comment', description: 'Comment on the change, stored in the audit log', required: false },
].map(({ name, ...header }) => ({ name: `X-Killbill-${name}`, in: 'header', ...header, type: 'string' }));

function responsesOf(route: Route, describing: Describing): JsonSchema {
  const { operationId, success, statusOf, outcomes = {} } = route;
  const dialect = Dialect.K;
  const told = failureCodes(route).map((code) => statusOfCode(code, { dialect, statusOf }));
  const failures = [...told, ...Object.keys(outcomes).map(Number)];
  const { unanswered = [] } = publishedDifferences(operationId);
  const done = { description: 'Done', schema: resultOf(route, describing) };
  const also = Object.keys(success.also ?? {}).filter((status) => Number(status) < 300);
  return {
    ...Object.fromEntries(unanswered.map((status) => [status, notAnswered(status, done)])),
    ...Object.fromEntries([...new Set(failures)].map((status) => [status, { description: 'Rejected' }])),
    ...Object.fromEntries(also.map((status) => [status, done])),
    ...(success.emptyStatus === undefined ? {} : { [success.emptyStatus]: { description: 'No content' } }),
    [success.statusInK ?? success.status]: done,
  };
}

/**
 * Returns the entry for a status that this server never sends. It has the same type as the other success statuses, so
 * that the client method has only one return type.
 */
function notAnswered(status: number, done: JsonSchema): JsonSchema {
  return { ...(status < 300 ? done : {}), description: 'Never returned by this server' };
}

/**
 * Returns the result of a client method. This is the body of the response or, without a body, the resource at
 * `Location`.
 */
function resultOf(
  { operationId, success }: Route,
  { definitions, routes }: Describing,
): JsonSchema | undefined {
  const { gives } = publishedDifferences(operationId);
  if (gives === 'NOTHING') return undefined;
  if (gives === 'TEXT') return { type: 'string' };
  const { location } = success;
  const found = location === undefined ? undefined : routes.find((route) => isAt(route, location))?.success;
  const { body, mediaTypes } = success.body === undefined && found !== undefined ? found : success;
  if (body !== undefined) return definitions.schemaOf(body.json);
  return mediaTypes === undefined ? undefined : { type: 'string' };
}

/** Returns true if the route has this method and path. Ignores the names of path parameters. */
function isAt({ method, path }: Route, location: string): boolean {
  const [place = ''] = location.split('?');
  return method === 'GET' && maskParameterNames(path) === maskParameterNames(`${CORE}${place}`);
}

function maskParameterNames(path: string): string {
  return path.replace(/\{\w+\}/g, '{}');
}

/**
 * Returns an object that collects the definitions to which a document refers. The definitions contain the dialect K
 * fields and use the model names of the clients.
 */
function collectDefinitions() {
  const made = new Map<string, JsonSchema>();

  /** Returns the Swagger 2.0 form of a schema. Models become definitions. */
  function schemaOf(schema: JsonSchema): JsonSchema {
    return swaggerSchema(schema, nameOf);
  }

  function nameOf(model: string): string {
    const name = modelNames[model] ?? model;
    if (made.has(name)) return name;
    // A model may contain itself.
    made.set(name, {});
    made.set(name, publishedModels[name] ?? definitionOf(modelBehind(name, model)));
    return name;
  }

  function definitionOf({ name, fields, component }: Model): JsonSchema {
    const { description, properties: described } = describedModel(name, component);
    const texts = described as Readonly<Record<string, JsonSchema>>;
    const hidden = unpublishedProperties[name] ?? [];
    const shown = Object.entries(fields).filter(([key, { onlyD }]) => !onlyD && !hidden.includes(key));
    const schemas = Object.fromEntries(shown.map(([key, { type }]) => [key, type.jsonInK ?? type.json]));
    const all = { ...schemas, ...publishedProperties[name] };
    const order = propertyOrders[name] ?? [];
    const names = [...order, ...Object.keys(all).filter((key) => !order.includes(key))];
    const properties = names.map((key) => {
      const schema = schemaOf(all[key] ?? {});
      const text = texts[key]?.description ?? schema.description;
      return [key, '$ref' in schema ? schema : { ...schema, description: text }];
    });
    const required = requiredProperties[name] ?? [];
    return {
      type: 'object',
      description,
      ...(required.length === 0 ? {} : { required }),
      properties: Object.fromEntries(properties),
    };
  }

  const all = () => Object.fromEntries([...made].sort(([one], [other]) => (one < other ? -1 : 1)));
  return { schemaOf, all };
}

function modelBehind(name: string, alias: string): Model {
  const model = modelsByName().get(name) ?? modelsByName().get(alias);
  if (model === undefined) throw new Error(`The document refers to an unknown model ${alias}`);
  return model;
}

const COMPONENT = '#/components/schemas/';

/** JSON Schema keywords that are copied to Swagger 2.0. Swagger 2.0 does not support null or alternatives. */
const kept = ['format', 'default', 'enum', 'description', 'maxLength'] as const;

function swaggerSchema(schema: JsonSchema, nameOf: (model: string) => string): JsonSchema {
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

function firstOf(schemas: readonly JsonSchema[]): JsonSchema {
  return schemas.find(({ type }) => type !== 'null') ?? {};
}
