import { type RotatedSecrets, rotateServerKey } from '../../lib/security/index.ts';
import { readKeyFile, secretCipher } from '../node/index.ts';
import { type CellUrls, onEachDatabase, openStorage, pathBesideDatabase } from './database.ts';
import type { Environment } from './environment.ts';
import { reasonOf, UsageError } from './usage-error.ts';

export const formerKeyVariable = 'BILLWRIGHT_FORMER_SERVER_KEY';

/**
 * Encrypts the stored secrets with BILLWRIGHT_SERVER_KEY. The old key is in BILLWRIGHT_FORMER_SERVER_KEY or, without
 * this variable, in the key file next to the database.
 * @throws UsageError if a key is missing or both keys are equal.
 */
export async function rotateKey(
  database: string,
  environment: Environment,
  cells: CellUrls | null,
): Promise<RotatedSecrets> {
  const newKey = environment.BILLWRIGHT_SERVER_KEY;
  const file = pathBesideDatabase(database, 'key');
  const oldKey = environment[formerKeyVariable] || (file === null ? null : readKeyFile(file)?.key);
  if (!newKey) throw new UsageError('set BILLWRIGHT_SERVER_KEY to the new server key');
  if (!oldKey)
    throw new UsageError(
      `set ${formerKeyVariable} to the old server key: there is no key file ${file ?? ''}`,
    );
  if (newKey === oldKey) throw new UsageError('the old and the new server key are the same');
  const keys = { cipher: cipherOf('BILLWRIGHT_SERVER_KEY', newKey), former: cipherOf('the old key', oldKey) };
  let total: RotatedSecrets = { rotated: 0, upToDate: 0, lost: [] };
  await onEachDatabase(database, cells, async (url) => {
    const storage = await openStorage(url, { migrate: false, mustExist: true });
    try {
      const { rotated, upToDate, lost } = await rotateServerKey(storage, keys);
      total = {
        rotated: total.rotated + rotated,
        upToDate: total.upToDate + upToDate,
        lost: [...total.lost, ...lost],
      };
    } finally {
      await storage.close();
    }
  });
  return total;
}

function cipherOf(source: string, key: string) {
  try {
    return secretCipher(key);
  } catch (error) {
    throw new UsageError(`${source}: ${reasonOf(error)}`);
  }
}

export function rotatedText({ rotated, upToDate, lost }: RotatedSecrets): readonly string[] {
  return [
    `Secrets encrypted with the new key: ${rotated}. Already encrypted with it: ${upToDate}.`,
    ...lost.map((name) => `Neither key decrypts the ${name}: create it again.`),
  ];
}
