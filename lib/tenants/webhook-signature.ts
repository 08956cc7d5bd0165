import { InvariantError } from '../values/errors/index.ts';

const SECRET_PREFIX = 'whsec_';
const VERSION = 'v1';

/** One attempt of a push, as it is signed. */
export interface SignedContent {
  /** `webhook-id`: that of the bus event, the same in every attempt. */
  readonly id: string;
  /** `webhook-timestamp`: Unix seconds of the attempt. */
  readonly timestampSec: number;
  /** The body, byte for byte as it is sent. */
  readonly body: string;
}

/** The secret of these bytes in the form given to receivers: `whsec_<base64>`. */
export function secretText(bytes: Uint8Array): string {
  return SECRET_PREFIX + base64(bytes);
}

/**
 * The header `webhook-signature` of an attempt (platform §10.3, Standard Webhooks): one `v1,<base64 of HMAC-SHA-256>`
 * per secret, separated by spaces. `secrets` are texts as `secretText` makes them.
 */
export async function webhookSignature(secrets: readonly string[], content: SignedContent): Promise<string> {
  const message = new TextEncoder().encode(`${content.id}.${content.timestampSec}.${content.body}`);
  const signatures = await Promise.all(secrets.map((secret) => hmac(secretBytes(secret), message)));
  return signatures.map((signature) => `${VERSION},${base64(signature)}`).join(' ');
}

async function hmac(key: Uint8Array<ArrayBuffer>, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message));
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith(SECRET_PREFIX)) throw new InvariantError('A signing secret has lost its prefix');
  return Uint8Array.from(atob(secret.slice(SECRET_PREFIX.length)), (character) => character.charCodeAt(0));
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
