import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Logger, SecretCipher } from '../../lib/ports/index.ts';
import { ensureKeyFile, type KeyFile, readKeyFile, secretCipher } from '../node/index.ts';
import { besideDatabase, isPostgresqlUrl } from './database.ts';
import { UsageError } from './usage-error.ts';

const passingKeyBytes = 32;

/** Whether a file will be made that holds a new key: none is named by the environment, and none is there. */
export function makesKeyFile(
  environment: Readonly<Record<string, string | undefined>>,
  database: string,
): boolean {
  const file = besideDatabase(database, 'key');
  return !environment.BILLWRIGHT_SERVER_KEY && file !== null && !existsSync(file);
}

/**
 * Encryption of what is stored and must be read again. The server key comes from the environment, which all nodes of a
 * database share, else from a file beside the database, made at the first start. With a key from the environment, what
 * the file's key has encrypted can still be read.
 * @throws UsageError for a key that is too short, and where no file can hold one.
 */
export function cipherOf(
  environment: Readonly<Record<string, string | undefined>>,
  database: string,
  logger: Logger,
): SecretCipher {
  const file = besideDatabase(database, 'key');
  const given = environment.BILLWRIGHT_SERVER_KEY;
  if (given !== undefined && given !== '') {
    logger.info({}, 'what must be read again is encrypted with BILLWRIGHT_SERVER_KEY');
    const former = file === null ? null : readKeyFile(file);
    return cipherWith('BILLWRIGHT_SERVER_KEY', given, former === null ? [] : [former.key]);
  }
  // A database in memory ends with its process, and so does all that it holds.
  if (file === null) return secretCipher(randomBytes(passingKeyBytes).toString('base64'));
  const keyFile = keyOfFile(file);
  tellOfKeyFile(file, keyFile, { isShared: isPostgresqlUrl(database), logger });
  return cipherWith(file, keyFile.key, []);
}

function keyOfFile(file: string): KeyFile {
  try {
    return ensureKeyFile(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${file} cannot hold the server key: ${reason}. Set BILLWRIGHT_SERVER_KEY`);
  }
}

function tellOfKeyFile(
  file: string,
  { isOpenToOthers }: KeyFile,
  { isShared, logger }: { readonly isShared: boolean; readonly logger: Logger },
): void {
  logger.info({ file }, 'what must be read again is encrypted with the key in this file; keep a copy of it');
  if (isOpenToOthers) logger.warn({ file }, 'others may read the key: take their rights to the file away');
  if (isShared)
    logger.warn(
      { file },
      'nodes that share a database need the same key: give BILLWRIGHT_SERVER_KEY to each',
    );
}

function cipherWith(source: string, key: string, formerKeys: readonly string[]): SecretCipher {
  try {
    return secretCipher(key, formerKeys);
  } catch (error) {
    throw new UsageError(`${source}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
