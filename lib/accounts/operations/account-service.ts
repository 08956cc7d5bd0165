import type { Ports } from '../../ports/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import type {
  Account,
  AccountBalance,
  AccountInput,
  Page,
  PageRequest,
  WithContext,
} from '../../records/index.ts';
import { BusEventType, type CallContext } from '../../records/index.ts';
import { authorshipOf, SharedCalls } from '../../runtime/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { type BillingError, billingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { ZERO } from '../../values/money/index.ts';
import { checkStorable, shortenText } from '../../values/text/index.ts';
import { accountEvent } from '../rules/account-event.ts';
import { accountSearch } from '../rules/account-search.ts';
import { mergeAccount } from '../rules/account-update.ts';
import { anonymizedAccount, anonymizedSnapshot, FORGOTTEN } from '../rules/anonymize-account.ts';
import { checkHierarchy, type Family } from '../rules/hierarchy.ts';
import { newAccount } from '../rules/new-account.ts';
import { noSuchAccount } from '../rules/no-such-account.ts';
import {
  type AccountCreation,
  createAccount,
  createTogether,
  sameAuthor,
} from '../storing/create-together.ts';
import { concurrentMove, lockFamily } from '../storing/family.ts';
import { lockAccount } from '../storing/lock-account.ts';
import type { AccountOperations, AccountUpdate } from './account-operations.ts';

/**
 * The invoicing operations that this module needs. This module may not import invoicing, which is a higher module, so
 * the engine passes them in.
 */
export interface AccountInvoicing {
  /** Bills a locked account whose bill cycle day has changed. */
  billAfterMovedDay(session: WriteSession, account: Account): Promise<void>;
  /** Returns balances and credits in one statement. Omits accounts without invoices. */
  loadBalances(session: ReadSession, accountIds: readonly Uuid[]): Promise<readonly AccountBalance[]>;
}

/** Maximum number of ids in a call of `list`. */
const MAX_LISTED_ACCOUNTS = 1_000;

const NO_FAMILY: Family = { ancestors: new Map(), children: [] };

/** Accounts of a tenant (§§3–5). */
export class AccountService implements AccountOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;
  readonly #settingsOf: SettingsOf;
  readonly #invoicing: AccountInvoicing;
  readonly #reads: SharedCalls<Uuid, Account | undefined>;
  readonly #creations: SharedCalls<AccountCreation, Account>;

  constructor(
    ports: Pick<Ports, 'storage' | 'ids' | 'systemClock'>,
    settingsOf: SettingsOf,
    invoicing: AccountInvoicing,
  ) {
    this.#ports = ports;
    this.#settingsOf = settingsOf;
    this.#invoicing = invoicing;
    this.#reads = new SharedCalls(ports.systemClock);
    this.#creations = new SharedCalls(ports.systemClock);
  }

  async create(context: CallContext, input: AccountInput): Promise<Account> {
    const { storage, ids } = this.#ports;
    const { tenant, userToken } = context;
    const account = newAccount(input, ids.next(), context.createdDate);
    const { parentAccountId } = account;
    if (input.paymentMethodId != null) throw noSuchPaymentMethod(input.paymentMethodId, account.id);
    const authorship = authorshipOf(context);
    if (parentAccountId === null) {
      return this.#creations.run(
        tenant.within ? null : sameAuthor(context),
        { account, userToken },
        (creations) => createTogether(storage, { tenant, authorship }, creations),
      );
    }
    return storage.write(tenant, authorship, async (session) => {
      const { family } = await lockFamily(session, null, parentAccountId);
      checkHierarchy(account, family);
      return createAccount(session, account);
    });
  }

  async update(context: CallContext, accountId: Uuid, update: AccountUpdate): Promise<Account> {
    const { changes, treatNullAsReset = false } = update;
    return this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const { account: stored, family } = await this.#lockForUpdate(session, accountId, changes);
      const { 'features.account.allowBCDUpdate': allowsBillCycleDayChange } = await this.#settingsOf(session);
      const now = context.createdDate;
      const merged = mergeAccount(stored, changes, { treatNullAsReset, allowsBillCycleDayChange, now });
      if (touchesHierarchy(changes)) checkHierarchy(merged, family);
      if (merged.paymentMethodId !== stored.paymentMethodId) await checkPaymentMethod(session, merged);
      await session.accounts.update([merged]);
      session.publish([accountEvent(BusEventType.ACCOUNT_CHANGE, merged, stored)]);
      if (hasMovedDay(stored, merged)) await this.#invoicing.billAfterMovedDay(session, merged);
      return merged;
    });
  }

  async anonymize(context: CallContext, accountId: Uuid): Promise<void> {
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, accountId);
      const emails = await session.accounts.findEmails([accountId]);
      await session.accounts.deactivateEmails(emails.map((each) => ({ ...each, email: FORGOTTEN })));
      await session.accounts.anonymizeEmails(account.recordId);
      await session.accounts.anonymizeHistory(account.recordId, anonymizedSnapshot);
      const anonymized = anonymizedAccount(account, context.createdDate);
      await session.accounts.update([anonymized]);
      session.publish([accountEvent(BusEventType.ACCOUNT_CHANGE, anonymized)]);
    });
  }

  /** Locks the account, and its ancestors if the update may change them. */
  async #lockForUpdate(session: WriteSession, accountId: Uuid, changes: AccountInput) {
    if (!touchesHierarchy(changes))
      return { account: await lockAccount(session, accountId), family: NO_FAMILY };
    // An update that turns on payment delegation without naming a parent applies to the current parent.
    const [before] = await session.accounts.findByIds([accountId]);
    const parentId = changes.parentAccountId ?? before?.parentAccountId ?? null;
    const { account, family } = await lockFamily(session, accountId, parentId);
    if (!account) throw noSuchAccount(accountId);
    if (changes.parentAccountId == null && account.parentAccountId !== parentId) {
      throw concurrentMove(accountId);
    }
    return { account, family };
  }

  async get(context: CallContext, accountId: Uuid): Promise<Account> {
    const { tenant } = context;
    const account = await this.#reads.run(tenant.within ? null : tenant.id, accountId, async (ids) => {
      const found = await this.#ports.storage.readInOneStatement(tenant, (session) =>
        session.accounts.findByIds(ids),
      );
      const accountOf = new Map(found.map((each) => [each.id, each]));
      return ids.map((id) => accountOf.get(id));
    });
    if (!account) throw noSuchAccount(accountId);
    return account;
  }

  async list(context: CallContext, accountIds: readonly Uuid[]): Promise<readonly Account[]> {
    if (accountIds.length > MAX_LISTED_ACCOUNTS)
      throw invalidField(
        `accountIds has ${accountIds.length} ids; at most ${MAX_LISTED_ACCOUNTS} are accepted`,
        { field: 'accountIds' },
      );
    const found = await this.#ports.storage.readInOneStatement(context.tenant, (session) =>
      session.accounts.findByIds(accountIds),
    );
    const accountOf = new Map(found.map((each) => [each.id, each]));
    return [...new Set(accountIds)].flatMap((id) => accountOf.get(id) ?? []);
  }

  async getByKey(context: CallContext, externalKey: string): Promise<Account> {
    if (externalKey === '')
      throw billingError(ErrorCode.ACCOUNT_CANNOT_MAP_NULL_KEY, 'An account external key is required');
    checkStorable('External key', externalKey);
    const [account] = await this.#ports.storage.readInOneStatement(context.tenant, (session) =>
      session.accounts.findByKeys([externalKey]),
    );
    if (account) return account;
    throw billingError(
      ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_KEY,
      `Account does not exist for key ${shortenText(externalKey)}`,
      { externalKey },
    );
  }

  async page(context: CallContext, request: PageRequest): Promise<Page<Account>> {
    return this.#ports.storage.read(context.tenant, (session) => session.accounts.page(request));
  }

  async search(context: CallContext, key: string, request: PageRequest): Promise<Page<Account>> {
    checkStorable('Search key', key);
    const search = accountSearch(key);
    return this.#ports.storage.read(context.tenant, (session) => session.accounts.search(search, request));
  }

  async findExactly(context: CallContext, key: string): Promise<Account | null> {
    checkStorable('Search key', key);
    const id = key.toLowerCase();
    return this.#ports.storage.readInOneStatement(context.tenant, (session) =>
      session.accounts.findExactly(key, isUuid(id) ? id : null),
    );
  }

  async children(context: CallContext, accountId: Uuid): Promise<readonly Account[]> {
    return this.#ports.storage.readInOneStatement(context.tenant, (session) =>
      session.accounts.findChildren([accountId]),
    );
  }

  async balances(context: CallContext, accountIds: readonly Uuid[]) {
    const balances = await this.#ports.storage.readInOneStatement(context.tenant, (session) =>
      this.#invoicing.loadBalances(session, accountIds),
    );
    const known = new Map(balances.map((balance) => [balance.accountId, balance]));
    const empty = { accountBalance: ZERO, accountCBA: ZERO };
    return new Map(accountIds.map((id) => [id, known.get(id) ?? { accountId: id, ...empty }]));
  }
}

async function checkPaymentMethod(session: WriteSession, account: Account): Promise<void> {
  if (account.paymentMethodId === null) return;
  const [method] = await session.payments.findMethodsByIds([account.paymentMethodId]);
  if (method?.isActive && method.accountId === account.id) return;
  throw noSuchPaymentMethod(account.paymentMethodId, account.id);
}

function noSuchPaymentMethod(paymentMethodId: Uuid, accountId: Uuid): BillingError {
  return billingError(
    ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD,
    `Payment method ${paymentMethodId} is not an active payment method of account ${accountId}`,
    { paymentMethodId, accountId },
  );
}

/**
 * Returns true if the bill cycle day changes. Setting the first day does not count, because earlier bills do not depend
 * on it (subscriptions §15.2).
 */
function hasMovedDay(before: Account, after: Account): boolean {
  return before.billCycleDayLocal !== 0 && before.billCycleDayLocal !== after.billCycleDayLocal;
}

function touchesHierarchy(changes: AccountInput): boolean {
  return changes.parentAccountId != null || changes.isPaymentDelegatedToParent === true;
}
