import { type CallContext, TransactionStatus, TransactionType } from '../../records/index.ts';
import { type Currency, isCurrency } from '../../values/money/index.ts';
import { shortened } from '../../values/text/index.ts';
import type { PaymentMachine } from '../machine/payment-machine.ts';
import { PaymentService } from '../machine/payment-service.ts';
import { checkExternalKey } from '../methods/stored-methods.ts';
import type {
  ChargebackReversalInput,
  CompletionInput,
  DirectPaymentOperations,
  NewPaymentInput,
  NotifiedOutcomeInput,
  PaymentAmountInput,
  PaymentResult,
  VoidInput,
} from '../payment-operations.ts';
import type { OperationRequest } from '../planning/operation-facts.ts';
import { badParameter } from '../state/payment-errors.ts';
import type { PaymentOperation } from '../state/payment-state.ts';

type Input = Partial<Omit<NewPaymentInput, 'amount'> & Pick<CompletionInput, 'amount'>>;

/** The operations on payments, as hosts ask for them. */
export class DirectPayments implements DirectPaymentOperations<[CallContext]> {
  readonly #service: PaymentService;

  constructor(machine: PaymentMachine) {
    this.#service = new PaymentService(machine);
  }

  authorize(context: CallContext, input: NewPaymentInput): Promise<PaymentResult> {
    return this.#run(context, 'AUTHORIZE', input);
  }

  purchase(context: CallContext, input: NewPaymentInput): Promise<PaymentResult> {
    return this.#run(context, 'PURCHASE', input);
  }

  credit(context: CallContext, input: NewPaymentInput): Promise<PaymentResult> {
    return this.#run(context, 'CREDIT', input);
  }

  capture(context: CallContext, input: PaymentAmountInput): Promise<PaymentResult> {
    return this.#run(context, 'CAPTURE', input);
  }

  refund(context: CallContext, input: PaymentAmountInput): Promise<PaymentResult> {
    return this.#run(context, 'REFUND', input);
  }

  void(context: CallContext, input: VoidInput): Promise<PaymentResult> {
    return this.#run(context, 'VOID', input);
  }

  chargeback(context: CallContext, input: PaymentAmountInput): Promise<PaymentResult> {
    return this.#run(context, 'CHARGEBACK', input);
  }

  async reverseChargeback(context: CallContext, input: ChargebackReversalInput): Promise<PaymentResult> {
    if (!input.transactionExternalKey) throw badParameter('transactionExternalKey', 'is needed');
    return this.#run(context, 'CHARGEBACK_REVERSAL', input);
  }

  complete(context: CallContext, input: CompletionInput): Promise<PaymentResult> {
    return completePayment(this.#service, context, input);
  }

  async recordNotifiedOutcome(context: CallContext, input: NotifiedOutcomeInput): Promise<PaymentResult> {
    const { paymentId, transactionId, status } = input;
    if (!notifiedStatuses.has(status)) {
      throw badParameter('status', 'must be SUCCESS, PAYMENT_FAILURE or PLUGIN_FAILURE');
    }
    const hasSucceeded = status === TransactionStatus.SUCCESS;
    const request = requestOf(TransactionType.CAPTURE, { paymentId });
    return this.#service.settle(context, request, { transactionId, hasSucceeded });
  }

  async #run(context: CallContext, operation: PaymentOperation, input: Input): Promise<PaymentResult> {
    return this.#service.run(context, requestOf(operation, input));
  }
}

/** Asks the gateway once more for a pending transaction. */
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

/** @throws BillingError for keys that cannot be stored. */
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

/** @throws BillingError PAYMENT_INVALID_PARAMETER (7031) for a currency that does not exist. */
export function currencyOf(currency: string | null): Currency | null {
  if (currency === null || isCurrency(currency)) return currency;
  throw badParameter('currency', `"${shortened(currency)}" is no currency code of ISO 4217, such as EUR`);
}
