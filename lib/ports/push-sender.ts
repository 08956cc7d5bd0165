/** One attempt of a push (platform §10.2). */
export interface PushRequest {
  readonly url: URL;
  /**
   * The checked addresses of the URL's host, in order of preference. Do not resolve the host again or follow a
   * redirect, since either could lead elsewhere.
   */
  readonly addresses: readonly string[];
  readonly body: string;
  /** `webhook-id` (platform §10.3): the event's id, the same in every attempt. */
  readonly id: string;
  /** `webhook-timestamp`: Unix seconds of the attempt. */
  readonly timestampSec: number;
  /** Secrets `whsec_…`, each of which signs by Standard Webhooks; none: unsigned. */
  readonly secrets: readonly string[];
  /** Limit for the connection and for the status. */
  readonly timeoutMs: number;
}

/** The receiver's answer; its body is ignored. */
export interface PushAnswer {
  readonly status: number;
}

/**
 * Sends pushes to callbacks, the only way from the engine to addresses chosen by tenants. The addresses of `resolve`
 * are checked before each attempt.
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
  close?(): Promise<void>;
}

/** Resolution of host names for calls to receivers outside (platform §10.1). */
export interface NameResolver {
  /** Returns the IP addresses in order of preference; throws if there are none. */
  resolve(host: string): Promise<readonly string[]>;
}
