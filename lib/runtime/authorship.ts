import type { Clock, IdGenerator } from '../ports/index.ts';
import type { Authorship, CallContext, SystemAuthor } from '../records/index.ts';
import { checkStorable } from '../values/text/index.ts';

/**
 * Returns the authorship of a call.
 * @throws BillingError MISSING_OR_INVALID_FIELD for an author, reason or comment that cannot be stored.
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

/** Returns the authorship of a change outside all tenants. @throws as `authorshipOf`. */
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
