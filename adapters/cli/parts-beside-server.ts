import type { Storage } from '../../lib/ports/storage/index.ts';
import type { ConfigurationObject } from '../../lib/tenants/index.ts';
import {
  scryptHasher,
  sha256,
  sharedTestClock,
  systemClock,
  unencrypted,
  uuidGenerator,
} from '../node/index.ts';
import type { ServerDefinition } from '../server/index.ts';
import { pluginsOf } from './configuration/plugins-of.ts';
import { createLogger } from './logger.ts';

/** How the server beside a command is configured. */
export interface ConfiguredLikeServer {
  /** Properties of the engine by name, as for the server. */
  readonly configuration: ConfigurationObject;
  /** The plugins of the server. */
  readonly definition?: ServerDefinition | undefined;
}

/**
 * What a command opens an engine with that looks at a database beside its server, or does one thing to it. Its clock shows the
 * time of a server in test mode, or else of the machine, once it was refreshed after the opening.
 */
export function partsBesideServer(
  storage: Storage<never>,
  { configuration, definition = {} }: ConfiguredLikeServer,
) {
  const system = systemClock();
  return {
    ...pluginsOf(definition),
    storage,
    clock: sharedTestClock(storage.system, system),
    systemClock: system,
    ids: uuidGenerator(),
    hasher: scryptHasher(),
    cipher: unencrypted(),
    sha256,
    logger: createLogger(process.env.BILLWRIGHT_LOG_LEVEL),
    configuration,
  };
}
