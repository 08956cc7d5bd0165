import type { AccountInput } from '../../accounts/index.ts';
import type { CallContext } from '../../records/index.ts';
import { BillingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import { isCurrency, statedAmount } from '../../values/money/index.ts';
import { checkSign, lacksCurrency } from '../planning/operation-amount.ts';
import type { ComboOperations, ComboPaymentInput } from './combo-operations.ts';
import type { ComboPartiesFinder } from './combo-parties.ts';
import type { NewPaymentInput, PaymentResult } from './direct-payment-operations.ts';
import { currencyOf } from './direct-payments.ts';

type Begin = (context: CallContext, input: NewPaymentInput) => Promise<PaymentResult>;

/** The operations with which a payment may begin, by type of transaction. */
export type Beginnings = Readonly<Record<ComboPaymentInput['transactionType'], Begin>>;

/** Payments together with their account and method (§11). */
export class ComboPayments implements ComboOperations<[CallContext]> {
  readonly #parties: ComboPartiesFinder;
  readonly #beginnings: Beginnings;

  constructor(parties: ComboPartiesFinder, beginnings: Beginnings) {
    this.#parties = parties;
    this.#beginnings = beginnings;
  }

  async combo(context: CallContext, input: ComboPaymentInput): Promise<PaymentResult> {
    const { account, paymentMethod, paymentMethodProperties, mayCreate, transactionType, ...payment } = input;
    const parties = await this.#parties.of(context, input, (account) => this.#check(context, input, account));
    return this.#beginnings[transactionType](context, { ...payment, ...parties });
  }

  /** What can be told of the payment without its account being there: else that would stay behind (§11). */
  #check(
    { roundsFloatNoise }: CallContext,
    { transactionType, amount, currency }: Partial<ComboPaymentInput>,
    account: Pick<AccountInput, 'currency'>,
  ): void {
    if (transactionType === undefined || !Object.hasOwn(this.#beginnings, transactionType)) {
      throw new BillingError({
        code: ErrorCode.PRECONDITION_FAILED,
        message: 'PaymentTransactionJson transactionType must be AUTHORIZE, PURCHASE or CREDIT',
        facts: { transactionType: transactionType ?? null },
      });
    }
    if (amount == null)
      throw invalidField('PaymentTransactionJson amount needs to be set', { field: 'amount' });
    const known = currencyOf(currency ?? null) ?? account.currency;
    if (known == null) throw lacksCurrency();
    // A currency of the account that does not exist is refused with the account.
    const stated = isCurrency(known) ? statedAmount(amount, { currency: known, roundsFloatNoise }) : amount;
    checkSign(stated, transactionType);
  }
}
