import { lockAccount, noSuchAccount } from '../../accounts/index.ts';
import type { ReadSession, Storage, WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type Authorship,
  EXTERNAL_PAYMENT_PLUGIN,
  type PaymentMethod,
  type TenantRef,
} from '../../records/index.ts';
import { type BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortened } from '../../values/text/index.ts';
import type { PaymentConfig, PaymentConfigOf } from '../state/payment-config.ts';
import { paymentError } from '../state/payment-errors.ts';
import { externalMethodsOf, type NewMethod, refuseSecondExternal, storeMethods } from './stored-methods.ts';

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
  return paymentError(
    ErrorCode.BUSY,
    'These payment methods cannot be stored together; each is stored alone',
  );
}

/** A method that a call wants to add. */
export interface AskedMethod {
  readonly accountId: Uuid;
  readonly pluginName: string;
  /** Null = none was given. */
  readonly givenKey: string | null;
}

/** What must be known before a gateway hears of it. */
export interface AddableMethod {
  readonly account: Account;
  readonly config: PaymentConfig;
}

/**
 * Checks each of these by what is stored, with as many statements as one takes; refuses what can be refused before a
 * gateway is told. The unique key decides in the end.
 */
export async function addableMethods(
  session: ReadSession,
  asked: readonly AskedMethod[],
  configOf: PaymentConfigOf,
): Promise<readonly (AddableMethod | BillingError)[]> {
  const keys = asked.flatMap(({ givenKey }) => givenKey ?? []);
  const external = asked.filter(({ pluginName }) => pluginName === EXTERNAL_PAYMENT_PLUGIN);
  const [config, accounts, ofKeys, externals] = await Promise.all([
    configOf(session),
    session.accounts.findByIds([...new Set(asked.map(({ accountId }) => accountId))]),
    session.payments.findMethodsByKeys([...new Set(keys)]),
    externalMethodsOf(session, new Set(external.map(({ accountId }) => accountId))),
  ]);
  const accountOf = new Map(accounts.map((account) => [account.id, account]));
  const taken = new Set(ofKeys.map(({ externalKey }) => externalKey));
  return asked.map(({ accountId, pluginName, givenKey }) => {
    const account = accountOf.get(accountId);
    if (!account) return noSuchAccount(accountId);
    const refusal =
      pluginName === EXTERNAL_PAYMENT_PLUGIN ? refuseSecondExternal(externals, accountId) : null;
    if (refusal !== null) return refusal;
    return givenKey !== null && taken.has(givenKey) ? takenKey(givenKey) : { account, config };
  });
}

function takenKey(key: string): BillingError {
  return paymentError(
    ErrorCode.PAYMENT_INVALID_PARAMETER,
    `externalKey "${shortened(key)}" is already used by a payment method`,
    { parameter: 'externalKey', externalKey: key },
  );
}
