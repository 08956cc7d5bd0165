/** One attempt of a push (platform §10.2). */
export interface PushRequest {
  readonly url: URL;
  /**
   * Where to connect, in order of preference: the checked addresses of the URL's host. It must not be resolved again, and
   * a redirect must not be followed, since either could lead elsewhere.
   */
  readonly addresses: readonly string[];
  /** The body, byte for byte. */
  readonly body: string;
  /** `webhook-id` (platform §10.3): the event's, the same in every attempt. */
  readonly id: string;
  /** `webhook-timestamp`: Unix seconds of the attempt. */
  readonly timestampSec: number;
  /** Secrets `whsec_…` of which each signs by Standard Webhooks; none: the push is not signed. */
  readonly secrets: readonly string[];
  /** Within how many milliseconds the connection must stand, and within how many the status must be there. */
  readonly timeoutMs: number;
}

/** What the receiver answered. Its body is of no interest and need not be read. */
export interface PushAnswer {
  readonly status: number;
}

/**
 * Sends pushes to callbacks of tenants: the one way from the engine to addresses that tenants choose. `resolve` finds the
 * addresses of a host, which are checked before each attempt.
 */
export interface PushSender extends NameResolver {
  /**
   * Posts the body as `application/json; charset=UTF-8` and resolves with the status of the answer, whichever it is, once
   * its connection is free or closed: as many attempts are under way as connections may be open, so the rest of the answer
   * must be given up soon, as after a second.
   * Called by several at once, and again with the same `id` after a failure.
   * @throws Error when there is no answer in time; its message is shown to the tenant.
   */
  send(request: PushRequest): Promise<PushAnswer>;
  /** Ends connections that are kept open. */
  close?(): Promise<void>;
}

/** Resolution of host names for calls to receivers outside (platform §10.1). */
export interface NameResolver {
  /** The IP addresses of a host name, in order of preference; throws if there are none. */
  resolve(host: string): Promise<readonly string[]>;
}
