/** What the engine does, as traces of OpenTelemetry. */
import {
  type Context,
  context,
  createContextKey,
  isSpanContextValid,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type SpanContext,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Span, SpanKind, SpanStart, TraceParent, Tracer } from '../../lib/ports/index.ts';

/** Which of our spans a context belongs to, so that spans of other libraries in between are not passed over. */
const ours = createContextKey('billwright span');

const kinds: Readonly<Record<SpanKind, OtelSpanKind>> = {
  SERVER: OtelSpanKind.SERVER,
  CLIENT: OtelSpanKind.CLIENT,
  CONSUMER: OtelSpanKind.CONSUMER,
  INTERNAL: OtelSpanKind.INTERNAL,
};

export interface OpenTelemetryTracerOptions {
  /** Default: the tracer `billwright` of the SDK that the process has registered; without one, nothing is recorded. */
  readonly tracer?: OtelTracer;
}

/** Whether the process has an SDK: without one there are tracers too, whose spans are none. */
export function hasSdk(): boolean {
  return isSpanContextValid(trace.getTracer('billwright').startSpan('billwright').spanContext());
}

/**
 * Gives the engine's spans to the SDK that the host has set up, which samples and exports them. They stand below the
 * host's own spans, and those of instrumented libraries below them, where the SDK has a context manager.
 *
 * @example const billing = await Billing.open({ storage, tracer: openTelemetryTracer() });
 */
export function openTelemetryTracer({
  tracer = trace.getTracer('billwright'),
}: OpenTelemetryTracerOptions = {}): Tracer {
  return {
    start: (start) => {
      const { name, kind, attributes, links = [] } = start;
      const span = tracer.startSpan(
        name,
        {
          kind: kinds[kind],
          ...(attributes === undefined ? {} : { attributes: { ...attributes } }),
          links: links.flatMap((link) => {
            const linked = parseTraceParent(link);
            return linked === null ? [] : [{ context: linked }];
          }),
        },
        parentContext(start),
      );
      return spanOver(span);
    },
    detached: (work) => context.with(ROOT_CONTEXT, work),
  };
}

function parentContext({ parent }: Pick<SpanStart, 'parent'>): Context {
  if (parent === null) return ROOT_CONTEXT;
  const active = context.active();
  const remote = parent === undefined ? null : parseTraceParent(parent);
  return remote === null || goesOnWith(active, parent) ? active : trace.setSpanContext(ROOT_CONTEXT, remote);
}

/** Whether what runs now is that span or one below it, of the host's own or of an instrumented library. */
function goesOnWith(active: Context, parent: TraceParent | undefined): boolean {
  const own = active.getValue(ours);
  if (own !== undefined) return own === parent;
  const found = trace.getSpanContext(active);
  return found !== undefined && found.traceId === parseTraceParent(parent ?? '')?.traceId;
}

function spanOver(span: OtelSpan): Span {
  const traceParent = formatTraceParent(span.spanContext());
  return {
    traceParent,
    tell: ({ name, attributes }) => {
      if (name !== undefined) span.updateName(name);
      if (attributes !== undefined) span.setAttributes({ ...attributes });
    },
    fail: (error) => {
      const message = error instanceof Error ? error.message : String(error);
      span.recordException(error instanceof Error ? error : message);
      span.setStatus({ code: SpanStatusCode.ERROR, message });
    },
    end: () => span.end(),
    run: (work) => context.with(trace.setSpan(context.active(), span).setValue(ours, traceParent), work),
  };
}

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** As W3C Trace Context writes it, version 00. */
export function formatTraceParent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Null: it is none. */
export function parseTraceParent(text: string): SpanContext | null {
  const [, traceId, spanId, flags] = form.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(found) ? found : null;
}
