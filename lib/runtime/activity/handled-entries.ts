import type { Span, SpanStart, WorkScope } from '../../ports/index.ts';
import type { ClaimedEntry } from '../../ports/storage/index.ts';
import { QueueKind } from '../../records/index.ts';
import { type ActivityPorts, inSpan } from './spanned.ts';

interface Handled {
  readonly handler: string;
  readonly tenantId: string;
  readonly entries: readonly ClaimedEntry[];
  /** What has become of an entry; undefined: it did not fail. */
  readonly failureOf: (entry: ClaimedEntry) => unknown;
}

/**
 * Runs a handler over entries, each on behalf of the call that has caused it: log lines carry its token, and each entry has
 * a span in its trace. Where several are handled together, the work as a whole is a trace of its own that is linked to
 * theirs, since it can be in one trace only.
 */
export async function handleEntries(
  ports: ActivityPorts,
  handled: Handled,
  work: () => Promise<void>,
): Promise<void> {
  const { tracer, scopes } = ports;
  const { entries, handler, failureOf } = handled;
  if (scopes === undefined) return work();
  if (tracer === undefined)
    return scopes.run(
      scopeOf(entries, () => null),
      work,
    );
  const spans = new Map(entries.map((entry) => [entry, tracer.start(spanOf(entry, handled))]));
  const scope = scopeOf(entries, (entry) => spans.get(entry)?.traceParent ?? null);
  try {
    await inSpan(ports, { span: wholeOf([...spans.values()]), scope }, work);
    for (const [entry, span] of spans) {
      const error = failureOf(entry);
      if (error !== undefined) span.fail(error);
    }
  } catch (error) {
    for (const span of spans.values()) span.fail(error);
    throw error;
  } finally {
    for (const span of spans.values()) span.end();
  }

  function wholeOf(each: readonly Span[]): Span {
    const [only] = each;
    // Of one entry it is the entry's span, which is ended above.
    if (each.length === 1 && only !== undefined)
      return {
        traceParent: only.traceParent,
        tell: only.tell.bind(only),
        run: only.run.bind(only),
        fail: () => undefined,
        end: () => undefined,
      };
    const start: SpanStart = {
      name: `${handler} of ${each.length}`,
      kind: 'INTERNAL',
      parent: null,
      links: each.map(({ traceParent }) => traceParent),
      attributes: { 'billwright.tenant.id': handled.tenantId },
    };
    return (tracer as NonNullable<typeof tracer>).start(start);
  }
}

function scopeOf(
  entries: readonly ClaimedEntry[],
  traceParentOf: (entry: ClaimedEntry) => string | null,
): WorkScope {
  const of = (entry: ClaimedEntry): WorkScope => ({
    requestId: entry.userToken,
    traceParent: traceParentOf(entry),
  });
  const [only] = entries;
  if (entries.length === 1 && only !== undefined) return of(only);
  const tokens = new Set(entries.map(({ userToken }) => userToken));
  return {
    requestId: tokens.size === 1 ? ([...tokens][0] ?? null) : null,
    traceParent: null,
    accounts: new Map(
      entries.flatMap((entry) =>
        entry.accountRecordId === null ? [] : [[entry.accountRecordId, of(entry)] as const],
      ),
    ),
  };
}

/** What was due at once goes on with the trace that has caused it; what was planned for later begins one of its own. */
function spanOf(entry: ClaimedEntry, { handler, tenantId }: Handled): SpanStart {
  const { kind, traceParent, effectiveDate, createdDate } = entry;
  const isLater = kind === QueueKind.NOTIFICATION && effectiveDate > createdDate;
  return {
    name: handler,
    kind: 'CONSUMER',
    parent: isLater ? null : traceParent,
    links: isLater && traceParent !== null ? [traceParent] : [],
    attributes: {
      'billwright.tenant.id': tenantId,
      'billwright.request.id': entry.userToken,
      'billwright.queue.topic': entry.topic,
      'billwright.queue.record_id': entry.recordId,
    },
  };
}
