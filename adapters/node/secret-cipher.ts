import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { SecretCipher } from '../../lib/ports/index.ts';

/** Minimum length of a server key. 32 random bytes in base64 have 44 characters. */
const minKeyCharacters = 32;
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;
const encryptedMark = '$aes256gcm$';
const plainMark = '$plain$';

/**
 * Returns a cipher that encrypts with AES-256-GCM under a key derived from the server key, as
 * `$aes256gcm$<base64>`. The cipher also decrypts text that was encrypted with former keys, and accepts unencrypted text.
 * @throws RangeError for a server key of fewer than 32 characters.
 */
export function secretCipher(serverKey: string, formerKeys: readonly string[] = []): SecretCipher {
  if (serverKey.length < minKeyCharacters)
    throw new RangeError(`A server key needs at least ${minKeyCharacters} characters`);
  const key = deriveKey(serverKey);
  const formers = formerKeys.map(deriveKey);
  return {
    random: (length) => randomBytes(length),
    async encrypt(text) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return encryptedMark + sealed.toString('base64');
    },
    async decrypt(stored) {
      if (stored.startsWith(plainMark)) return stored.slice(plainMark.length);
      if (!stored.startsWith(encryptedMark)) return null;
      const sealed = Buffer.from(stored.slice(encryptedMark.length), 'base64');
      for (const each of [key, ...formers]) {
        const text = decryptSealed(sealed, each);
        if (text !== null) return text;
      }
      return null;
    },
  };
}

function deriveKey(serverKey: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', serverKey, '', 'billwright secrets', keyBytes));
}

function decryptSealed(sealed: Buffer, key: Uint8Array): string | null {
  if (sealed.length < ivBytes + tagBytes) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return decipher.update(sealed.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    // The text was encrypted with another key.
    return null;
  }
}

/**
 * Returns a cipher that does not encrypt secrets. It is for hosts whose database is as secure as a key file would be.
 */
export function unencrypted(): SecretCipher {
  return {
    random: (length) => randomBytes(length),
    encrypt: async (text) => plainMark + text,
    decrypt: async (stored) => (stored.startsWith(plainMark) ? stored.slice(plainMark.length) : null),
  };
}

const newKeyBytes = 32;
const ownerOnly = 0o600;
const othersMay = 0o077;

export interface KeyFile {
  readonly key: string;
  /** True if other users can read or write the file. */
  readonly isOpenToOthers: boolean;
}

/** Returns the key in the file, or null if the file is missing. */
export function readKeyFile(path: string): KeyFile | null {
  try {
    const key = readFileSync(path, 'utf8').trim();
    // On Windows, the file mode does not reflect the access of other users.
    const isOpenToOthers = process.platform !== 'win32' && (statSync(path).mode & othersMay) !== 0;
    return { key, isOpenToOthers };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Returns the key in the file. If the file is missing, creates it so that only its owner can read it. If several
 * processes create the file at the same time, they all use the same key.
 */
export function ensureKeyFile(path: string): KeyFile {
  const existing = readKeyFile(path);
  if (existing !== null) return existing;
  const key = randomBytes(newKeyBytes).toString('base64');
  // The file is first written under another name, so that no process reads an incomplete file.
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${key}\n`, { mode: ownerOnly, flush: true });
  try {
    linkSync(unfinished, path);
    return { key, isOpenToOthers: false };
  } catch (error) {
    const made = readKeyFile(path);
    if (made === null) throw error;
    return made;
  } finally {
    rmSync(unfinished, { force: true });
  }
}
