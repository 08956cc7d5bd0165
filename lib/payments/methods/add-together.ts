import { lockAccount } from '../../accounts/index.ts';
import type { Storage, WriteSession } from '../../ports/storage/index.ts';
import type { Account, Authorship, PaymentMethod, TenantRef } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type NewMethod, storeMethods } from './stored-methods.ts';

/** A method to store, with the token that ties the written rows to the call. */
export interface MethodAddition {
  readonly account: Account;
  readonly method: NewMethod;
  readonly userToken: Uuid;
}

/**
 * Stores the methods of calls of one author in one transaction; audit rows and bus events of each have its call's token.
 * Several are stored together only for different accounts that are free, so that no account waits for another.
 * @throws BillingError BUSY (60018): then each is to be stored alone.
 */
export async function addTogether(
  storage: Pick<Storage, 'write'>,
  { tenant, authorship }: { readonly tenant: TenantRef; readonly authorship: Authorship },
  additions: readonly MethodAddition[],
): Promise<readonly PaymentMethod[]> {
  const tokens = new Map(additions.map(({ account, userToken }) => [account.recordId, userToken]));
  if (tokens.size < additions.length) throw notTogether();
  const userTokenOf = (accountRecordId: number | null): Uuid =>
    tokens.get(accountRecordId ?? 0) ?? authorship.userTokenOf(accountRecordId);
  return storage.write(tenant, { ...authorship, userTokenOf }, async (session) => {
    const locked = await lockedAccounts(session, additions);
    const accountOf = new Map(locked.map((account) => [account.id, account]));
    return storeMethods(
      session,
      additions.map(({ account, method }) => ({ account: accountOf.get(account.id) ?? account, method })),
    );
  });
}

async function lockedAccounts(
  session: WriteSession,
  additions: readonly MethodAddition[],
): Promise<readonly Account[]> {
  const [only] = additions;
  if (only !== undefined && additions.length === 1) return [await lockAccount(session, only.account.id)];
  const locked = await session.tryLockAccounts(additions.map(({ account }) => account.recordId));
  if (locked.length < additions.length) throw notTogether();
  return locked;
}

function notTogether(): BillingError {
  return new BillingError({
    code: ErrorCode.BUSY,
    message: 'These payment methods cannot be stored together; each is stored alone',
  });
}
