import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { MAX_NOTIFICATIONS_VERIFIED_AT_ONCE } from '../../../lib/values/limits.ts';
import { RateLimit, type RequestRates } from './rate-limit.ts';

/**
 * The rate of notifications that gateways send without credentials (payments §11.2 rule 2d). Notifications with the right
 * signature and all others are counted apart, so that forged ones do not use up the rate of the processor. Names are those
 * of the path, whether or not there are such a tenant and gateway, so that the rate does not tell which exist.
 */
export class NotificationRate {
  readonly #signed: RateLimit;
  readonly #unproven: RateLimit;
  /** Notifications whose signature is being verified, by name. */
  readonly #underWay = new Map<string, number>();

  constructor(rates: Partial<RequestRates>, nowMs: () => number) {
    this.#signed = new RateLimit(rates, nowMs);
    this.#unproven = new RateLimit(rates, nowMs);
  }

  /**
   * Takes a notification.
   * @param take calls `verified` once the signature is right, before it does anything.
   * @throws BillingError TOO_MANY_REQUESTS (60015) from `verified`, in the place of a refusal for the signature, and when too
   * many are being verified.
   */
  async count<T>(name: string, take: (verified: () => void) => Promise<T>): Promise<T> {
    const subjects = [{ kind: 'gateways', name }] as const;
    const leave = this.#enter(name);
    let isSigned = false;
    const verified = (): void => {
      leave();
      isSigned = true;
      this.#signed.take(subjects);
    };
    try {
      return await take(verified);
    } catch (error) {
      if (!isSigned) this.#unproven.take(subjects);
      throw error;
    } finally {
      leave();
    }
  }

  /** A gateway may ask its processor about a signature, so that the calls at a time are bounded. */
  #enter(name: string): () => void {
    const count = this.#underWay.get(name) ?? 0;
    if (count >= MAX_NOTIFICATIONS_VERIFIED_AT_ONCE) throw busy();
    this.#underWay.set(name, count + 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const left = (this.#underWay.get(name) ?? 0) - 1;
      if (left > 0) this.#underWay.set(name, left);
      else this.#underWay.delete(name);
    };
  }
}

function busy(): BillingError {
  return new BillingError({
    code: ErrorCode.TOO_MANY_REQUESTS,
    message: `The signatures of ${MAX_NOTIFICATIONS_VERIFIED_AT_ONCE} notifications are being verified; try again in a moment`,
    facts: { retryAfterSeconds: 1 },
  });
}
