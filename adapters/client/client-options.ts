export interface ClientOptions {
  /** URL of the server with its base path, such as `https://billing.example.com`. */
  readonly url: string;
  readonly apiKey: string;
  /**
   * Secret of the tenant. Leave it out only in a page of the server's own origin, whose session cookie replaces the
   * secret, `user` and `token` (platform §6.2).
   */
  readonly apiSecret?: string;
  /** Name of a user or API client, which is also the author of changes. The author defaults to the API key. */
  readonly user?: string;
  readonly password?: string;
  /** A bearer token, or a function that returns the current token for each attempt. */
  readonly token?: string | (() => string | Promise<string>);
  /** Author of changes in audit rows; default: `user`, otherwise the API key. */
  readonly createdBy?: string;
  readonly reason?: string;
  readonly comment?: string;
  /**
   * Maximum number of repeated attempts after a response 409, 429 or 503 with `Retry-After`, or after no response.
   * Defaults to 4.
   */
  readonly retries?: number;
  /** Time limit of one attempt in milliseconds. The default of 90 s exceeds the server's own limit. */
  readonly timeoutMs?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}
