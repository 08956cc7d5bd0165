import type { Ports } from '../ports/index.ts';
import { EncryptedKind, type EncryptedText } from '../ports/storage/index.ts';
import { invalidParameter } from '../values/errors/index.ts';
import { ENCRYPTED_TEXTS_PER_BATCH } from '../values/limits.ts';
import { signingKeyAt } from './token-keys.ts';

type SecretPorts = Pick<Ports, 'storage' | 'cipher' | 'systemClock'>;

/** Yields the encrypted values of one kind in batches. */
async function* batches(
  { secrets }: SecretPorts['storage'],
  kind: EncryptedKind,
): AsyncGenerator<readonly EncryptedText[]> {
  let after = 0;
  while (true) {
    const batch = await secrets.list(kind, { after, limit: ENCRYPTED_TEXTS_PER_BATCH });
    const last = batch.at(-1);
    if (last === undefined) return;
    yield batch;
    after = last.recordId;
  }
}

/**
 * Returns the names of the secrets that the server key cannot decrypt (platform §6.3 rule 4). Omits stored responses to
 * repeated requests, because they expire within a day.
 */
export async function lostSecrets({ storage, cipher, systemClock }: SecretPorts): Promise<readonly string[]> {
  const lost: string[] = [];
  for await (const batch of batches(storage, EncryptedKind.SIGNING_SECRET)) {
    for (const { name, text } of batch) if ((await cipher.decrypt(text)) === null) lost.push(name);
  }
  const key = signingKeyAt(await storage.security.listSigningKeys(), systemClock.nowMs());
  if (key !== null && (await cipher.decrypt(key.privateKey)) === null)
    lost.push(`signing key of tokens ${key.kid}`);
  return lost;
}

/** The result of a server key rotation. */
export interface RotatedSecrets {
  /** Number of values that this rotation encrypted with the new key. */
  readonly rotated: number;
  /** Number of values that were already encrypted with the new key, for example by an interrupted rotation. */
  readonly upToDate: number;
  /** Names of the values that neither key can decrypt. The rotation leaves them unchanged. */
  readonly lost: readonly string[];
}

/**
 * The keys of a rotation. `cipher` encrypts and decrypts with the new key only. `former` decrypts with the old key
 * only.
 */
export interface RotationKeys {
  readonly cipher: Ports['cipher'];
  readonly former: Pick<Ports['cipher'], 'decrypt'>;
}

/**
 * Encrypts all secrets with a new server key, in one transaction per batch, so that an interrupted rotation can be
 * repeated (platform §6.3 rule 5).
 * @throws BillingError INVALID_PARAMETER (60002) for a wrong old key. In that case, nothing is changed.
 */
export async function rotateServerKey(
  storage: SecretPorts['storage'],
  { cipher, former }: RotationKeys,
): Promise<RotatedSecrets> {
  const before = await countedTexts(storage, { cipher, former });
  if (before.former === 0 && before.lost.length > 0)
    throw invalidParameter(
      `The old server key decrypts none of ${before.lost.length} stored secrets, such as the ${before.lost[0]}; nothing was changed`,
    );
  let rotated = 0;
  for (const kind of Object.values(EncryptedKind)) {
    for await (const batch of batches(storage, kind)) {
      const replacements = await Promise.all(batch.map((text) => replacementOf(text, { cipher, former })));
      rotated += await storage.secrets.replace(
        kind,
        replacements.filter((replacement) => replacement !== null),
      );
    }
  }
  return { rotated, upToDate: before.current, lost: before.lost };
}

/**
 * Returns the text encrypted with the new key. Returns null if the old key cannot decrypt the text, or if the new key
 * can already decrypt it.
 */
async function replacementOf({ recordId, text }: EncryptedText, { cipher, former }: RotationKeys) {
  const plain = (await cipher.decrypt(text)) === null ? await former.decrypt(text) : null;
  return plain === null ? null : { recordId, before: text, after: await cipher.encrypt(plain) };
}

async function countedTexts(storage: SecretPorts['storage'], { cipher, former }: RotationKeys) {
  const lost: string[] = [];
  let [current, old] = [0, 0];
  for (const kind of Object.values(EncryptedKind)) {
    for await (const batch of batches(storage, kind)) {
      for (const { name, text } of batch) {
        if ((await cipher.decrypt(text)) !== null) current += 1;
        else if ((await former.decrypt(text)) !== null) old += 1;
        else lost.push(name);
      }
    }
  }
  return { current, former: old, lost };
}
