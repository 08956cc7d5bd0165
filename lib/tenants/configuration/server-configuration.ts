import type { Logger } from '../../ports/index.ts';
import type { QueueSettings } from '../../runtime/index.ts';
import {
  type ConfigurationObject,
  ineffectiveNames,
  readConfiguration,
  readProperties,
  refuseProblems,
} from './read-configuration.ts';
import { serverProperties } from './server-properties.ts';
import {
  DEFAULT_SERVER_SETTINGS,
  DEFAULT_TENANT_SETTINGS,
  type ServerSettings,
  TEST_MODE_TENANT_SETTINGS,
  type TenantSettings,
} from './settings.ts';
import { tenantProperties } from './tenant-properties.ts';

/** The settings of the server's own configuration (platform §4.1). */
export interface ServerConfiguration {
  /** Default settings of tenants. */
  readonly tenant: TenantSettings;
  readonly server: ServerSettings;
}

/**
 * Parses the server configuration. Missing values get their defaults. Names without effect cause a warning.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) with every invalid property in `problems` (R13).
 */
export function serverConfiguration(
  object: ConfigurationObject,
  logger: Logger,
  { testMode = false }: { readonly testMode?: boolean | undefined } = {},
): ServerConfiguration {
  const tenant = readConfiguration(object);
  const server = readProperties(object, serverProperties);
  refuseProblems([...tenant.problems, ...server.problems]);
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

/** Returns the settings of the queues. */
export function queueSettingsOf(server: ServerSettings): QueueSettings {
  return {
    BUS: queueSettings(server, 'persistent.bus.main', 'persistent.bus.main'),
    NOTIFICATION: queueSettings(server, 'notificationq.main', 'notificationq.main.notification'),
  };
}

/** Returns the settings for one kind of queue entry. For notifications, `off` and `nbThreads` have a longer prefix. */
function queueSettings<
  P extends 'persistent.bus.main' | 'notificationq.main',
  O extends 'persistent.bus.main' | 'notificationq.main.notification',
>(server: ServerSettings, prefix: P, own: O): QueueSettings['BUS'] {
  return {
    isOff: server[`${own}.off`],
    claimed: server[`${prefix}.claimed`],
    handledAtATime: server[`${own}.nbThreads`],
    leaseMs: server[`${prefix}.claim.time`],
    pollMs: server[`${prefix}.sleep`],
    maxFailures: server[`${prefix}.max.failure.retry`],
    reapThresholdMs: server[`${prefix}.reapThreshold`],
    reapScheduleMs: server[`${prefix}.reapSchedule`],
    maxLapses: server[`${prefix}.maxReDispatchCount`],
  };
}

/** The names, without prefix, of all properties that the engine reads. */
export const configurableProperties: readonly string[] = [
  ...Object.keys(serverProperties),
  ...Object.keys(tenantProperties),
];
