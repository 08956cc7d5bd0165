/** Position of a span in its trace, in W3C Trace Context format: `00-<trace id>-<span id>-<flags>`. */
export type TraceParent = string;

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/**
 * Kind of a span. SERVER is a served request, CLIENT is a call to another system, CONSUMER is a queue entry, and
 * INTERNAL is other work.
 */
export type SpanKind = 'SERVER' | 'CLIENT' | 'CONSUMER' | 'INTERNAL';

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  /** The parent span. Null starts a new trace. If this field is absent, the tracer's current span is the parent. */
  readonly parent?: TraceParent | null | undefined;
  /** Additional causes, such as the request that scheduled the work a month ago. */
  readonly links?: readonly TraceParent[];
  readonly attributes?: SpanAttributes;
}

/** A piece of work in a trace. */
export interface Span {
  /**
   * Position of the span, which identifies it as the parent of other spans. It is stored with the work that the span
   * causes.
   */
  readonly traceParent: TraceParent;
  /** Changes the name or adds attributes. */
  tell(more: { readonly name?: string; readonly attributes?: SpanAttributes }): void;
  fail(error: unknown): void;
  end(): void;
  /** Runs the work. Spans of other libraries, such as a database driver, become children of this span. */
  run<T>(work: () => T): T;
}

/**
 * A tracer, such as `openTelemetryTracer()` from `billwright/opentelemetry`. It records requests, calls, transactions,
 * queue entries, invoices, plugin calls and pushes. It is called often and must not throw or wait.
 */
export interface Tracer {
  start(span: SpanStart): Span;
  /** Runs work, such as a timer, outside the current trace. */
  detached<T>(work: () => T): T;
}

/** The request and the trace to which the current work belongs. */
export interface WorkScope {
  /** Id of the request or call for log lines. The value is null if the work has no id, or more than one. */
  readonly requestId: string | null;
  /** Returns the current span, or null if none exists. */
  readonly traceParent: TraceParent | null;
  /**
   * Signal that is aborted when the result is no longer needed, for example because the client has disconnected. In
   * that case, long work ends early.
   */
  readonly wanted?: AbortSignal | undefined;
  /** The scopes of the accounts in a batch, by record id of the account. */
  readonly accounts?: ReadonlyMap<number, WorkScope>;
}

/** Passes the current scope on through asynchronous work. `workScopes()` uses Node's `AsyncLocalStorage`. */
export interface WorkScopes {
  /**
   * Runs the work, and everything that it starts, in the scope. If the scope is undefined, the work runs without a
   * scope.
   */
  run<T>(scope: WorkScope | undefined, work: () => T): T;
  current(): WorkScope | undefined;
}
