export interface ClientOptions {
  /** URL of the server, including its base path, such as `https://billing.example.com`. */
  readonly url: string;
  readonly apiKey: string;
  /**
   * Secret of the tenant. Omit it only on a page from the server's own origin. The session cookie of the page then
   * replaces the secret, `user` and `token` (platform §6.2).
   */
  readonly apiSecret?: string;
  /**
   * Name of a user or API client. It is also the author of changes. If this option is omitted, the API key is the
   * author.
   */
  readonly user?: string;
  readonly password?: string;
  /** A bearer token, or a function that returns the current token. The function is called for each attempt. */
  readonly token?: string | (() => string | Promise<string>);
  /** Author of changes in audit rows. Defaults to `user` or, without a user, to the API key. */
  readonly createdBy?: string;
  readonly reason?: string;
  readonly comment?: string;
  /**
   * Maximum number of repeated attempts. The client repeats an attempt after a 409, 429 or 503 response with
   * `Retry-After`, or if there is no response. Defaults to 4.
   */
  readonly retries?: number;
  /** Time limit of one attempt in milliseconds. The default of 90 s is longer than the server's own limit. */
  readonly timeoutMs?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}
