import { isSpanContextValid, type SpanContext } from '@opentelemetry/api';

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
