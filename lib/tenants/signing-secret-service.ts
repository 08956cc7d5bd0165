import type { Ports } from '../ports/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { CallContext, Leading, WithContext } from '../records/index.ts';
import { authorshipOf } from '../runtime/index.ts';
import { InvariantError } from '../values/errors/index.ts';
import { DAY_MS } from '../values/limits.ts';

/** Random bytes of a secret that signs pushes, and how long a replaced one goes on signing. */
const SIGNING_SECRET_BYTES = 32;
const SIGNING_SECRET_OVERLAP_MS = DAY_MS;

type SecretPorts = Pick<Ports, 'storage' | 'ids' | 'cipher' | 'systemClock'>;

/** The secrets that sign the pushes of the tenants (platform §10.3); kept encrypted. */
export class SigningSecretService implements SigningSecretOperations<WithContext> {
  readonly #ports: SecretPorts;

  constructor(ports: SecretPorts) {
    this.#ports = ports;
  }

  async create(context: CallContext): Promise<string> {
    const secret = secretText(this.#ports.cipher.random(SIGNING_SECRET_BYTES));
    const encrypted = await this.#ports.cipher.encrypt(secret);
    const { storage, ids, systemClock } = this.#ports;
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
  }

  async delete(context: CallContext): Promise<void> {
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      await session.keyValues.lock();
      const active = await session.signingSecrets.active();
      await session.signingSecrets.update(active.map((each) => ({ ...each, isActive: false })));
    });
  }

  /**
   * The secrets that sign now, newest first; empty if pushes are not signed.
   * @throws InvariantError for a secret that another server key has encrypted.
   */
  async current(session: ReadSession): Promise<readonly string[]> {
    const nowMs = this.#ports.systemClock.nowMs();
    const signing = (await session.signingSecrets.active()).filter(
      ({ signsUntilMs }) => signsUntilMs === null || signsUntilMs > nowMs,
    );
    return Promise.all(
      signing.map(async ({ id, secret }) => {
        const text = await this.#ports.cipher.decrypt(secret);
        if (text !== null) return text;
        throw new InvariantError(
          `Signing secret ${id} was encrypted with another server key; create a new one`,
        );
      }),
    );
  }
}

/** Secrets that sign pushes (platform §10.3). */
export interface SigningSecretOperations<C extends Leading = []> {
  /**
   * Creates a secret and returns it this once: `whsec_<base64 of 32 random bytes>`. The previous one signs beside it
   * for 24 hours; older ones end.
   */
  create(...given: [...C]): Promise<string>;

  /** Ends every secret: from now on pushes are not signed. Having none is no error. */
  delete(...given: [...C]): Promise<void>;
}

const SECRET_PREFIX = 'whsec_';

/** The secret of these bytes in the form given to receivers (platform §10.3): `whsec_<base64>`. */
export function secretText(bytes: Uint8Array): string {
  return SECRET_PREFIX + btoa(String.fromCharCode(...bytes));
}
