import { noSuchAccount } from '../../accounts/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import { type Account, EXTERNAL_PAYMENT_PLUGIN } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortened } from '../../values/text/index.ts';
import type { PaymentConfig, PaymentConfigOf } from '../state/payment-config.ts';
import { externalMethodsOf, refuseSecondExternal } from './stored-methods.ts';

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
  return new BillingError({
    code: ErrorCode.PAYMENT_INVALID_PARAMETER,
    message: `externalKey "${shortened(key)}" is already used by a payment method`,
    facts: { parameter: 'externalKey', externalKey: key },
  });
}
