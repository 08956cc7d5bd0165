import type { ReadSession } from '../ports/storage/index.ts';
import { ActiveValueCache } from '../tenants/index.ts';

/** Gives the callback that the tenant of a session has registered, or null. */
export type CallbackOf = (session: ReadSession) => Promise<string | null>;

/** The tenant's row names the row of its callback, and rows never change, so a callback is read once. */
export function callbackOf(): CallbackOf {
  const known = new ActiveValueCache<string>();
  return async (session) => {
    const { callback } = await session.revisions();
    if (callback === null) return null;
    const found = known.find(callback);
    if (found !== undefined) return found;
    const url = await session.keyValues.valueOf(callback.recordId);
    known.keep(session, callback, url);
    return url;
  };
}
