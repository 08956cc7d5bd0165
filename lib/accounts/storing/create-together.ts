import type { Storage, WriteSession } from '../../ports/storage/index.ts';
import type { Account, Authorship, CallContext, New, TenantRef } from '../../records/index.ts';
import { BusEventType } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { accountEvent } from '../rules/account-event.ts';

/** An account to create, with the token that ties the written rows to the call. */
export interface AccountCreation {
  readonly account: New<Account>;
  readonly userToken: Uuid;
}

/**
 * A text that is equal for calls whose rows have the same author, reason, comment and date: one transaction can write
 * them.
 */
export function sameAuthorship({ tenant, userName, reasonCode, comments, createdDate }: CallContext): string {
  return JSON.stringify([tenant.id, userName, reasonCode, comments, createdDate]);
}

/** Creates accounts without parents in one transaction; audit rows and bus events of each have its call's token. */
export async function createTogether(
  storage: Pick<Storage, 'write'>,
  { tenant, authorship }: { readonly tenant: TenantRef; readonly authorship: Authorship },
  creations: readonly AccountCreation[],
): Promise<readonly Account[]> {
  const tokens = new Map<number | null, Uuid>();
  const userTokenOf = (accountRecordId: number | null): Uuid =>
    tokens.get(accountRecordId) ?? authorship.userTokenOf(accountRecordId);
  return storage.write(tenant, { ...authorship, userTokenOf }, async (session) => {
    const accounts = await session.accounts.insert(creations.map(({ account }) => account));
    tokens.clear();
    for (const [index, { recordId }] of accounts.entries()) {
      const creation = creations[index];
      assertInvariant(creation, 'Storage returns the accounts of an insert in their order');
      tokens.set(recordId, creation.userToken);
    }
    tellOf(session, accounts);
    return accounts;
  });
}

/** Creates an account whose line of parents is locked and checked. */
export async function createAccount(session: WriteSession, account: New<Account>): Promise<Account> {
  const accounts = await session.accounts.insert([account]);
  tellOf(session, accounts);
  const [stored] = accounts;
  assertInvariant(stored, 'Storage returns the account of an insert');
  return stored;
}

function tellOf(session: WriteSession, accounts: readonly Account[]): void {
  session.publish(accounts.map((account) => accountEvent(BusEventType.ACCOUNT_CREATION, account)));
}
