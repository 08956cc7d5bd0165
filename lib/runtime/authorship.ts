import type { Clock, IdGenerator } from '../ports/index.ts';
import type { Authorship, CallContext, SystemAuthor } from '../records/index.ts';
import { checkStorable } from '../values/text/index.ts';

/**
 * The authorship of the audit rows of a call.
 * @throws BillingError MISSING_OR_INVALID_FIELD for an author, reason or comment that cannot be stored.
 */
export function authorshipOf(
  context: Pick<CallContext, 'userName' | 'reasonCode' | 'comments' | 'createdDate' | 'userToken'>,
): Authorship {
  checkStorable('User', context.userName);
  checkStorable('Reason', context.reasonCode);
  checkStorable('Comment', context.comments);
  return {
    userName: context.userName,
    reasonCode: context.reasonCode,
    comments: context.comments,
    createdDate: context.createdDate,
    userTokenOf: () => context.userToken,
  };
}

/**
 * The same for a change that belongs to no tenant.
 * @throws BillingError MISSING_OR_INVALID_FIELD for an author, reason or comment that cannot be stored.
 */
export function systemAuthorshipOf(
  author: SystemAuthor,
  { clock, ids }: { readonly clock: Clock; readonly ids: IdGenerator },
): Authorship {
  checkStorable('User', author.userName);
  checkStorable('Reason', author.reasonCode);
  checkStorable('Comment', author.comments);
  const userToken = author.userToken ?? ids.next();
  return {
    userName: author.userName,
    reasonCode: author.reasonCode ?? null,
    comments: author.comments ?? null,
    createdDate: clock.now(),
    userTokenOf: () => userToken,
  };
}
