import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { timeSpanIfValid } from '../../lib/values/time/index.ts';
import { Dialect } from '../koa/dialect.ts';
import type { RequestLimits, RequestRates, TokenIssuer, TokenOptions } from '../koa/index.ts';
import { type OptionValues, textOf } from './commands/options.ts';
import type { Configured } from './configuration/configured.ts';
import { type SettingName, settings } from './configuration/server-options.ts';
import { cellsOf, databaseOf, isPostgresqlUrl } from './database.ts';
import { defaultDocuments, environmentConfiguration } from './engine-settings.ts';
import { type Environment, environmentValue } from './environment.ts';
import { UsageError } from './usage-error.ts';

const defaultPort = 8_080;
const defaultHost = '127.0.0.1';

export type ServeOptions = Awaited<ReturnType<typeof serveOptions>>;

/**
 * Server settings. A command line option takes precedence over the environment, and the environment over the
 * configuration file.
 */
export async function serveOptions(given: OptionValues, configured: Configured) {
  const { definition, environment, file } = configured;
  const read = settingsReader(file);
  const { testMode, nodeName } = read(() =>
    processSettings(
      { 'test-mode': given['test-mode'] === true, 'node-name': textOf(given, 'node-name') },
      environment,
    ),
  );
  const sandboxLedger = textOf(given, 'sandbox-ledger') ?? (testMode ? definition.sandboxLedger : undefined);
  if (sandboxLedger !== undefined && !testMode)
    throw new UsageError('--sandbox-ledger needs --test-mode, which provides the sandbox gateway');
  const database = databaseOf(textOf(given, 'database'), configured, { testMode });
  const cells = cellsOf(definition, database);
  const requireRowSecurity = given['require-rls'] === true || definition.requireRowSecurity === true;
  if (requireRowSecurity && !isPostgresqlUrl(database))
    throw new UsageError('--require-rls needs a PostgreSQL database: SQLite has no row-level security');
  const workers = read(() => workersOf(textOf(given, 'workers'), configured));
  if (workers !== undefined) refuseWorkers({ database, testMode });
  const port = textOf(given, 'port');
  return {
    port: port === undefined ? (definition.port ?? defaultPort) : portOf(port),
    host: hostOf(textOf(given, 'host')) ?? definition.host ?? defaultHost,
    /** SQLite path or PostgreSQL URL. If there are cells, this is the URL of the directory. */
    database,
    /** URLs of the cells by name, or null if there is a single database. */
    cells,
    /** Names of the cells whose queue this node processes. Undefined means all cells. */
    work: workOf(textOf(given, 'work'), definition),
    /** Number of worker processes. Undefined means that this process serves the port itself. */
    workers,
    /** If true, migrates a PostgreSQL database at startup. */
    migrate: given.migrate === true || definition.migrate === true,
    /** If true, rejects PostgreSQL roles that bypass row-level security. */
    requireRowSecurity,
    testMode,
    /** If true, logs every request at level info. */
    accessLog: given['access-log'] === true,
    /** Name of this node. If undefined, each start generates a name. */
    nodeName,
    environment,
    /** Path of the ledger file of the test mode sandbox. */
    sandboxLedger,
    http: read(() => httpSettings(given, environment)),
    configuration: read(() => environmentConfiguration(environment)),
    ...(await defaultDocuments(given, configured)),
    definition,
    configurationFile: file,
  };
}

const MAX_WORKERS = 256;

/** Returns the number of workers if it is set. @throws UsageError that names the option, variable or setting. */
export function workersOf(
  option: string | undefined,
  { definition, environment }: Pick<Configured, 'definition' | 'environment'>,
): number | undefined {
  const [variable, set] = environmentValue('server.workers', environment);
  const found: readonly (readonly [source: string, text: string | undefined])[] = [
    ['--workers', option],
    [variable, set],
    ['workers of the configuration file', definition.workers?.toString()],
  ];
  const [source, text = ''] = found.find((each) => each[1] !== undefined) ?? ['', ''];
  if (text === '') return undefined;
  if (text === 'auto') return Math.min(availableParallelism(), MAX_WORKERS);
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MAX_WORKERS) return count;
  throw new UsageError(`${source} "${text}" is not a number from 1 to ${MAX_WORKERS} or auto`);
}

function refuseWorkers(options: { readonly database: string; readonly testMode: boolean }): void {
  if (options.testMode)
    throw new UsageError(
      '--workers cannot be combined with test mode, whose sandbox gateway is configured in one process',
    );
  if (!isPostgresqlUrl(options.database))
    throw new UsageError(
      '--workers needs a PostgreSQL database: only one process can serve a SQLite file. Set --database to a postgresql:// URL',
    );
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port ${text} is not a port: use a number from 0 to 65535`);
}

/** Returns the host to listen on. Returns undefined for an empty host, so that Node listens on all addresses. */
function hostOf(text: string | undefined): string | undefined {
  if (text?.trim() === '')
    throw new UsageError(
      '--host is empty: specify an address, such as 127.0.0.1, or 0.0.0.0 for all addresses of this machine',
    );
  return text;
}

/** Returns a function that reads settings. Errors about properties in the configuration file name the file. */
function settingsReader(file: string | null): <T>(read: () => T) => T {
  return (read) => {
    try {
      return read();
    } catch (error) {
      if (file === null || !(error instanceof UsageError) || !/^org\.\w+\./.test(error.message)) throw error;
      throw new UsageError(`${file}: ${error.message}`);
    }
  };
}

const shortestLifetimeMs = 1_000;
const longestLifetimeMs = 30 * 24 * 3_600_000;

/** Returns the settings of the process. @throws UsageError that names the option or variable. */
export function processSettings(
  given: { readonly 'test-mode': boolean; readonly 'node-name'?: string | undefined },
  environment: Environment,
) {
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

const dialects = Object.values(Dialect);

/** Returns the settings of the process. @throws UsageError that names the option or variable. */
export function httpSettings(given: OptionValues, environment: Environment) {
  const read = <T>(name: SettingName, parse: (text: string) => T | undefined): T | undefined => {
    const option = textOf(given, name);
    const [source, text] =
      option === undefined ? environmentValue(settings[name].property, environment) : [`--${name}`, option];
    if (text === undefined || text === '') return undefined;
    const value = parse(text);
    if (value !== undefined) return value;
    throw new UsageError(`${source} "${text}" is not ${settings[name].is}`);
  };
  return {
    basePath: read('base-path', (text) => (/^(?:\/[\w.~-]+)*\/?$/.test(text) ? text : undefined)) ?? '',
    trustedProxies: read('trusted-proxies', listOf(isNetwork)) ?? [],
    locationHost: read('location-host', (text) => (/^[\w.:[\]-]+$/.test(text) ? text : undefined)),
    locationFullUrl: read('location-full-url', flag) ?? true,
    defaultDialect: read('default-dialect', (text) => dialects.find((each) => each === text)) ?? Dialect.D,
    aliasPrefixes: read('alias-prefixes', listOf(isHeaderPrefix)),
    limits: present<RequestLimits>({
      json: read('limit-json', bytes),
      text: read('limit-text', bytes),
      header: read('limit-header', bytes),
      url: read('limit-url', bytes),
      list: read('limit-list', count),
      page: read('limit-page', count),
    }),
    requestTimeMs: read('limit-request-time', lifetime),
    maxConnections: read('limit-connections', count),
    rates: present<RequestRates>({
      tenant: read('limit-rate-tenant', rate),
      principal: read('limit-rate-principal', rate),
      gateways: read('limit-rate-gateways', rate),
    }),
    allowedOrigins: read('cors-allowed-origins', listOf(isOrigin)) ?? [],
    docs: read('docs', flag),
    console: given['no-console'] === false ? false : read('console', flag),
    metricsRequireAuth: read('metrics-require-auth', flag),
    tokens: present<TokenOptions>({
      issuer: read('token-issuer', (text) => text),
      lifetimeMs: read('token-lifetime', lifetime),
      issuers: read('jwt-issuers', issuers),
    }),
    /** If true, locks users out after failed logins. If undefined, users are locked out except in test mode. */
    lockOut: read('lockout', flag),
    sessionIdleMs: read('session-timeout', lifetime),
  };
}

function flag(text: string): boolean | undefined {
  return text === 'true' || text === 'false' ? text === 'true' : undefined;
}

/** Returns a function that parses a comma-separated list. */
function listOf(isValid: (text: string) => boolean): (text: string) => readonly string[] | undefined {
  return (text) => {
    const list = text.split(',').map((each) => each.trim());
    return list.every(isValid) ? list : undefined;
  };
}

/** Returns true for an origin in the form that browsers send, without a path and without a default port. */
const isOrigin = (text: string): boolean => text === '*' || URL.parse(text)?.origin === text;
const isHeaderPrefix = (text: string): boolean => /^[A-Za-z][\w-]{0,60}-$/.test(text);

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

/**
 * Returns the cells named in `--work` or, without this option, in the configuration file.
 * @throws UsageError for an unknown cell.
 */
function workOf(
  option: string | undefined,
  { work, cells }: Configured['definition'],
): readonly string[] | undefined {
  const names = option === undefined ? work : option.split(',').map((name) => name.trim());
  if (names === undefined) return undefined;
  const known = Object.keys(cells ?? {});
  for (const name of names)
    if (!known.includes(name))
      throw new UsageError(
        known.length === 0
          ? '--work needs the cells of the configuration file'
          : `--work names the cell "${name}"; the cells of the configuration file are ${known.join(', ')}`,
      );
  return names;
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

/** Parses the list of token issuers. Each issuer is validated later. */
function issuers(text: string): readonly TokenIssuer[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isIssuer) ? list : undefined;
  } catch {
    return undefined;
  }
}

function isIssuer(value: Partial<TokenIssuer> | null): value is TokenIssuer {
  return typeof value?.issuer === 'string' && typeof value.jwksUri === 'string';
}

function present<T extends object>(values: { readonly [K in keyof T]?: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

// These functions are imported statically, because a dynamic import would add another file to load at startup.
export { reachingDatabase } from './database.ts';
export { packagesOf } from './packages.ts';
