import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';

export interface Answered {
  readonly config: { readonly method?: string; readonly url?: string };
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly data: unknown;
}

/** A type in the Swagger 2.0 document that the package was generated from. */
interface Described {
  readonly $ref?: string;
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: Described;
  readonly properties?: Readonly<Record<string, Described>>;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly schema?: Described }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly definitions: Readonly<Record<string, Described>>;
}

const path = fileURLToPath(new URL('../../node_modules/killbill/codegen/kbswagger.yaml', import.meta.url));
const document = load(readFileSync(path, 'utf8')) as Document;

const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method,
    operation,
    path: new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    literals: template.split('/').filter((segment) => !segment.startsWith('{')).length,
  })),
);
operations.sort((one, other) => other.literals - one.literals);

/** Models whose fields the document lists only in part. */
const openModels = new Set(['Entity']);

/**
 * Compares a response with the package's own document: fields, types, enumeration values and date formats. @throws
 * Error.
 */
export function checkAnswer(response: Answered): void {
  const { method = 'get', url = '' } = response.config;
  if (response.status === 204 || response.data === '') return;
  const called = operationAt(method, url);
  const promised = called.responses[response.status]?.schema;
  // The document declares the response of an upload as text, but the package returns the resource at `Location`.
  const { location } = response.headers;
  const isFollowed = promised?.type === 'string' && typeof location === 'string';
  const schema = isFollowed ? operationAt('get', location).responses['200']?.schema : promised;
  if (schema === undefined) return;
  const differences: string[] = [];
  compare(response.data, schema, { at: called.operationId, differences });
  if (differences.length > 0) throw new Error(differences.join('\n'));
}

/** Returns the operation of a call, and whether its document promises a response with that status. */
export function promiseOf({ config, status }: Pick<Answered, 'config' | 'status'>) {
  const { operationId, responses } = operationAt(config.method ?? 'get', config.url ?? '');
  return { operationId, isPromised: String(status) in responses };
}

function operationAt(method: string, url: string): Operation {
  const { pathname } = new URL(url);
  const found = operations.find((known) => known.method === method && known.path.test(pathname));
  if (found === undefined) throw new Error(`The document has no ${method} ${pathname}`);
  return found.operation;
}

interface Place {
  readonly at: string;
  readonly differences: string[];
}

function compare(value: unknown, described: Described, place: Place): void {
  if (value === null) return;
  const { $ref, type } = described;
  if ($ref !== undefined) compareModel(value, $ref.slice('#/definitions/'.length), place);
  else if (type === 'array') compareList(value, described.items ?? {}, place);
  else if (type !== 'object' && type !== undefined && !isScalar(value, described)) {
    place.differences.push(`${place.at}: ${JSON.stringify(value)} is no ${described.format ?? type}`);
  }
}

function compareModel(value: unknown, name: string, { at, differences }: Place): void {
  const { properties } = document.definitions[name] ?? {};
  if (properties === undefined) return;
  if (typeof value !== 'object' || Array.isArray(value)) {
    differences.push(`${at}: ${JSON.stringify(value)} is no ${name}`);
    return;
  }
  for (const [key, member] of Object.entries(value ?? {})) {
    const described = properties[key];
    if (described !== undefined) compare(member, described, { at: `${at}.${key}`, differences });
    else if (!openModels.has(name)) differences.push(`${at}: ${name} has no ${key}`);
  }
}

function compareList(value: unknown, items: Described, { at, differences }: Place): void {
  if (!Array.isArray(value)) {
    differences.push(`${at}: ${JSON.stringify(value)} is not a list`);
    return;
  }
  for (const [index, element] of value.entries())
    compare(element, items, { at: `${at}[${index}]`, differences });
}

const formats: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
};

function isScalar(value: unknown, { type, format, enum: values }: Described): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type !== 'string') return typeof value === type;
  if (typeof value !== 'string') return false;
  if (values !== undefined) return values.includes(value);
  return format === undefined || (formats[format]?.test(value) ?? true);
}
