/** OpenTelemetry traces of the engine. */
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
import type { Span, SpanStart, TraceParent, Tracer } from '../../lib/ports/index.ts';
import { checkOptionTypes, requireOption } from '../../lib/values/errors/index.ts';

/**
 * Key of the engine's span in a context. With it, spans of other libraries between two engine spans keep their place in
 * the trace.
 */
const ours = createContextKey('billwright span');

export interface OpenTelemetryTracerOptions {
  /**
   * Tracer to use. Defaults to the tracer `billwright` of the registered SDK. If there is no SDK, nothing is recorded.
   */
  readonly tracer?: OtelTracer;
}

/** Returns true if the process has an SDK. Otherwise its spans are invalid. */
export function hasSdk(): boolean {
  return isSpanContextValid(trace.getTracer('billwright').startSpan('billwright').spanContext());
}

/**
 * Returns a tracer that sends the engine's spans to the host's SDK. If the SDK has a context manager, the
 * spans are children of the host's spans and parents of the spans of instrumented libraries.
 *
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if `tracer` is not a tracer of OpenTelemetry.
 * @example const billing = await Billing.open({ storage, tracer: openTelemetryTracer() });
 */
export function openTelemetryTracer(options: OpenTelemetryTracerOptions = {}): Tracer {
  checkOptionTypes(options, { tracer: 'an object' });
  const { tracer = trace.getTracer('billwright') } = options;
  requireOption('tracer.startSpan', tracer.startSpan, 'a function');
  return {
    start: (start) => {
      const { name, kind, attributes, links = [] } = start;
      const span = tracer.startSpan(
        name,
        {
          kind: OtelSpanKind[kind],
          attributes: { ...attributes },
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
  return remote === null || isWithin(active, parent) ? active : trace.setSpanContext(ROOT_CONTEXT, remote);
}

/** Returns true if the active span is `parent` or one of its descendants. */
function isWithin(active: Context, parent: TraceParent | undefined): boolean {
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

/** W3C Trace Context, version 00. */
export function formatTraceParent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Returns null for invalid text. */
export function parseTraceParent(text: string): SpanContext | null {
  const [, traceId, spanId, flags] = form.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(found) ? found : null;
}
