import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { SecretCipher } from '../../lib/ports/index.ts';

/** Shorter keys could be guessed; 32 random bytes in base64 have 44 characters. */
const minKeyCharacters = 32;
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;
const encryptedMark = '$aes256gcm$';
const plainMark = '$plain$';

/**
 * Encrypts with AES-256-GCM under a key that is derived from the server key, as `$aes256gcm$<base64>`. It can still read
 * what was stored before there was a server key, and what former keys have encrypted.
 * @throws RangeError for a server key of fewer than 32 characters.
 */
export function secretCipher(serverKey: string, formerKeys: readonly string[] = []): SecretCipher {
  if (serverKey.length < minKeyCharacters)
    throw new RangeError(`A server key needs at least ${minKeyCharacters} characters`);
  const key = derived(serverKey);
  const formers = formerKeys.map(derived);
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
        const text = opened(sealed, each);
        if (text !== null) return text;
      }
      return null;
    },
  };
}

function derived(serverKey: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', serverKey, '', 'billwright secrets', keyBytes));
}

function opened(sealed: Buffer, key: Uint8Array): string | null {
  if (sealed.length < ivBytes + tagBytes) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return decipher.update(sealed.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    // The tag does not match: another key encrypted it.
    return null;
  }
}

/** Stores secrets unencrypted, for hosts whose database is as safe as any place for a key would be. */
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
  /** Whether others than the owner may use the file. */
  readonly isOpenToOthers: boolean;
}

/** The key that the file holds; null if there is no such file. */
export function readKeyFile(path: string): KeyFile | null {
  try {
    const key = readFileSync(path, 'utf8').trim();
    // On Windows the mode says nothing about other users.
    const isOpenToOthers = process.platform !== 'win32' && (statSync(path).mode & othersMay) !== 0;
    return { key, isOpenToOthers };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * The key in the file, which is created with a new key for its owner only if it does not exist. If several processes
 * create it at once, one succeeds and the others take its key.
 */
export function ensureKeyFile(path: string): KeyFile {
  return readKeyFile(path) ?? makeKeyFile(path);
}

function makeKeyFile(path: string): KeyFile {
  const key = randomBytes(newKeyBytes).toString('base64');
  // Written under another name first, so that nobody finds it half written.
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
