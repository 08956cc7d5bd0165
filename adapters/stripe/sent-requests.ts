import { Readable } from 'node:stream';
import Stripe from 'stripe';

/** The connection was never made, so that nothing can have arrived. */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
const SERVER_ERROR = 500;
const CONFLICT = 409;

type MakeRequest = Stripe.HttpClient['makeRequest'];

/**
 * Knows of each idempotency key whether a request with it may have arrived without an answer: Stripe's library tries
 * again by itself, and what the last try comes to does not tell of the first.
 */
export class SentRequests {
  readonly #unanswered = new Set<string>();

  /** An HTTP client for Stripe's library that tells of its tries. */
  client(agent: Stripe.HttpAgent | undefined): Stripe.HttpClient {
    const client = Stripe.createNodeHttpClient(agent);
    const makeRequest = async (...given: Parameters<MakeRequest>): ReturnType<MakeRequest> => {
      const key = keyOf(given[HEADERS]);
      try {
        const response = await client.makeRequest(...given);
        endInTime(response.getRawResponse(), given[TIMEOUT]);
        const status = response.getStatusCode();
        if (key !== null && (status >= SERVER_ERROR || status === CONFLICT)) this.#unanswered.add(key);
        return response;
      } catch (error) {
        if (key !== null && !neverSent(error)) this.#unanswered.add(key);
        throw error;
      }
    };
    return { getClientName: () => client.getClientName(), makeRequest };
  }

  /** Runs a request of that key. @throws UnansweredRequest if it fails and an earlier try may have arrived. */
  async send<T>(
    idempotencyKey: string,
    request: (options: { readonly idempotencyKey: string }) => Promise<T>,
  ): Promise<T> {
    try {
      return await request({ idempotencyKey });
    } catch (error) {
      throw this.#unanswered.has(idempotencyKey) ? new UnansweredRequest(error) : error;
    } finally {
      this.#unanswered.delete(idempotencyKey);
    }
  }
}

/** A request that has failed after a try of it that may have arrived. */
export class UnansweredRequest extends Error {
  override readonly name = 'UnansweredRequest';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : 'Stripe gave no answer', { cause });
  }
}

/** Whether a connection error says for certain that nothing has arrived. */
export function neverSent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && NEVER_SENT.has(error.code);
}

/**
 * Ends an answer whose body takes longer than a request may. Stripe's library counts the time of silence alone, so that a
 * body that drips would keep its connection for ever.
 */
function endInTime(answer: unknown, timeoutMs: number): void {
  if (!(answer instanceof Readable)) return;
  const late = (): void => {
    answer.destroy(new Error(`The body of the answer did not end within ${timeoutMs / 1_000} s`));
  };
  const timer = setTimeout(late, timeoutMs);
  answer.once('close', () => clearTimeout(timer));
}

const HEADERS = 4;
const TIMEOUT = 7;

function keyOf(headers: object): string | null {
  const key: unknown = Object.entries(headers).find(
    ([name]) => name.toLowerCase() === 'idempotency-key',
  )?.[1];
  return typeof key === 'string' ? key : null;
}
