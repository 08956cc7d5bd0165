import type { Leading } from '../records/index.ts';

/** Secrets that sign push notifications (platform §10.3). */
export interface SigningSecretOperations<C extends Leading = []> {
  /**
   * Makes a new secret and tells it, this once: `whsec_<base64 of 32 random bytes>`. The one before signs beside it for 24
   * hours, so that receivers can change over; one that was replaced earlier ends.
   */
  create(...given: [...C]): Promise<string>;

  /** Ends every secret: push notifications go unsigned from now on. None is no error. */
  delete(...given: [...C]): Promise<void>;
}
