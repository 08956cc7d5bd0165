import type { ServerDefinition } from '../../server/index.ts';

type Settings =
  | 'database'
  | 'port'
  | 'host'
  | 'migrate'
  | 'requireRowSecurity'
  | 'sandboxLedger'
  | 'configuration'
  | 'defaultCatalog'
  | 'defaultOverdueConfig'
  | 'opened'
  | 'closed';

/** What of a definition goes to the engine as it stands: the host's plugins. */
export function pluginsOf(definition: ServerDefinition): Omit<ServerDefinition, Settings> {
  const {
    database: _database,
    port: _port,
    host: _host,
    migrate: _migrate,
    requireRowSecurity: _requireRowSecurity,
    sandboxLedger: _sandboxLedger,
    configuration: _configuration,
    defaultCatalog: _defaultCatalog,
    defaultOverdueConfig: _defaultOverdueConfig,
    opened: _opened,
    closed: _closed,
    ...plugins
  } = definition;
  // What is set to undefined is as if it were not there.
  return Object.fromEntries(Object.entries(plugins).filter(([, plugin]) => plugin !== undefined));
}
