import type { ActivityPorts } from './spanned.ts';

type ScopePorts = Pick<ActivityPorts, 'scopes'>;

const nobody = { requestId: null, traceParent: null } as const;

/**
 * Runs work whose result nobody needs once the signal is aborted. What it computes in turns then ends early, with the
 * signal's reason as its error. Only for work that changes nothing, since it may end anywhere. Without `scopes` the work
 * goes on to its end.
 */
export function whileWanted<T>({ scopes }: ScopePorts, wanted: AbortSignal, work: () => T): T {
  return scopes === undefined ? work() : scopes.run({ ...(scopes.current() ?? nobody), wanted }, work);
}

/** @throws the reason of the signal if nobody needs the result of the work any more. */
export function endUnwanted({ scopes }: ScopePorts): void {
  scopes?.current()?.wanted?.throwIfAborted();
}

/** Returns the signal that is aborted once nobody needs the result; undefined for work that goes on to its end. */
export function wantedSignal({ scopes }: ScopePorts): AbortSignal | undefined {
  return scopes?.current()?.wanted;
}
