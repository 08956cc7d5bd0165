import type { Ports } from '../ports/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { CallContext, Leading } from '../records/index.ts';
import { authorshipOf } from '../runtime/index.ts';
import { InvariantError } from '../values/errors/index.ts';
import { DAY_MS } from '../values/limits.ts';

/** Number of random bytes of a signing secret. */
const SIGNING_SECRET_BYTES = 32;
const SIGNING_SECRET_OVERLAP_MS = DAY_MS;

type SecretPorts = Pick<Ports, 'storage' | 'ids' | 'cipher' | 'systemClock'>;

/** Creates the operations on the secrets that sign pushes (platform §10.3). Secrets are stored encrypted. */
export function signingSecretService(ports: SecretPorts) {
  return {
    async create(context: CallContext): Promise<string> {
      const secret = secretText(ports.cipher.random(SIGNING_SECRET_BYTES));
      const encrypted = await ports.cipher.encrypt(secret);
      const { storage, ids, systemClock } = ports;
      await storage.write(context.tenant, authorshipOf(context), async (session) => {
        await session.keyValues.lock();
        const signsUntilMs = systemClock.nowMs() + SIGNING_SECRET_OVERLAP_MS;
        const replaced = (await session.signingSecrets.active()).map((each) =>
          each.signsUntilMs === null ? { ...each, signsUntilMs } : { ...each, isActive: false },
        );
        await session.signingSecrets.update(replaced);
        await session.signingSecrets.insert({
          id: ids.next(),
          secret: encrypted,
          signsUntilMs: null,
          isActive: true,
          createdDate: context.createdDate,
        });
      });
      return secret;
    },

    async delete(context: CallContext): Promise<void> {
      await ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
        await session.keyValues.lock();
        const active = await session.signingSecrets.active();
        await session.signingSecrets.update(active.map((each) => ({ ...each, isActive: false })));
      });
    },

    /**
     * Returns the secrets that currently sign pushes, newest first. The list is empty if pushes are not signed.
     * @throws InvariantError if a secret was encrypted with another server key.
     */
    async current(session: ReadSession): Promise<readonly string[]> {
      const nowMs = ports.systemClock.nowMs();
      const signing = (await session.signingSecrets.active()).filter(
        ({ signsUntilMs }) => signsUntilMs === null || signsUntilMs > nowMs,
      );
      return Promise.all(
        signing.map(async ({ id, secret }) => {
          const text = await ports.cipher.decrypt(secret);
          if (text !== null) return text;
          throw new InvariantError(
            `Signing secret ${id} was encrypted with another server key; create a new one`,
          );
        }),
      );
    },
  };
}

export type SigningSecretService = ReturnType<typeof signingSecretService>;

/** Operations on the secrets that sign pushes (platform §10.3). */
export interface SigningSecretOperations<C extends Leading = []> {
  /**
   * Creates a secret and returns it in the form `whsec_<base64 of 32 random bytes>`. No other call returns the secret.
   * The previous secret stays valid for another 24 hours. Older secrets become invalid.
   */
  create(...given: [...C]): Promise<string>;

  /** Invalidates all secrets, so that pushes are no longer signed. */
  delete(...given: [...C]): Promise<void>;
}

/** Returns the secret in the form in which receivers expect it: `whsec_<base64>` (platform §10.3). */
export function secretText(bytes: Uint8Array): string {
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
