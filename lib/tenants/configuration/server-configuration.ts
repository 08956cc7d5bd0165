import type { Logger } from '../../ports/index.ts';
import type { QueueSettings } from '../../runtime/index.ts';
import {
  type ConfigurationObject,
  ineffectiveNames,
  readConfiguration,
  readProperties,
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

/** The settings of the queue among those of the server. */
export function queueSettingsOf(server: ServerSettings): QueueSettings {
  return {
    BUS: {
      isOff: server['persistent.bus.main.off'],
      claimed: server['persistent.bus.main.claimed'],
      handledAtATime: server['persistent.bus.main.nbThreads'],
      leaseMs: server['persistent.bus.main.claim.time'],
      pollMs: server['persistent.bus.main.sleep'],
      maxFailures: server['persistent.bus.main.max.failure.retry'],
      reapThresholdMs: server['persistent.bus.main.reapThreshold'],
      reapScheduleMs: server['persistent.bus.main.reapSchedule'],
      maxLapses: server['persistent.bus.main.maxReDispatchCount'],
    },
    NOTIFICATION: {
      isOff: server['notificationq.main.notification.off'],
      claimed: server['notificationq.main.claimed'],
      handledAtATime: server['notificationq.main.notification.nbThreads'],
      leaseMs: server['notificationq.main.claim.time'],
      pollMs: server['notificationq.main.sleep'],
      maxFailures: server['notificationq.main.max.failure.retry'],
      reapThresholdMs: server['notificationq.main.reapThreshold'],
      reapScheduleMs: server['notificationq.main.reapSchedule'],
      maxLapses: server['notificationq.main.maxReDispatchCount'],
    },
  };
}

/** Names, without prefix, of every property that the configuration of the engine can set. */
export const configurableProperties: readonly string[] = [
  ...Object.keys(serverProperties),
  ...Object.keys(tenantProperties),
];
