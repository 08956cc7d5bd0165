import {
  type Account,
  type AccountInput,
  type CallContext,
  type PaymentMethod,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import { BillingError, billingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, isCurrency, statedAmount } from '../../values/money/index.ts';
import { shortenText } from '../../values/text/index.ts';
import type { PaymentMachine } from '../machine/payment-machine.ts';
import { PaymentService } from '../machine/payment-service.ts';
import type { PaymentMethodInput } from '../methods/payment-method-operations.ts';
import { checkExternalKey } from '../methods/stored-methods.ts';
import type {
  ChargebackReversalInput,
  ComboOperations,
  ComboParties,
  ComboPaymentInput,
  ComboPaymentMethod,
  CompletionInput,
  NewPaymentInput,
  NotifiedOutcomeInput,
  PaymentAmountInput,
  PaymentResult,
  VoidInput,
} from '../payment-operations.ts';
import { checkSign, lacksCurrency, type OperationRequest } from '../planning/operation-facts.ts';
import { badParameter, noSuchMethod } from '../state/payment-errors.ts';
import type { PaymentOperation } from '../state/payment-state.ts';

type Input = Partial<Omit<NewPaymentInput, 'amount'> & Pick<CompletionInput, 'amount'>>;

/** Returns the operations on payments. */
export function directPayments(machine: PaymentMachine) {
  const service = new PaymentService(machine);
  const run =
    <I extends Input>(operation: PaymentOperation) =>
    async (context: CallContext, input: I) =>
      service.run(context, requestOf(operation, input));
  const reverse = run<ChargebackReversalInput>('CHARGEBACK_REVERSAL');
  const reverseChargeback = async (context: CallContext, input: ChargebackReversalInput) => {
    if (!input.transactionExternalKey) throw badParameter('transactionExternalKey', 'is needed');
    return reverse(context, input);
  };
  const recordNotifiedOutcome = async (context: CallContext, input: NotifiedOutcomeInput) => {
    const { paymentId, transactionId, status } = input;
    if (!notifiedStatuses.has(status))
      throw badParameter('status', 'must be SUCCESS, PAYMENT_FAILURE or PLUGIN_FAILURE');
    const request = requestOf(TransactionType.CAPTURE, { paymentId });
    return service.settle(context, request, { transactionId, hasSucceeded: status === 'SUCCESS' });
  };
  return {
    authorize: run<NewPaymentInput>('AUTHORIZE'),
    purchase: run<NewPaymentInput>('PURCHASE'),
    credit: run<NewPaymentInput>('CREDIT'),
    capture: run<PaymentAmountInput>('CAPTURE'),
    refund: run<PaymentAmountInput>('REFUND'),
    void: run<VoidInput>('VOID'),
    chargeback: run<PaymentAmountInput>('CHARGEBACK'),
    reverseChargeback,
    complete: (context: CallContext, input: CompletionInput) => completePayment(service, context, input),
    recordNotifiedOutcome,
  };
}

/** Queries the gateway about a pending transaction. */
export async function completePayment(
  service: PaymentService,
  context: CallContext,
  input: CompletionInput,
): Promise<PaymentResult> {
  const request = { ...requestOf(TransactionType.CAPTURE, input), transactionExternalKey: null };
  return service.complete(context, request, {
    transactionId: input.transactionId ?? null,
    transactionExternalKey: input.transactionExternalKey || null,
    transactionType: input.transactionType ?? null,
  });
}

const notifiedStatuses: ReadonlySet<string> = new Set([
  TransactionStatus.SUCCESS,
  TransactionStatus.PAYMENT_FAILURE,
  TransactionStatus.PLUGIN_FAILURE,
]);

/** Returns the request for an operation. @throws BillingError for invalid keys. */
export function requestOf(operation: PaymentOperation, input: Input): OperationRequest {
  return {
    operation,
    accountId: input.accountId ?? null,
    paymentId: input.paymentId ?? null,
    paymentExternalKey: checkExternalKey(input.externalKey ?? null),
    transactionExternalKey: checkExternalKey(input.transactionExternalKey ?? null),
    paymentMethodId: input.paymentMethodId ?? null,
    amount: input.amount ?? null,
    currency: currencyOf(input.currency ?? null),
    effectiveDate: input.effectiveDate ?? null,
    properties: input.properties ?? [],
    controlPlugins: input.controlPlugins ?? null,
  };
}

/** Parses a currency. @throws BillingError PAYMENT_INVALID_PARAMETER (7031) for an unknown currency. */
export function currencyOf(currency: string | null): Currency | null {
  if (currency === null || isCurrency(currency)) return currency;
  throw badParameter('currency', `"${shortenText(currency)}" is not an ISO 4217 code such as EUR`);
}

type Begin = (context: CallContext, input: NewPaymentInput) => Promise<PaymentResult>;

/** The operations that begin a payment, by transaction type. */
export type Beginnings = Readonly<Record<ComboPaymentInput['transactionType'], Begin>>;

/** Makes payments whose account and payment method may be new (§11). */
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

  /** Checks the payment before its account is created. Otherwise an invalid payment would leave a new account (§11). */
  #check(
    { roundsFloatNoise }: CallContext,
    { transactionType, amount, currency }: Partial<ComboPaymentInput>,
    account: Pick<AccountInput, 'currency'>,
  ) {
    if (transactionType === undefined || !Object.hasOwn(this.#beginnings, transactionType)) {
      throw billingError(
        ErrorCode.PRECONDITION_FAILED,
        'PaymentTransactionJson transactionType must be AUTHORIZE, PURCHASE or CREDIT',
        { transactionType: transactionType ?? null },
      );
    }
    if (amount == null)
      throw invalidField('PaymentTransactionJson amount needs to be set', { field: 'amount' });
    const known = currencyOf(currency ?? null) ?? account.currency;
    if (known == null) throw lacksCurrency();
    // An unknown account currency is rejected when the account is checked.
    const stated = isCurrency(known) ? statedAmount(amount, { currency: known, roundsFloatNoise }) : amount;
    checkSign(stated, transactionType);
  }
}

export interface ComboAccounts {
  create(context: CallContext, input: AccountInput): Promise<Account>;
  get(context: CallContext, accountId: Uuid): Promise<Account>;
  getByKey(context: CallContext, externalKey: string): Promise<Account>;
}

export interface ComboMethods {
  /** Checks the plugin. @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028) if no gateway has this name. */
  checkPlugin(pluginName: string): void;
  ofAccount(context: CallContext, accountId: Uuid): Promise<readonly PaymentMethod[]>;
  add(context: CallContext, input: PaymentMethodInput): Promise<PaymentMethod>;
}

export interface FoundParties {
  readonly accountId: Uuid;
  readonly paymentMethodId: Uuid | null;
}

/** Finds or creates the account and payment method of combined requests (§11). */
export class ComboPartiesFinder {
  readonly #accounts: ComboAccounts;
  readonly #methods: ComboMethods;

  constructor(accounts: ComboAccounts, methods: ComboMethods) {
    this.#accounts = accounts;
    this.#methods = methods;
  }

  /**
   * @param check Checks further conditions after the account and the payment method are looked up, before anything is
   * written.
   */
  async of(
    context: CallContext,
    asked: ComboParties,
    check: (account: Pick<AccountInput, 'currency'>) => void = () => undefined,
  ): Promise<FoundParties> {
    const known = await this.#findParties(context, asked);
    const { mayCreate = { account: true, paymentMethod: true } } = asked;
    if (known.account === null && !mayCreate.account) throw mayNot('account:create');
    if (known.added !== null && !mayCreate.paymentMethod) throw mayNot('payment_method:create');
    check(known.account ?? asked.account);
    if (known.added !== null) this.#methods.checkPlugin(known.added.pluginName ?? '');
    const { accountId: _, ...input } = asked.account;
    const { id: accountId } = known.account ?? (await this.#accounts.create(context, input));
    if (known.added === null) return { accountId, paymentMethodId: known.methodId };
    const added = await this.#methods.add(context, {
      accountId,
      pluginName: known.added.pluginName ?? '',
      externalKey: known.added.externalKey || null,
      isDefault: known.isFirstMethod,
      details: known.added.details ?? {},
      properties: asked.paymentMethodProperties ?? [],
    });
    return { accountId, paymentMethodId: added.id };
  }

  /** Returns the existing account and method of the request. @throws BillingError for unknown ids. */
  async #findParties(context: CallContext, { account: named, paymentMethod }: ComboParties) {
    const account = await this.#account(context, named);
    if (!paymentMethod?.pluginName) return { account, methodId: null, added: null, isFirstMethod: false };
    const methods = account ? await this.#methods.ofAccount(context, account.id) : [];
    const methodId = amongMethods(methods, paymentMethod)?.id ?? null;
    if (methodId === null && paymentMethod.paymentMethodId) throw noSuchMethod(paymentMethod.paymentMethodId);
    const added = methodId === null ? paymentMethod : null;
    return { account, methodId, added, isFirstMethod: methods.length === 0 };
  }

  async #account(context: CallContext, { accountId, externalKey }: ComboParties['account']) {
    if (accountId) return this.#accounts.get(context, accountId);
    if (!externalKey) return null;
    try {
      return await this.#accounts.getByKey(context, externalKey);
    } catch (error) {
      const isUnknown =
        error instanceof BillingError && error.code === ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_KEY;
      if (isUnknown) return null;
      throw error;
    }
  }
}

function amongMethods(
  methods: readonly PaymentMethod[],
  { paymentMethodId, externalKey }: ComboPaymentMethod,
) {
  if (paymentMethodId) return methods.find(({ id }) => id === paymentMethodId);
  return externalKey ? methods.find((each) => each.externalKey === externalKey) : undefined;
}

function mayNot(permission: string) {
  const message = `The caller lacks the permission ${permission}, which this combined request needs; nothing was written`;
  return billingError(ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS, message, { permission });
}
