import type { NewOverdueDefinition } from '../../lib/index.ts';
import type { ConfigurationObject } from '../../lib/tenants/index.ts';
import type { ServerDefinition } from '../server/index.ts';
import { documentsOf, type Given, textOf } from './commands/options.ts';
import type { Configured } from './configuration/configured.ts';
import { databaseOf, isPostgresqlUrl } from './database.ts';
import { defaultDocuments, environmentConfiguration } from './engine-settings.ts';
import type { Environment } from './environment.ts';
import { type HttpSettings, httpSettings, processSettings } from './settings.ts';
import { UsageError } from './usage-error.ts';

const defaultPort = 8_080;
const defaultHost = '127.0.0.1';

export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  /** Path of a SQLite file or URL of a PostgreSQL database. */
  readonly database: string;
  /** Whether to bring the schema of a PostgreSQL database up to date first. */
  readonly migrate: boolean;
  /** Whether to refuse a role of a PostgreSQL database that row-level security does not bind. */
  readonly requireRowSecurity: boolean;
  readonly testMode: boolean;
  /** Unique among the nodes of the database; undefined: one of its own at each start. */
  readonly nodeName: string | undefined;
  /** The environment, over the configuration file. */
  readonly environment: Environment;
  /** The file in which the sandbox gateway of test mode remembers what it has done. */
  readonly sandboxLedger: string | undefined;
  readonly http: HttpSettings;
  /** Properties of the engine, by name. */
  readonly configuration: ConfigurationObject;
  /** Document of the catalog for tenants created with `useGlobalDefault`, or a function that returns it. */
  readonly defaultCatalog: string | (() => string);
  /** Overdue configuration of tenants without one; undefined: the engine's own. */
  readonly defaultOverdueConfig: string | NewOverdueDefinition | undefined;
  /** The host's own plugins, and what is done with the engine. */
  readonly definition: ServerDefinition;
  /** Where the definition or the properties come from; null: from no file. */
  readonly configurationFile: string | null;
}

/** What the server is started with: an option wins over the environment, and that over the configuration file. */
export async function serveOptions(given: Given, configured: Configured): Promise<ServeOptions> {
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
    throw new UsageError('--sandbox-ledger needs --test-mode: there is no sandbox gateway without it');
  const database = databaseOf(textOf(given, 'database'), configured, { testMode });
  const requireRowSecurity = given['require-rls'] === true || definition.requireRowSecurity === true;
  if (requireRowSecurity && !isPostgresqlUrl(database))
    throw new UsageError('--require-rls needs a PostgreSQL database: SQLite has no row-level security');
  const port = textOf(given, 'port');
  return {
    port: port === undefined ? (definition.port ?? defaultPort) : portOf(port),
    host: hostOf(textOf(given, 'host')) ?? definition.host ?? defaultHost,
    database,
    migrate: given.migrate === true || definition.migrate === true,
    requireRowSecurity,
    testMode,
    nodeName,
    environment,
    sandboxLedger,
    http: read(() => httpSettings(given, environment)),
    configuration: read(() => environmentConfiguration(environment)),
    ...(await defaultDocuments(documentsOf(given), configured)),
    definition,
    configurationFile: file,
  };
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port ${text} is no port: a number from 0 to 65535`);
}

/** Node takes an empty host, such as of a variable that is not set, for every address of the machine. */
function hostOf(text: string | undefined): string | undefined {
  if (text?.trim() === '')
    throw new UsageError(
      '--host is empty: name an address, such as 127.0.0.1, or 0.0.0.0 for all of this machine',
    );
  return text;
}

/** Reads settings; an error about a property of the configuration file names the file. */
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
