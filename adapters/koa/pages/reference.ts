import { settingDescriptions } from '../../../lib/tenants/index.ts';
import { classNameOf, ErrorCode } from '../../../lib/values/errors/index.ts';
import { Dialect } from '../dialect.ts';
import { areaTexts } from '../openapi/descriptions/areas.ts';
import { statusOfCode } from '../response/error-status.ts';
import { producedTypes, type Route } from '../routing/route.ts';
import { modelsByName } from '../wire/model.ts';
import type { QueryParameter } from '../wire/query.ts';
import type { JsonSchema } from '../wire/wire-type.ts';
import { type DocumentationPage, generatedPage } from './documentation.ts';

/** Returns the pages that are generated from the code: endpoints, models, error codes and tenant properties. */
export function referencePages(routes: readonly Route[], document: JsonSchema): readonly DocumentationPage[] {
  const { schemas } = document.components as { readonly schemas: Schemas };
  const texts = {
    ENDPOINTS: endpointsPage(routes),
    MODELS: modelsPage(schemas),
    ERRORS: errorsPage(),
    PROPERTIES: propertiesPage(),
  };
  return Object.entries(texts).map(([name, text]) => generatedPage(name, text));
}

type Schemas = Readonly<Record<string, JsonSchema>>;

function endpointsPage(routes: readonly Route[]): string {
  const areas = [...Map.groupBy(routes, ({ area }) => area)].sort(([one], [other]) => (one < other ? -1 : 1));
  const head = ['Endpoint', 'Operation', 'Query', 'Body', 'Success', 'Own errors', 'Permission'];
  return page(
    'Endpoints',
    'This page lists all endpoints of the API by area. In a query, `!` marks a required parameter, `*` a list, and `=` a default. Errors that many endpoints share are omitted; http-api §12 lists them.',
    areas.map(([area, listed]) => [area, `${areaTexts[area]}.`, table(head, listed.map(endpointCells))]),
  );
}

function endpointCells(route: Route): readonly string[] {
  const { method, path, operationId, summary, query, body } = route;
  return [
    `${method} ${path}`,
    `${operationId}: ${summary}`,
    Object.entries(query).map(parameterText).join(', '),
    body === undefined ? '' : `${bodyText(body)}${body.required ? '' : '?'}`,
    successText(route),
    ownErrors(route),
    permissionText(route),
  ];
}

function parameterText([name, { required, many, json }]: [string, QueryParameter<unknown>]): string {
  const fallback = json.default === undefined ? '' : `=${json.default}`;
  return `${name}${required ? '!' : ''}${many ? '*' : ''}${fallback}`;
}

function bodyText({ json, mediaTypes }: NonNullable<Route['body']>): string {
  return mediaTypes[0] === 'application/json' ? typeText(json) : mediaTypes[0];
}

function successText({ success }: Route): string {
  const { status, statusInK, emptyStatus, body, location, isEmptyWhen, also = {} } = success;
  const [type] = producedTypes(success);
  const shown = body === undefined ? type : typeText(body.json);
  const texts = [
    [status, ...(shown === undefined ? [] : [shown]), ...(location === undefined ? [] : ['→', location])],
    ...(statusInK === undefined ? [] : [[statusInK, 'in dialect K']]),
    ...(emptyStatus === undefined ? [] : [[emptyStatus, 'nothing to do']]),
    ...(isEmptyWhen === undefined ? [] : [['empty:', isEmptyWhen]]),
    ...Object.entries(also),
  ];
  return texts.map((words) => words.join(' ')).join('; ');
}

function ownErrors({ fails, statusOf, outcomes = {} }: Route): string {
  const byStatus = Map.groupBy(fails, (code) => statusOfCode(code, { dialect: Dialect.D, statusOf }));
  const codes = [...byStatus].map(([status, each]) => `${status}: ${each.join(' ')}`);
  return [...codes, ...Object.entries(outcomes).map((each) => each.join(': '))].join('; ');
}

function permissionText({ permission, alsoNeeds = [], needsFor = {}, orSelf }: Route): string {
  const always = [permission, ...alsoNeeds].filter((each) => each !== 'NONE');
  const cases = Object.entries(needsFor).map(([when, each]) => `${each} ${when}`);
  return [...always, ...cases, ...(orSelf ? ['none for the own user'] : [])].join(', ');
}

function modelsPage(schemas: Schemas): string {
  return page(
    'JSON models',
    'This page lists the fields of all JSON models. Access: `R` only in responses, `C` set on creation, `W` set on creation and update, `I` only in requests; `!` is required on creation, and `D+` exists only in dialect D. json-models describes the rules.',
    Object.entries(schemas).map(([name, { description, properties = {} }]) => [
      name,
      `${description}.`,
      table(
        ['Field', 'Type', 'Access', 'Description'],
        Object.entries(properties as Schemas).map(([field, schema]) => [
          field,
          typeText(schema),
          accessText(name, field),
          String(schema.description ?? ''),
        ]),
      ),
    ]),
  );
}

function accessText(model: string, name: string): string {
  const field = modelsByName().get(model)?.fields[name];
  return field === undefined ? 'R' : `${field.access}${field.required ? '!' : ''}${field.onlyD ? ' D+' : ''}`;
}

function typeText(schema: JsonSchema): string {
  const { $ref, anyOf, enum: values, const: only, type, format, maxLength, items } = schema;
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(typeText))].join(' or ');
  if (Array.isArray(values)) return values.join(', ');
  if (only !== undefined) return JSON.stringify(only);
  const types = [type].flat().map((each) => (each === 'array' ? `${typeText(items as JsonSchema)}[]` : each));
  const [kind = 'any', ...others] = types;
  const named = kind === 'string' ? (format ?? kind) : kind;
  return [`${named}${maxLength === undefined ? '' : ` ≤ ${maxLength}`}`, ...others].join(' or ');
}

function errorsPage(): string {
  const codes = Object.entries(ErrorCode).map(([name, code]) => {
    const [d, k] = [Dialect.D, Dialect.K].map((dialect) => statusOfCode(code, { dialect }));
    return { code, name, status: d === k ? `${d}` : `${d}, in dialect K ${k}` };
  });
  const classes = Map.groupBy(codes, ({ code }) => classNameOf(code));
  return page(
    'Error codes',
    'This page lists the codes of all errors with their usual HTTP status. http-api §12 describes the endpoints that return another status.',
    [...classes].map(([className, listed]) => [
      className,
      '',
      table(
        ['Code', 'Name', 'Status'],
        listed.map(({ code, name, status }) => [String(code), name, status]),
      ),
    ]),
  );
}

function propertiesPage(): string {
  const properties = Map.groupBy(settingDescriptions(), ({ name }) => name.split('.')[0] ?? name);
  return page(
    'Tenant properties',
    'This page lists the properties that each tenant can set, without the prefix `org.service.`. For their rules see platform §4.',
    [...properties].map(([area, listed]) => [
      area,
      '',
      table(
        ['Property', 'Default', 'Effect', 'Values'],
        listed.map(({ name, fallback, description, allowed }) => [name, fallback, description, allowed]),
      ),
    ]),
  );
}

function page(
  title: string,
  intro: string,
  sections: readonly (readonly [heading: string, text: string, table: string])[],
): string {
  const parts = sections.map(([heading, ...blocks]) => [`## ${heading}`, ...blocks]);
  return `${[`# ${title}`, intro, ...parts.flat()].filter((block) => block !== '').join('\n\n')}\n`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
