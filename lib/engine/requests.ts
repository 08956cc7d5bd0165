import type { Logger, Ports, SpanAttributes, TraceParent } from '../ports/index.ts';
import { guardedLogger, onBehalfOf, scopedLogger, whileWanted } from '../runtime/index.ts';

/** A request that a host serves. */
export interface ServedRequest {
  /** Name of the request in traces, such as `GET /customers/{id}`. */
  readonly name: string;
  /** The `requestId` of log lines. */
  readonly requestId: string;
  /** Value of the header `traceparent`, if the request has one. */
  readonly traceParent?: TraceParent | undefined;
  readonly attributes?: SpanAttributes;
}

/** Adds attributes to the trace of a request while the request is running. Has no effect without a tracer. */
export interface RequestSpan {
  tell(more: { readonly name?: string; readonly attributes?: SpanAttributes }): void;
  fail(error: unknown): void;
}

export interface RequestTracking {
  /**
   * Runs the work of a request. The log lines of the work contain the request id. With a tracer, the request becomes
   * the parent span of the work it causes. Pass the same id as `userToken` to operations, so that later work also has
   * this id.
   *
   * @example await billing.requests.run({ name: 'POST /orders', requestId }, () => order(body));
   */
  run<T>(request: ServedRequest, work: (span: RequestSpan) => Promise<T>): Promise<T>;
  /**
   * Runs work that may end early once the signal is aborted, for example when the client has disconnected.
   * Documents, dry runs, exports and timelines then throw the signal's reason at their next pause for other work. Use
   * this only for operations that change nothing.
   *
   * @example await billing.requests.whileWanted(signal, () => acme.invoices.pdf(invoiceId));
   */
  whileWanted<T>(wanted: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Returns a logger that adds the request id to lines written for a request. Defaults to the engine's logger. */
  logger(logger?: Logger): Logger;
}

const nobodyLooks: RequestSpan = { tell: () => undefined, fail: () => undefined };

export function requestsOf(ports: Pick<Ports, 'tracer' | 'scopes' | 'logger'>): RequestTracking {
  return {
    run: ({ name, requestId, traceParent, attributes = {} }, work) =>
      onBehalfOf(
        ports,
        {
          requestId,
          start: () => ({
            name,
            kind: 'SERVER',
            parent: traceParent,
            attributes: { ...attributes, 'billwright.request.id': requestId },
          }),
        },
        (span) => work(span ?? nobodyLooks),
      ),
    whileWanted: (wanted, work) => whileWanted(ports, wanted, work),
    logger: (logger) =>
      logger === undefined ? ports.logger : scopedLogger(guardedLogger(logger), ports.scopes),
  };
}
