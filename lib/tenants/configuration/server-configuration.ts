import type { Logger } from '../../ports/index.ts';
import { ineffectiveNames } from './ineffective-names.ts';
import { type ConfigurationObject, readConfiguration, readProperties } from './read-configuration.ts';
import { serverProperties } from './server-properties.ts';
import {
  DEFAULT_SERVER_SETTINGS,
  DEFAULT_TENANT_SETTINGS,
  type ServerSettings,
  TEST_MODE_TENANT_SETTINGS,
  type TenantSettings,
} from './settings.ts';

/** What the server's own configuration says (platform §4.1). */
export interface ServerConfiguration {
  /** What holds for tenants that set nothing of their own. */
  readonly tenant: TenantSettings;
  readonly server: ServerSettings;
}

/** Reads the configuration over the defaults; for a value that cannot be read the default stays, with a warning (R13). */
export function serverConfiguration(
  object: ConfigurationObject,
  logger: Logger,
  { testMode = false }: { readonly testMode?: boolean | undefined } = {},
): ServerConfiguration {
  const tenant = readConfiguration(object);
  const server = readProperties(object, serverProperties);
  for (const { message } of [...tenant.problems, ...server.problems])
    logger.warn({}, `server configuration: ${message}; the default holds`);
  for (const sentence of ineffectiveNames(Object.keys(object), 'SERVER'))
    logger.warn({}, `server configuration: ${sentence}`);
  return {
    tenant: Object.freeze({
      ...(testMode ? TEST_MODE_TENANT_SETTINGS : DEFAULT_TENANT_SETTINGS),
      ...tenant.settings,
    }),
    server: Object.freeze({ ...DEFAULT_SERVER_SETTINGS, ...server.settings }),
  };
}
