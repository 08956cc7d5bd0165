import type { Logger, SecretCipher } from '../../lib/ports/index.ts';
import { secretCipher, unencrypted } from '../node/index.ts';
import { UsageError } from './usage-error.ts';

/**
 * Encryption with the server key of the environment, which all nodes of a database share; without one the keys that sign
 * tokens are kept as they are. @throws UsageError for a key that is too short.
 */
export function cipherOf(
  environment: Readonly<Record<string, string | undefined>>,
  logger: Logger,
): SecretCipher {
  const key = environment.BILLWRIGHT_SERVER_KEY;
  if (key === undefined || key === '') {
    logger.info({}, 'BILLWRIGHT_SERVER_KEY is not set: the keys that sign tokens are stored unencrypted');
    return unencrypted();
  }
  try {
    return secretCipher(key);
  } catch (error) {
    throw new UsageError(`BILLWRIGHT_SERVER_KEY: ${error instanceof Error ? error.message : String(error)}`);
  }
}
