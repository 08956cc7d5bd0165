import type { Principal, SystemAuthor } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Authorship } from './authorship.ts';

/** Who makes a change of no tenant, as a call says. */
export function systemAuthorOf(call: {
  readonly authorship: Authorship;
  readonly user: Principal | null;
  readonly userToken: Uuid;
}): SystemAuthor {
  const { authorship, user, userToken } = call;
  return {
    userName: authorship.createdBy ?? user?.name ?? '',
    reasonCode: authorship.reason,
    comments: authorship.comment,
    userToken,
    principal: user,
  };
}
