import { accountEvent, lockAccount, noSuchAccount, sharedAuthorship } from '../../accounts/index.ts';
import type { IdGenerator } from '../../ports/index.ts';
import type { ReadSession, Storage, WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type Authorship,
  BusEventType,
  EXTERNAL_PAYMENT_PLUGIN,
  type New,
  type PaymentMethod,
  type TenantRef,
} from '../../records/index.ts';
import { allEnded, CallsMustRunAlone } from '../../runtime/index.ts';
import { assertInvariant, BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_EXTERNAL_KEY_CHARACTERS } from '../../values/limits.ts';
import { checkStorable, shortenText } from '../../values/text/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { PaymentConfig, PaymentConfigOf } from '../state/payment-config.ts';
import { noSuchMethod } from '../state/payment-errors.ts';

/**
 * Returns the external methods of these accounts, for payments by check, cash and transfer. Executes no statement for
 * an empty list.
 */
export async function externalMethodsOf(
  session: ReadSession,
  accountIds: ReadonlySet<Uuid>,
): Promise<readonly PaymentMethod[]> {
  if (accountIds.size === 0) return [];
  const methods = await session.payments.findMethodsByAccounts([...accountIds], { includeDeleted: false });
  return methods.filter(({ pluginName }) => pluginName === EXTERNAL_PAYMENT_PLUGIN);
}

/** Rejects a second external method, because an account has only one active external method (§2.4 rule 1). */
export function refuseSecondExternal(
  external: readonly PaymentMethod[],
  accountId: Uuid,
): BillingError | null {
  const existing = external.find((method) => method.accountId === accountId);
  if (!existing) return null;
  return billingError(
    ErrorCode.PAYMENT_EXTERNAL_PAYMENT_METHOD_ALREADY_EXISTS,
    `Account ${accountId} already has the external payment method ${existing.id}`,
    { accountId, paymentMethodId: existing.id },
  );
}

/**
 * Returns the active method with this id.
 * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_METHOD (7000) if none exists.
 */
export async function activeMethod(session: ReadSession, methodId: Uuid): Promise<PaymentMethod> {
  const [method] = await session.payments.findMethodsByIds([methodId]);
  if (method?.isActive) return method;
  throw noSuchMethod(methodId);
}

/**
 * Returns the active method if it belongs to the account.
 * @throws BillingError The errors of `activeMethod`, PAYMENT_METHOD_DIFFERENT_ACCOUNT_ID (7033).
 */
export async function methodOfAccount(
  session: ReadSession,
  accountId: Uuid,
  methodId: Uuid,
): Promise<PaymentMethod> {
  const method = await activeMethod(session, methodId);
  if (method.accountId === accountId) return method;
  throw billingError(
    ErrorCode.PAYMENT_METHOD_DIFFERENT_ACCOUNT_ID,
    `Payment method ${methodId} does not belong to account ${accountId}`,
    { paymentMethodId: methodId, accountId },
  );
}

/** A method that a gateway has accepted and that must now be stored. */
export interface NewMethod {
  readonly id: Uuid;
  readonly requestedKey: string | null;
  /** The id that the gateway assigned to the method, or null if the gateway returned none. */
  readonly gatewayKey: string | null;
  readonly pluginName: string;
  readonly isDefault: boolean;
}

/** The stored methods that a new method may conflict with. */
interface ExistingMethods {
  readonly ofKeys: readonly PaymentMethod[];
  /** The active external methods of the accounts to which an external method is being added. */
  readonly externals: readonly PaymentMethod[];
}

interface AskedMethod {
  readonly accountId: Uuid;
  readonly pluginName: string;
  readonly key: string | null;
}

function toAskedMethod(accountId: Uuid, { pluginName, requestedKey, gatewayKey }: NewMethod): AskedMethod {
  return { accountId, pluginName, key: requestedKey ?? gatewayKey };
}

async function existingMethods(
  session: ReadSession,
  asked: readonly AskedMethod[],
): Promise<ExistingMethods> {
  const keys = asked.flatMap(({ key }) => key ?? []);
  const external = asked.filter(({ pluginName }) => pluginName === EXTERNAL_PAYMENT_PLUGIN);
  const [ofKeys, externals] = await Promise.all([
    session.payments.findMethodsByKeys([...new Set(keys)]),
    externalMethodsOf(session, new Set(external.map(({ accountId }) => accountId))),
  ]);
  return { ofKeys, externals };
}

interface AddedMethod {
  readonly account: Account;
  readonly method: NewMethod;
}

/** Stores one method for each of these locked accounts, in a constant number of statements (§10.1 rules 5 and 6). */
export async function storeMethods(
  session: WriteSession,
  additions: readonly AddedMethod[],
): Promise<readonly PaymentMethod[]> {
  const asked = additions.map(({ account, method }) => toAskedMethod(account.id, method));
  return insertMethods(session, additions, await existingMethods(session, asked));
}

async function insertMethods(
  session: WriteSession,
  additions: readonly AddedMethod[],
  { ofKeys, externals }: ExistingMethods,
): Promise<readonly PaymentMethod[]> {
  for (const { account, method } of additions) {
    const refusal = refusalOf({ ...method, accountId: account.id }, externals);
    if (refusal !== null) throw refusal;
  }
  const taken = new Set(ofKeys.map(({ externalKey }) => externalKey));
  for (const { method } of additions) {
    const { requestedKey } = method;
    if (requestedKey !== null && taken.has(requestedKey)) throw keyInUse(requestedKey);
  }
  const keyOf = ({ id, requestedKey, gatewayKey }: NewMethod): string => {
    const key = requestedKey ?? (gatewayKey === null || taken.has(gatewayKey) ? id : gatewayKey);
    taken.add(key);
    return key;
  };
  const methods = additions.map(({ account, method }) => {
    const { id, pluginName } = method;
    return newMethod(session, account, { id, pluginName, externalKey: keyOf(method) });
  });
  const chosen = additions
    .filter(({ method }) => method.isDefault)
    .map(({ account, method }) => ({ account, paymentMethodId: method.id }));
  const [stored] = await allEnded([
    session.payments.insertMethods(methods),
    setDefaultMethods(session, chosen),
  ]);
  return stored;
}

function refusalOf(
  { pluginName, accountId }: { readonly pluginName: string; readonly accountId: Uuid },
  externals: readonly PaymentMethod[],
): BillingError | null {
  return pluginName === EXTERNAL_PAYMENT_PLUGIN ? refuseSecondExternal(externals, accountId) : null;
}

export function isKeyInUse(error: unknown): boolean {
  return error instanceof BillingError && error.code === ErrorCode.PAYMENT_INVALID_PARAMETER;
}

/**
 * Changes the default payment methods of accounts and reports the changes to the accounts (accounts §4). A null value
 * removes the default.
 */
export async function setDefaultMethods(
  session: WriteSession,
  choices: readonly { readonly account: Account; readonly paymentMethodId: Uuid | null }[],
): Promise<void> {
  const { createdDate: updatedDate } = session.authorship;
  const changed = choices
    .filter(({ account, paymentMethodId }) => account.paymentMethodId !== paymentMethodId)
    .map(({ account, paymentMethodId }) => ({ ...account, paymentMethodId, updatedDate }));
  if (changed.length === 0) return;
  await session.accounts.update(changed);
  session.publish(changed.map((account) => accountEvent(BusEventType.ACCOUNT_CHANGE, account)));
}

/**
 * Returns the account's method for payments by check, cash and transfer. Adds this method if it is missing, but does
 * not make it the default (§9.6 rule 1).
 */
export async function externalMethodOf(
  session: WriteSession,
  account: Account,
  ids: IdGenerator,
): Promise<Uuid> {
  const [known] = await externalMethodsOf(session, new Set([account.id]));
  if (known) return known.id;
  const id = ids.next();
  const made = { id, externalKey: id, pluginName: EXTERNAL_PAYMENT_PLUGIN };
  await session.payments.insertMethods([newMethod(session, account, made)]);
  return id;
}

export function newMethod(
  { authorship: { createdDate } }: WriteSession,
  { id: accountId, recordId: accountRecordId }: Account,
  made: Pick<PaymentMethod, 'id' | 'externalKey' | 'pluginName'>,
): New<PaymentMethod> {
  return { ...made, accountId, accountRecordId, isActive: true, createdDate };
}

/**
 * Returns the external key, or null if the key is null or empty.
 * @throws BillingError EXTERNAL_KEY_LIMIT_EXCEEDED (5) for a key that is too long, MISSING_OR_INVALID_FIELD for a key
 * that cannot be stored.
 */
export function checkExternalKey(externalKey: string | null): string | null {
  if (externalKey === null || externalKey === '') return null;
  checkStorable('External key', externalKey);
  if (externalKey.length <= MAX_EXTERNAL_KEY_CHARACTERS) return externalKey;
  throw billingError(
    ErrorCode.EXTERNAL_KEY_LIMIT_EXCEEDED,
    `External key has ${externalKey.length} characters; at most ${MAX_EXTERNAL_KEY_CHARACTERS} are allowed`,
    { length: externalKey.length, limit: MAX_EXTERNAL_KEY_CHARACTERS },
  );
}

/** A method to store. The user token links audit rows and events to the call. */
export interface MethodAddition {
  readonly accountId: Uuid;
  readonly method: NewMethod;
  readonly userToken: Uuid;
  /** The instant of the call. */
  readonly createdDate: Instant;
}

/**
 * Stores the methods of several calls of one author in one transaction, for distinct accounts that are free.
 * @throws CallsMustRunAlone, after which the caller stores each method separately; the errors of
 * `addableMethods` and `storeMethods`.
 */
export async function addTogether(
  storage: Pick<Storage, 'write'>,
  { tenant, authorship: author }: { readonly tenant: TenantRef; readonly authorship: Authorship },
  additions: readonly MethodAddition[],
): Promise<readonly PaymentMethod[]> {
  if (new Set(additions.map(({ accountId }) => accountId)).size < additions.length) throw notTogether();
  const dates = additions.map(({ createdDate }) => createdDate);
  const { authorship, tokens } = sharedAuthorship(author, dates);
  return storage.write(tenant, authorship, async (session) => {
    const { accounts, existing } = await lockAndLoadMethods(session, additions);
    const accountOf = new Map(accounts.map((account) => [account.id, account]));
    tokens.clear();
    const added = additions.map(({ accountId, method, userToken }): AddedMethod => {
      const account = accountOf.get(accountId);
      assertInvariant(account, 'Storage must return the locked accounts', { accountId });
      tokens.set(account.recordId, userToken);
      return { account, method };
    });
    return insertMethods(session, added, existing);
  });
}

/**
 * Locks the accounts and reads the stored methods under the locks. If the accounts are free, this takes one round trip.
 */
async function lockAndLoadMethods(session: WriteSession, additions: readonly MethodAddition[]) {
  const asked = additions.map(({ accountId, method }) => toAskedMethod(accountId, method));
  const [accounts, existing] = await allEnded([
    session.tryLockAccountsById(asked.map(({ accountId }) => accountId)),
    existingMethods(session, asked),
  ]);
  if (accounts.length === additions.length) return { accounts, existing };
  const [only] = additions;
  if (only === undefined || additions.length > 1) throw notTogether();
  const account = await lockAccount(session, only.accountId);
  return { accounts: [account], existing: await existingMethods(session, asked) };
}

function notTogether() {
  return new CallsMustRunAlone('These payment methods cannot be stored together');
}

export interface RequestedMethod {
  readonly accountId: Uuid;
  readonly pluginName: string;
  readonly requestedKey: string | null;
}

/** The data that must be loaded before the gateway is notified about a new method. */
export interface AddableMethod {
  readonly account: Account;
  readonly config: PaymentConfig;
}

/**
 * Checks the requests in a constant number of statements. Later conflicts are detected by the unique key of the table.
 */
export async function addableMethods(
  session: ReadSession,
  asked: readonly RequestedMethod[],
  configOf: PaymentConfigOf,
): Promise<readonly (AddableMethod | BillingError)[]> {
  const [config, accounts, { ofKeys, externals }] = await Promise.all([
    configOf(session),
    session.accounts.findByIds([...new Set(asked.map(({ accountId }) => accountId))]),
    existingMethods(
      session,
      asked.map(({ requestedKey, ...each }) => ({ ...each, key: requestedKey })),
    ),
  ]);
  const accountOf = new Map(accounts.map((account) => [account.id, account]));
  const taken = new Set(ofKeys.map(({ externalKey }) => externalKey));
  return asked.map((each) => {
    const { accountId, requestedKey } = each;
    const account = accountOf.get(accountId);
    if (!account) return noSuchAccount(accountId);
    const refusal = refusalOf(each, externals);
    if (refusal !== null) return refusal;
    return requestedKey !== null && taken.has(requestedKey) ? keyInUse(requestedKey) : { account, config };
  });
}

function keyInUse(key: string) {
  return billingError(
    ErrorCode.PAYMENT_INVALID_PARAMETER,
    `externalKey "${shortenText(key)}" is already used by a payment method; choose a different key`,
    { parameter: 'externalKey', externalKey: key },
  );
}
