/** One attempt of a push (platform §10.2). */
export interface PushRequest {
  readonly url: URL;
  /**
   * The verified addresses of the URL's host, in order of preference. Do not resolve the host again and do not follow
   * redirects, because both could lead to another address.
   */
  readonly addresses: readonly string[];
  readonly body: string;
  /** Header `webhook-id` (platform §10.3): the event's id, which is the same in every attempt. */
  readonly id: string;
  /** Header `webhook-timestamp`: Unix seconds of the attempt. */
  readonly timestampSec: number;
  /**
   * Secrets of the form `whsec_…`. The push is signed with each secret according to Standard Webhooks. If there are no
   * secrets, the push is not signed.
   */
  readonly secrets: readonly string[];
  /** Time limit in milliseconds for connecting and for receiving the status. */
  readonly timeoutMs: number;
}

/** The receiver's response. Its body is ignored. */
export interface PushAnswer {
  readonly status: number;
}

/**
 * Sends pushes to callbacks. The engine connects to addresses that tenants choose only through this port. The addresses
 * that `resolve` returns are checked before each attempt.
 */
export interface PushSender extends NameResolver {
  /**
   * Posts the body as `application/json; charset=UTF-8` and resolves with any status once the connection is free or
   * closed. Give up the rest of a slow response soon, because open connections limit the number of concurrent attempts.
   * Called concurrently, and again with the same `id` after a failure.
   * @throws Error after a timeout. The tenant sees its message.
   */
  send(request: PushRequest): Promise<PushAnswer>;
  close?(): Promise<void>;
}

/** Resolves host names for calls to external receivers (platform §10.1). */
export interface NameResolver {
  /** Returns the IP addresses of the host, in order of preference. Throws if the host has no address. */
  resolve(host: string): Promise<readonly string[]>;
}
