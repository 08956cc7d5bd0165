import { LostCommitError } from '../sql/connection.ts';

/** Matches messages about a lost worker, because Citus does not always report an SQLSTATE for it. */
const lostWorker =
  /^(failure on connection marked as essential:|connection to the remote node |server closed the connection|could not (send|receive) data|no connection to the server|connection not open)/;
const connectionException = /^08/;

/** Returns true for an error that the coordinator of Citus reports about a worker. */
export function isOfLostWorker(error: unknown): boolean {
  if (!isOfServer(error)) return false;
  return lostWorker.test(error.message) || connectionException.test(String(error.code));
}

/**
 * Returns the error to throw for a failed commit. The commit is undone if the server rejects it. If a server was lost
 * in the meantime, the changes may be stored.
 */
export function failedCommit(error: unknown): unknown {
  return isOfServer(error) && !isOfLostWorker(error) ? error : new LostCommitError(error);
}

function isOfServer(error: unknown): error is Error & { readonly code?: unknown } {
  return error instanceof Error && 'severity' in error;
}
