import type { Steps } from '../../../lib/runtime/index.ts';
import type { ErrorCode } from '../../../lib/values/errors/index.ts';
import { Dialect } from '../dialect.ts';
import { statusOfCode } from '../response/error-status.ts';
import { LINES_TYPE, XML_TYPES } from '../routing/body.ts';
import { isIdParameter, parameterNamesOf } from '../routing/path.ts';
import { producedTypes, type Route, takesKey } from '../routing/route.ts';
import { modelsByName } from '../wire/model.ts';
import type { QueryParameter } from '../wire/query.ts';
import type { JsonSchema } from '../wire/wire-type.ts';
import { areaTexts } from './descriptions/areas.ts';
import { describedModel, queryText, segmentText } from './descriptions/model-texts.ts';
import { answerExamples } from './examples/answer-examples.ts';
import { requestExample } from './examples/request-examples.ts';
import { exampleOf, withExamples } from './examples/shown-examples.ts';
import {
  authorParameters,
  errorComponent,
  failureCodes,
  idempotencyParameter,
  pageHeaders,
  replayHeader,
  retryHeader,
  securityOf,
  securitySchemes,
  tagHeader,
} from './shared-parts.ts';

/** Generates the OpenAPI 3.1 document of the routes below `basePath`. Each step handles one operation or model. */
export function* documentSteps(routes: readonly Route[], basePath = ''): Steps<JsonSchema> {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    operations[route.method.toLowerCase()] = operationOf(route);
    paths[route.path] = operations;
    yield;
  }
  const found = yield* componentsOf(paths, componentNamed);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Billwright',
      version: '1.0',
      description:
        'Subscription billing. Every X-Service-… header has the alias X-Killbill-…. Requests that send only aliases use dialect K: they receive its responses, and may write dates in bodies as [year, month, day].',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath || '/' }],
    tags: [...new Set(routes.map(({ area }) => area))].map((name) => ({
      name,
      description: areaTexts[name],
    })),
    paths,
    components: { schemas: schemasOf(found, yield* requestModelsOf(routes, found)), securitySchemes },
  };
}

/**
 * Parameter aliases that the document omits. A generated client that ignores letter case would declare such a parameter
 * twice.
 */
const otherSpellings: ReadonlySet<string> = new Set(['PluginName']);

function operationOf(route: Route): JsonSchema {
  const parameters = [
    ...parameterNamesOf(route.path).map((name) => pathParameter(route, name)),
    ...Object.entries(route.query)
      .filter(([name]) => !otherSpellings.has(name))
      .map(([name, parameter]) => queryParameter(route, name, parameter)),
    ...(route.author ? authorParameters : []),
    ...(takesKey(route) ? [idempotencyParameter] : []),
  ];
  const { operationId, summary, area, body } = route;
  return {
    operationId,
    summary,
    tags: [area],
    ...describePermissions(route),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBodyOf(body, operationId) }),
    responses: responsesOf(route),
    security: securityOf(route),
  };
}

function describePermissions({ permission, alsoNeeds = [], needsFor = {}, orSelf }: Route): JsonSchema {
  const always = [permission, ...alsoNeeds].filter((each) => each !== 'NONE').map((each) => `\`${each}\``);
  const cases = Object.entries(needsFor).map(([when, each]) =>
    always.length === 0 ? `\`${each}\` ${when}` : `${when} also \`${each}\``,
  );
  if (always.length + cases.length === 0) return {};
  const kinds = `permission${always.length + cases.length > 1 ? 's' : ''}`;
  const needed = [...(always.length === 0 ? [] : [always.join(', ')]), ...cases].join('; ');
  return {
    description: `Needs the ${kinds} ${needed}${orSelf ? ', except for users who request their own data' : ''}.`,
  };
}

function pathParameter({ operationId }: Route, name: string): JsonSchema {
  const schema = segmentSchema(name);
  const example = exampleOf(schema, operationId, name);
  return { name, in: 'path', description: segmentText(name), required: true, example, schema };
}

function segmentSchema(name: string): JsonSchema {
  if (name === 'invoiceNumber') return { type: 'integer' };
  return isIdParameter(name) ? { type: 'string', format: 'uuid' } : { type: 'string' };
}

/**
 * Returns a query parameter. The documentation page sends every `example`, so the example of an optional parameter is
 * in its schema instead.
 */
function queryParameter(
  { operationId }: Route,
  name: string,
  { required, json }: QueryParameter<unknown>,
): JsonSchema {
  const example = exampleOf(json, operationId, name);
  return {
    name,
    in: 'query',
    description: queryText(operationId, name),
    required,
    ...(required ? { example, schema: json } : { schema: { ...json, examples: [example] } }),
  };
}

function requestBodyOf(body: NonNullable<Route['body']>, operationId: string): JsonSchema {
  const content = body.mediaTypes.map((type) => {
    const example = requestExample(operationId, type);
    return [type, { schema: sentSchema(body, type), ...(example === undefined ? {} : { example }) }];
  });
  return { required: body.required, content: Object.fromEntries(content) };
}

function sentSchema({ json, needed = [] }: NonNullable<Route['body']>, type: string): JsonSchema {
  if (type === LINES_TYPE) return { type: 'string', description: 'One list element per line' };
  if (XML_TYPES.some((each) => each === type)) return { type: 'string' };
  const { items } = json as { readonly items?: JsonSchema };
  return items === undefined ? markRequired(json, needed) : { ...json, items: markRequired(items, needed) };
}

/** Returns the model. The fields that this operation needs are marked as required. */
function markRequired(json: JsonSchema, needed: readonly string[]): JsonSchema {
  const [name] = referencesIn(json);
  if (name === undefined) return json;
  const { required = [] } = componentNamed(name) as { readonly required?: readonly string[] };
  const others = needed.filter((each) => !required.includes(each));
  return others.length === 0 ? json : { ...json, required: others };
}

function responsesOf(route: Route): JsonSchema {
  const { success } = route;
  const headers = {
    ...(success.location && { Location: locationHeader(success.location) }),
    ...(success.paged && pageHeaders),
    ...(hasTag(route) && { ETag: tagHeader }),
    ...(takesKey(route) && { 'Idempotency-Replayed': replayHeader }),
  };
  const types = producedTypes(success);
  const content = Object.fromEntries(types.map((type) => [type, contentOf(route, type)]));
  const orEmpty = success.isEmptyWhen && { 'text/plain': emptyContent(success.isEmptyWhen) };
  const succeeded = {
    description: success.body === undefined && types.length === 0 ? 'Done' : 'Success',
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(types.length > 0 && { content: { ...content, ...(orEmpty || {}) } }),
  };
  return {
    [success.status]: succeeded,
    ...(success.statusInK && { [success.statusInK]: succeeded }),
    ...(success.emptyStatus && { [success.emptyStatus]: { description: 'No content' } }),
    ...(hasTag(route) && { 304: { description: 'Not modified: the tag in `If-None-Match` is current' } }),
    ...alsoOf(route, content),
    ...failuresOf(route),
    default: {
      ...errorResponse('Any other failure', route.errorJson),
      headers: { 'Retry-After': retryHeader },
    },
  };
}

function locationHeader(location: string): JsonSchema {
  return {
    description: `URL of ${location}, or only its path if the server is configured that way`,
    schema: { type: 'string', format: 'uri-reference' },
  };
}

/**
 * Returns true for a route that returns a single JSON resource. Its responses have an entity tag (http-api §11 rule 1).
 */
function hasTag({ method, credentials, success }: Route): boolean {
  const isList = success.body?.json.type === 'array';
  const isJson = success.mediaTypes === undefined || success.mediaTypes[0] === 'application/json';
  return method === 'GET' && credentials !== 'NONE' && success.body !== undefined && isJson && !isList;
}

/** Returns the other success statuses of a route. Errors may also use some of these statuses. */
function alsoOf({ success }: Route, content: Readonly<Record<string, Content>>) {
  const withError = ({ schema }: Content) => ({ schema: { anyOf: [schema, errorReference] } });
  const orError = Object.fromEntries(Object.entries(content).map(([type, each]) => [type, withError(each)]));
  const also = Object.entries(success.also ?? {}).map(([status, description]) => {
    const shown = Number(status) < 400 ? content : orError;
    return [status, { description, ...(Object.keys(shown).length === 0 ? {} : { content: shown }) }];
  });
  return Object.fromEntries(also);
}

function contentSchema(route: Route, type: string): JsonSchema {
  if (type === 'application/json' && route.success.body)
    return withExamples(route.success.body.json, route.operationId);
  if (type === 'application/json' || type === 'application/yaml') return { type: 'object' };
  return type === 'application/pdf' ? { type: 'string', format: 'binary' } : { type: 'string' };
}

/**
 * Returns the content of a response. If a response has several statuses, only the success status contains the example.
 */
function contentOf(route: Route, type: string): Content {
  const example = type === 'application/json' ? answerExamples[route.operationId] : undefined;
  return { schema: contentSchema(route, type), ...(example === undefined ? {} : { example }) };
}

interface Content {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

function emptyContent(when: string): JsonSchema {
  return { schema: { type: 'string', const: '', description: when } };
}

function failuresOf(route: Route): JsonSchema {
  const byStatus = Map.groupBy(failureCodes(route), (code) =>
    statusOfCode(code, { dialect: Dialect.D, statusOf: route.statusOf }),
  );
  const outcomes = Object.entries(route.outcomes ?? {});
  const described = [...byStatus].map(([status, codes]) => {
    const hasOwn = codes.some((code) => route.fails.includes(code));
    return [
      status,
      errorResponse(`Error codes ${joinCodes(codes)}${hasOwn ? ', and general error codes' : ''}`),
    ];
  });
  return {
    ...Object.fromEntries(outcomes.map(([status, text]) => [status, errorResponse(text, route.errorJson)])),
    ...Object.fromEntries(described),
  };
}

function errorResponse(description: string, schema: JsonSchema = errorReference): JsonSchema {
  return { description, content: { 'application/json': { schema } } };
}

const errorReference = { $ref: '#/components/schemas/Error' };

function joinCodes(codes: readonly ErrorCode[]): string {
  return [...new Set(codes)].sort((one, other) => one - other).join(', ');
}

/**
 * Returns the schemas. Properties that occur only in responses are required only in response models, because many
 * generators would also require them in requests.
 */
function schemasOf(found: Components, requestModels: Components): JsonSchema {
  const shown = [...found].map(([name, component]): [string, JsonSchema] => [
    name,
    requestModels.has(name) ? withoutReadOnly(component) : component,
  ]);
  return Object.fromEntries(shown.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function requestModelsOf(routes: readonly Route[], found: Components): Steps<Components> {
  const bodies = routes.map(({ body }) => body?.json ?? {});
  return componentsOf(bodies, (name) => found.get(name) ?? {});
}

function withoutReadOnly({ required, ...component }: JsonSchema): JsonSchema {
  const properties = component.properties as Readonly<Record<string, JsonSchema>>;
  const needed =
    (required as readonly string[] | undefined)?.filter((name) => !properties[name]?.readOnly) ?? [];
  return needed.length === 0 ? component : { ...component, required: needed };
}

/** Yields the components to which a part refers, directly or indirectly. */
function* componentsOf(part: unknown, named: (name: string) => JsonSchema): Steps<Components> {
  const found = new Map<string, JsonSchema>();
  const open: unknown[] = [part];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const name of referencesIn(next)) {
      if (found.has(name)) continue;
      const component = named(name);
      found.set(name, component);
      open.push(component);
      yield;
    }
  }
  return found;
}

type Components = ReadonlyMap<string, JsonSchema>;

function componentNamed(name: string): JsonSchema {
  if (name === 'Error') return withExamples(errorComponent, name);
  const component = modelsByName().get(name)?.component;
  if (component === undefined) throw new Error(`The document refers to an unknown model ${name}`);
  return withExamples(describedModel(name, component), name);
}

function referencesIn(value: unknown): readonly string[] {
  return [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
    (match) => match[1] ?? '',
  );
}
