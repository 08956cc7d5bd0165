import type { Storage, WriteSession } from '../../ports/storage/index.ts';
import type { Account, Authorship, CallContext, New, TenantRef } from '../../records/index.ts';
import { BusEventType } from '../../records/index.ts';
import { allEnded } from '../../runtime/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Instant, maxInstant } from '../../values/time/index.ts';
import { accountEvent } from '../rules/account-event.ts';
import { changeCreationDate } from '../rules/new-account.ts';

/** An account to create, and the user token of its call. */
export interface AccountCreation {
  readonly account: New<Account>;
  readonly userToken: Uuid;
}

/**
 * Returns a key that is equal for calls of the same author. The records of such calls can be written in one
 * transaction. Each record gets the user token of its call, and all get the time of the latest call.
 */
export function sameAuthor({ tenant, userName, reasonCode, comments }: CallContext): string {
  return JSON.stringify([tenant.id, userName, reasonCode, comments]);
}

/**
 * Returns the authorship of a transaction for several calls of one author. Its time is that of the latest call. The
 * transaction adds the user token of each account's call to `tokens`.
 */
export function sharedAuthorship(
  authorship: Authorship,
  createdDates: readonly Instant[],
): { readonly authorship: Authorship; readonly tokens: Map<number | null, Uuid> } {
  const tokens = new Map<number | null, Uuid>();
  const createdDate = maxInstant(authorship.createdDate, ...createdDates);
  const userTokenOf = (accountRecordId: number | null): Uuid =>
    tokens.get(accountRecordId) ?? authorship.userTokenOf(accountRecordId);
  return { authorship: { ...authorship, createdDate, userTokenOf }, tokens };
}

/** Creates accounts without parents in one transaction. Each account gets the user token of its call. */
export async function createTogether(
  storage: Pick<Storage, 'write'>,
  { tenant, authorship: author }: { readonly tenant: TenantRef; readonly authorship: Authorship },
  creations: readonly AccountCreation[],
): Promise<readonly Account[]> {
  const dates = creations.map(({ account }) => account.createdDate);
  const { authorship, tokens } = sharedAuthorship(author, dates);
  return storage.write(tenant, authorship, async (session) => {
    const [accounts] = await allEnded([
      session.accounts.insert(
        creations.map(({ account }) => changeCreationDate(account, authorship.createdDate)),
      ),
      // Also read the revisions, because the events need them.
      session.revisions(),
    ]);
    tokens.clear();
    for (const [index, { recordId }] of accounts.entries()) {
      const creation = creations[index];
      assertInvariant(creation, 'Storage must return inserted accounts in order');
      tokens.set(recordId, creation.userToken);
    }
    publishCreations(session, accounts);
    return accounts;
  });
}

/** Creates an account whose ancestors are already locked and checked. */
export async function createAccount(session: WriteSession, account: New<Account>): Promise<Account> {
  const accounts = await session.accounts.insert([account]);
  publishCreations(session, accounts);
  const [stored] = accounts;
  assertInvariant(stored, 'Storage returned no account for an insert');
  return stored;
}

function publishCreations(session: WriteSession, accounts: readonly Account[]): void {
  session.publish(accounts.map((account) => accountEvent(BusEventType.ACCOUNT_CREATION, account)));
}
