import { isIP } from 'node:net';
import { timeSpanIfValid } from '../../lib/values/time/index.ts';
import { Dialect } from '../koa/dialect.ts';
import type { RequestLimits, RequestRates, TokenIssuer, TokenOptions } from '../koa/index.ts';
import { type SettingName, settings } from './configuration/server-options.ts';
import { type Environment, environmentValue } from './environment.ts';
import { UsageError } from './usage-error.ts';

const shortestLifetimeMs = 1_000;
const longestLifetimeMs = 30 * 24 * 3_600_000;

/** Options of the command line by name; all are text. */
type Given = Readonly<Record<string, string | boolean | undefined>>;

/** The server as a process, apart from how it answers. */
export interface ProcessSettings {
  readonly testMode: boolean;
  /** Undefined: one of its own at each start. */
  readonly nodeName: string | undefined;
}

/** @throws UsageError that names the option or variable whose value is no good. */
export function processSettings(
  given: { readonly 'test-mode': boolean; readonly 'node-name'?: string | undefined },
  environment: Environment,
): ProcessSettings {
  const [testSource, testText = ''] = environmentValue('server.test.mode', environment);
  const isTest = testText === '' ? false : flag(testText);
  if (isTest === undefined) throw new UsageError(`${testSource} "${testText}" is not true or false`);
  const option = given['node-name'];
  const [nameSource, name = ''] =
    option === undefined ? environmentValue('server.nodeName', environment) : ['--node-name', option];
  if (!/^[\w.:@-]{0,128}$/.test(name))
    throw new UsageError(`${nameSource} "${name}" is not a name of at most 128 letters, digits and .:@_-`);
  return { testMode: given['test-mode'] || isTest, nodeName: name === '' ? undefined : name };
}

/** How the server answers over HTTP. */
export interface HttpSettings {
  readonly basePath: string;
  readonly trustedProxies: readonly string[];
  readonly locationHost: string | undefined;
  readonly locationFullUrl: boolean;
  readonly defaultDialect: Dialect;
  readonly aliasPrefixes: readonly string[] | undefined;
  readonly limits: Partial<RequestLimits>;
  readonly requestTimeMs: number | undefined;
  readonly maxConnections: number | undefined;
  readonly rates: Partial<RequestRates>;
  readonly allowedOrigins: readonly string[];
  readonly docs: boolean | undefined;
  readonly metricsRequireAuth: boolean | undefined;
  readonly tokens: TokenOptions;
  /** Undefined: on, in test mode off. */
  readonly lockOut: boolean | undefined;
  readonly sessionIdleMs: number | undefined;
}

const dialects = Object.values(Dialect);

/** The settings of `serve`. @throws UsageError that names the option or variable whose value is no good. */
export function httpSettings(given: Given, environment: Environment): HttpSettings {
  const read = <T>(name: SettingName, parse: (text: string) => T | undefined): T | undefined => {
    const [source, text] = givenValue(name, given, environment);
    if (text === undefined || text === '') return undefined;
    const value = parse(text);
    if (value !== undefined) return value;
    throw new UsageError(`${source} "${text}" is not ${settings[name].is}`);
  };
  return {
    basePath: read('base-path', (text) => (/^(?:\/[\w.~-]+)*\/?$/.test(text) ? text : undefined)) ?? '',
    trustedProxies: read('trusted-proxies', addresses) ?? [],
    locationHost: read('location-host', (text) => (/^[\w.:[\]-]+$/.test(text) ? text : undefined)),
    locationFullUrl: read('location-full-url', flag) ?? true,
    defaultDialect: read('default-dialect', (text) => dialects.find((each) => each === text)) ?? Dialect.D,
    aliasPrefixes: read('alias-prefixes', headerPrefixes),
    limits: present({
      json: read('limit-json', bytes),
      text: read('limit-text', bytes),
      header: read('limit-header', bytes),
      url: read('limit-url', bytes),
      list: read('limit-list', count),
      page: read('limit-page', count),
    }),
    requestTimeMs: read('limit-request-time', lifetime),
    maxConnections: read('limit-connections', count),
    rates: present({
      tenant: read('limit-rate-tenant', rate),
      principal: read('limit-rate-principal', rate),
      gateways: read('limit-rate-gateways', rate),
    }),
    allowedOrigins: read('cors-allowed-origins', origins) ?? [],
    docs: read('docs', flag),
    metricsRequireAuth: read('metrics-require-auth', flag),
    tokens: present({
      issuer: read('token-issuer', (text) => text),
      lifetimeMs: read('token-lifetime', lifetime),
      issuers: read('jwt-issuers', issuers),
    }),
    lockOut: read('lockout', flag),
    sessionIdleMs: read('session-timeout', lifetime),
  };
}

/** Where the value comes from, for messages, and the value. */
function givenValue(
  name: SettingName,
  given: Given,
  environment: Environment,
): readonly [source: string, text: string | undefined] {
  const option = given[name];
  return typeof option === 'string'
    ? [`--${name}`, option]
    : environmentValue(settings[name].property, environment);
}

function flag(text: string): boolean | undefined {
  return text === 'true' || text === 'false' ? text === 'true' : undefined;
}

function addresses(text: string): readonly string[] | undefined {
  const list = text.split(',').map((each) => each.trim());
  return list.every(isNetwork) ? list : undefined;
}

/** An origin as browsers send it: without path, and without the port where it is that of the scheme. */
function origins(text: string): readonly string[] | undefined {
  const list = text.split(',').map((each) => each.trim());
  return list.every((each) => each === '*' || URL.parse(each)?.origin === each) ? list : undefined;
}

function headerPrefixes(text: string): readonly string[] | undefined {
  const list = text.split(',').map((each) => each.trim());
  return list.every((each) => /^[A-Za-z][\w-]{0,60}-$/.test(each)) ? list : undefined;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}

const bytesOfUnit: Readonly<Record<string, number>> = { '': 1, KiB: 1_024, MiB: 1_048_576 };

function bytes(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,9}) ?(KiB|MiB)?$/.exec(text) ?? [];
  const count = Number(digits) * (bytesOfUnit[unit] ?? 1);
  return count > 0 ? count : undefined;
}

function count(text: string): number | undefined {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= 1_000_000 ? value : undefined;
}

function rate(text: string): number | null | undefined {
  return text === 'off' ? null : count(text);
}

function lifetime(text: string): number | undefined {
  const span = timeSpanIfValid(text);
  return span !== undefined && span >= shortestLifetimeMs && span <= longestLifetimeMs ? span : undefined;
}

/** Whether they are usable is checked later, where each message names the issuer. */
function issuers(text: string): readonly TokenIssuer[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isIssuer) ? list : undefined;
  } catch {
    return undefined;
  }
}

function isIssuer(value: unknown): value is TokenIssuer {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'issuer' in value &&
    typeof value.issuer === 'string' &&
    'jwksUri' in value &&
    typeof value.jwksUri === 'string'
  );
}

function present<T extends object>(values: { readonly [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}
