import type { Logger, Ports, SpanAttributes, TraceParent } from '../ports/index.ts';
import { guardedLogger, onBehalfOf, scopedLogger, whileWanted } from '../runtime/index.ts';

/** A request that a host serves. */
export interface ServedRequest {
  /** As a trace shows it, such as `GET /customers/{id}`. */
  readonly name: string;
  /** What log lines carry as `requestId`. */
  readonly requestId: string;
  /** Of the header `traceparent`, if it came with one. */
  readonly traceParent?: TraceParent | undefined;
  readonly attributes?: SpanAttributes;
}

/** What a trace is told of a request while it is served; without a tracer it goes nowhere. */
export interface RequestSpan {
  tell(more: { readonly name?: string; readonly attributes?: SpanAttributes }): void;
  fail(error: unknown): void;
}

export interface RequestTracking {
  /**
   * Runs the work of a request: log lines that are written in it carry its id, and with a tracer it is a span above all
   * that it causes. Call operations with a `userToken` that is the same id, so that work which they cause later carries
   * it too.
   *
   * @example await billing.requests.run({ name: 'POST /orders', requestId }, () => order(body));
   */
  run<T>(request: ServedRequest, work: (span: RequestSpan) => Promise<T>): Promise<T>;
  /**
   * Runs work whose result nobody needs once the signal is aborted, such as when its caller has hung up: what it computes
   * in turns (documents, dry runs, exports, timelines) then ends at the next turn and throws the signal's reason. Only for
   * operations that change nothing.
   *
   * @example await billing.requests.whileWanted(signal, () => acme.invoices.pdf(invoiceId));
   */
  whileWanted<T>(wanted: AbortSignal, work: () => Promise<T>): Promise<T>;
  /**
   * The logger, with the id of the request added to each line that is written while one is served, or work that it caused done;
   * default that of the engine.
   */
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
