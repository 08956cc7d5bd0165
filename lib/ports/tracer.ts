/** Where a span is in its trace, as W3C Trace Context writes it: `00-<trace id>-<span id>-<flags>`. */
export type TraceParent = string;

/** Values that a trace shows of a span. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** SERVER: a request that is served; CLIENT: a call of another system; CONSUMER: an entry of the queue; INTERNAL: the rest. */
export type SpanKind = 'SERVER' | 'CLIENT' | 'CONSUMER' | 'INTERNAL';

/** A span that begins now. */
export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  /** Below which span; null: it begins a trace; absent: below what runs now, as the tracer itself knows it. */
  readonly parent?: TraceParent | null | undefined;
  /** What else it comes from, such as the request that planned it a month ago. */
  readonly links?: readonly TraceParent[];
  readonly attributes?: SpanAttributes;
}

/** A piece of work in a trace. */
export interface Span {
  /** By which others name it as their parent; stored with the work that it causes. */
  readonly traceParent: TraceParent;
  /** Names it better, or shows more of it. */
  tell(more: { readonly name?: string; readonly attributes?: SpanAttributes }): void;
  /** It did not do what it should. */
  fail(error: unknown): void;
  end(): void;
  /** Runs the work so that spans which other libraries begin in it, such as of a database driver, stand below this one. */
  run<T>(work: () => T): T;
}

/**
 * Shows what the engine does as traces: requests and calls, their transactions, the queue entries that these cause, the
 * invoices, the calls of gateways and other plugins, the pushes. `openTelemetryTracer()` of `billwright/opentelemetry` is
 * one. It is called often and must neither throw nor wait.
 */
export interface Tracer {
  start(span: SpanStart): Span;
  /** Runs what belongs to no trace, such as a timer that a request has happened to set. */
  detached<T>(work: () => T): T;
}

/** On whose behalf something is done. */
export interface WorkScope {
  /** Id of the request or call, which log lines carry; null: of none, or of several. */
  readonly requestId: string | null;
  /** The span in which it is done; null: in none. */
  readonly traceParent: TraceParent | null;
  /**
   * Aborted once nobody needs the result, such as when a caller has hung up: work that computes in turns ends then. Absent:
   * the work goes on to its end.
   */
  readonly wanted?: AbortSignal | undefined;
  /** By record id, the accounts that are worked on together, each on behalf of another request. */
  readonly accounts?: ReadonlyMap<number, WorkScope>;
}

/**
 * Carries the scope of work along with it, from call to call, without being passed. `workScopes()` does it with Node's
 * `AsyncLocalStorage`.
 */
export interface WorkScopes {
  /** Runs the work, and all that it starts, in the scope; undefined: in none. */
  run<T>(scope: WorkScope | undefined, work: () => T): T;
  current(): WorkScope | undefined;
}
