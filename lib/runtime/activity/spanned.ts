import type { Ports, Span, SpanStart, WorkScope } from '../../ports/index.ts';

/** What shows what is done, and on whose behalf; neither has to be there. */
export type ActivityPorts = Pick<Ports, 'tracer' | 'scopes'>;

const nobody: WorkScope = { requestId: null, traceParent: null };

/** Runs the work in a span below the one in which this is called. Without a tracer it just runs the work. */
export function spanned<T>(
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

/** Shows what is done already. */
export function showDone({ tracer, scopes }: ActivityPorts, start: Omit<SpanStart, 'parent'>): void {
  tracer?.start({ ...start, parent: scopes?.current()?.traceParent ?? undefined }).end();
}

/** Runs the work in a span on behalf of somebody else, such as who has caused an entry of the queue, in whose trace it stands. */
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

/** Runs work on one of several accounts that are worked on together, on behalf of whoever has caused that. */
export function ofAccount<T>({ scopes }: ActivityPorts, accountRecordId: number | null, work: () => T): T {
  const own = accountRecordId === null ? undefined : scopes?.current()?.accounts?.get(accountRecordId);
  return own === undefined || scopes === undefined ? work() : scopes.run(own, work);
}

/** What work that is caused now, on this account, names as its parent. */
export function traceParentOf({ scopes }: ActivityPorts, accountRecordId: number | null): string | null {
  const scope = scopes?.current();
  const own = accountRecordId === null ? undefined : scope?.accounts?.get(accountRecordId);
  return (own ?? scope)?.traceParent ?? null;
}

/** Runs what nobody has asked for, whoever has happened to start it. */
export function detached<T>({ tracer, scopes }: ActivityPorts, work: () => T): T {
  const run = (): T => (scopes === undefined ? work() : scopes.run(undefined, work));
  return tracer === undefined ? run() : tracer.detached(run);
}

/** Ends the span when the work has ended, and shows that it has failed. */
export async function inSpan<T>(
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
