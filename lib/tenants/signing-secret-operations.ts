import type { Leading } from '../records/index.ts';

/** Secrets that sign pushes (platform §10.3). */
export interface SigningSecretOperations<C extends Leading = []> {
  /**
   * Creates a new secret and returns it, this once: `whsec_<base64 of 32 random bytes>`. The previous one signs beside it
   * for 24 hours, so that receivers can change over; one that was replaced earlier ends.
   */
  create(...given: [...C]): Promise<string>;

  /** Ends every secret: from now on pushes are not signed. Having none is no error. */
  delete(...given: [...C]): Promise<void>;
}
