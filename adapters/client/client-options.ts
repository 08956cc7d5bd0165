export interface ClientOptions {
  /** URL of the server with its base path, such as `https://billing.example.com`. */
  readonly url: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** Name of a user or API client; also the author of changes, which defaults to the API key. */
  readonly user?: string;
  readonly password?: string;
  /** A bearer token, or a function that returns the current one for each attempt. */
  readonly token?: string | (() => string | Promise<string>);
  /** Author of changes in audit rows; default: `user`, otherwise the API key. */
  readonly createdBy?: string;
  readonly reason?: string;
  readonly comment?: string;
  /** Attempts after the first one that failed with 409, 429 or 503 and `Retry-After`, or without an answer; default 4. */
  readonly retries?: number;
  /** Longest time of one attempt; default 90 s, which is more than the server takes. */
  readonly timeoutMs?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}
