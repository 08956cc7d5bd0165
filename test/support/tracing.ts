import { SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { openTelemetryTracer } from '../../adapters/opentelemetry/index.ts';

export interface SeenSpan {
  readonly name: string;
  readonly traceId: string;
  readonly id: string;
  readonly parentId: string | undefined;
  readonly linkedTo: readonly string[];
  readonly attributes: ReadableSpan['attributes'];
  readonly hasFailed: boolean;
}

/** Records the spans of a tracer of the real SDK, in the order in which they started. */
export function recordedTraces() {
  const exporter = new InMemorySpanExporter();
  // Span times are in whole milliseconds, so the order is recorded separately.
  const begun: string[] = [];
  const order: SpanProcessor = {
    onStart: (span) => void begun.push(span.spanContext().spanId),
    onEnd: () => undefined,
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const provider = new BasicTracerProvider({ spanProcessors: [order, new SimpleSpanProcessor(exporter)] });
  const placeOf = (span: ReadableSpan): number => begun.indexOf(span.spanContext().spanId);
  const tracer = provider.getTracer('test');
  return {
    tracer: openTelemetryTracer({ tracer }),
    /** The host's tracer. */
    sdkTracer: tracer,
    forget: () => exporter.reset(),
    spans: (): readonly SeenSpan[] =>
      exporter
        .getFinishedSpans()
        .toSorted((one, other) => placeOf(one) - placeOf(other))
        .map(seen),
  };
}

function seen(span: ReadableSpan): SeenSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    name: span.name,
    traceId,
    id: spanId,
    parentId: span.parentSpanContext?.spanId,
    linkedTo: span.links.map(({ context }) => context.traceId),
    attributes: span.attributes,
    hasFailed: span.status.code === SpanStatusCode.ERROR,
  };
}

/** Returns the names of a span and its ancestors, from the top. */
export function pathOf(span: SeenSpan, all: readonly SeenSpan[]): readonly string[] {
  const above = all.find(({ id }) => id === span.parentId);
  return [...(above === undefined ? [] : pathOf(above, all)), span.name];
}
