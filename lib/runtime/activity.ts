import type {
  Clock,
  IdGenerator,
  Logger,
  Ports,
  Span,
  SpanStart,
  WorkScope,
  WorkScopes,
} from '../ports/index.ts';
import type { ClaimedEntry } from '../ports/storage/index.ts';
import { type Authorship, type CallContext, QueueKind, type SystemAuthor } from '../records/index.ts';
import { checkStorable } from '../values/text/index.ts';

/**
 * Runs an operation that a host calls. Its log lines contain the user token of the call, unless a request or engine
 * work is running.
 */
export function asCall<T>(
  ports: ActivityPorts,
  { name, context }: { readonly name: string; readonly context: CallContext },
  work: () => Promise<T>,
): Promise<T> {
  const { scopes } = ports;
  const run = (): Promise<T> =>
    runInChildSpan(
      ports,
      () => ({ name, kind: 'INTERNAL', attributes: { 'billwright.tenant.id': context.tenant.id } }),
      work,
    );
  const scope = scopes?.current();
  if (scopes === undefined || (scope !== undefined && scope.requestId !== null)) return run();
  const { traceParent = null, wanted } = scope ?? {};
  return scopes.run({ requestId: context.userToken, traceParent, wanted }, run);
}

/** The optional ports for traces and scopes. */
export type ActivityPorts = Pick<Ports, 'tracer' | 'scopes'>;

const nobody: WorkScope = { requestId: null, traceParent: null };

/** Runs the work in a child span of the current span, if there is a tracer. */
export function runInChildSpan<T>(
  ports: ActivityPorts,
  start: () => Omit<SpanStart, 'parent'>,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  const { tracer, scopes } = ports;
  if (tracer === undefined) return work(null);
  const scope = scopes?.current() ?? nobody;
  const span = tracer.start({ ...start(), parent: scope.traceParent ?? undefined });
  return inSpan(ports, { span, scope }, work);
}

/** Adds a span that has already ended. */
export function showDone({ tracer, scopes }: ActivityPorts, start: Omit<SpanStart, 'parent'>): void {
  tracer?.start({ ...start, parent: scopes?.current()?.traceParent ?? undefined }).end();
}

/** Runs the work in a span on behalf of another request, such as the one that caused a queue entry. */
export function onBehalfOf<T>(
  ports: ActivityPorts,
  { requestId, start }: { readonly requestId: string | null; readonly start: () => SpanStart },
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  const { tracer, scopes } = ports;
  const scope: WorkScope = { requestId, traceParent: null };
  if (tracer !== undefined) return inSpan(ports, { span: tracer.start(start()), scope }, work);
  return scopes === undefined ? work(null) : scopes.run(scope, () => work(null));
}

/** Runs work on one account in a batch, in the scope of the request that caused this work. */
export function ofAccount<T>({ scopes }: ActivityPorts, accountRecordId: number | null, work: () => T): T {
  const own = accountRecordId === null ? undefined : scopes?.current()?.accounts?.get(accountRecordId);
  return own === undefined || scopes === undefined ? work() : scopes.run(own, work);
}

/** Returns the trace context to store with new work for this account. */
export function traceParentOf({ scopes }: ActivityPorts, accountRecordId: number | null): string | null {
  const scope = scopes?.current();
  const own = accountRecordId === null ? undefined : scope?.accounts?.get(accountRecordId);
  return (own ?? scope)?.traceParent ?? null;
}

/** Runs work outside the current scope and trace. */
export function runDetached<T>({ tracer, scopes }: ActivityPorts, work: () => T): T {
  const run = (): T => (scopes === undefined ? work() : scopes.run(undefined, work));
  return tracer === undefined ? run() : tracer.detached(run);
}

/** Runs the work inside the span. The span ends with the work. */
async function inSpan<T>(
  { scopes }: ActivityPorts,
  { span, scope }: { readonly span: Span; readonly scope: WorkScope },
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const inside = { ...scope, traceParent: span.traceParent };
  try {
    return await span.run(() => (scopes === undefined ? work(span) : scopes.run(inside, () => work(span))));
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

interface Handled {
  readonly handler: string;
  readonly tenantId: string;
  readonly entries: readonly ClaimedEntry[];
  /** Returns the error of an entry, or undefined if the entry has not failed. */
  readonly failureOf: (entry: ClaimedEntry) => unknown;
}

/**
 * Runs a handler on entries. Each entry runs in the scope and trace of the call that caused it. Work on several entries
 * together has its own trace, which is linked to the traces of the entries.
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
    // For a single entry, this is the span of the entry, which has already ended.
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

/**
 * Returns the span of an entry. Work that is due immediately belongs to the trace of its cause. Work that was planned
 * for later starts its own trace.
 */
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

/**
 * Returns a logger that adds the fields of the current scope to each line. Fields of the line itself take precedence.
 */
export function scopedLogger(logger: Logger, scopes: WorkScopes | undefined): Logger {
  if (scopes === undefined) return logger;
  const write =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      const scope = scopes.current();
      logger[level](scope === undefined ? fields : { ...fieldsOf(scope), ...fields }, message);
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function fieldsOf({ requestId, traceParent, accounts }: WorkScope): object {
  const requestIds =
    requestId === null && accounts !== undefined
      ? [...new Set([...accounts.values()].flatMap((account) => account.requestId ?? []))]
      : [];
  return {
    ...(requestId === null ? {} : { requestId }),
    ...(requestIds.length === 0 ? {} : { requestIds }),
    // The format is `00-<trace id>-<span id>-<flags>`.
    ...(traceParent === null ? {} : { traceId: traceParent.split('-')[1] }),
  };
}

type ScopePorts = Pick<ActivityPorts, 'scopes'>;

/**
 * Runs work that only reads. If the signal is aborted, the work ends at its next pause. Without `scopes`, the work
 * always runs to its end.
 */
export function whileWanted<T>({ scopes }: ScopePorts, wanted: AbortSignal, work: () => T): T {
  return scopes === undefined ? work() : scopes.run({ ...(scopes.current() ?? nobody), wanted }, work);
}

/** Throws the abort reason if the signal of the current work has been aborted. */
export function throwIfUnwanted({ scopes }: ScopePorts): void {
  scopes?.current()?.wanted?.throwIfAborted();
}

/** Returns the signal that is aborted when the result is no longer needed, or undefined if there is no such signal. */
export function wantedSignal({ scopes }: ScopePorts): AbortSignal | undefined {
  return scopes?.current()?.wanted;
}

/**
 * Returns the authorship of a call.
 * @throws BillingError MISSING_OR_INVALID_FIELD if the author, reason or comment cannot be stored.
 */
export function authorshipOf(
  context: Pick<CallContext, 'userName' | 'reasonCode' | 'comments' | 'createdDate' | 'userToken'>,
): Authorship {
  const { userName, reasonCode, comments, createdDate, userToken } = context;
  checkStorable('User', userName);
  checkStorable('Reason', reasonCode);
  checkStorable('Comment', comments);
  return { userName, reasonCode, comments, createdDate, userTokenOf: () => userToken };
}

/** Returns the authorship of a change that does not belong to a tenant. @throws The errors of `authorshipOf`. */
export function systemAuthorshipOf(
  { userName, reasonCode = null, comments = null, userToken }: SystemAuthor,
  { clock, ids }: { readonly clock: Clock; readonly ids: IdGenerator },
): Authorship {
  const createdDate = clock.now();
  return authorshipOf({
    userName,
    reasonCode,
    comments,
    createdDate,
    userToken: userToken ?? ids.next(),
  });
}
