import { LockWait, type ReadSession, type WriteSession } from '../../ports/storage/index.ts';
import {
  type CallContext,
  type Payment,
  type PaymentTransaction,
  TransactionStatus,
  type WithContext,
} from '../../records/index.ts';
import { authorshipOf, pause } from '../../runtime/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import { LOCK_WAIT_STEP_MS } from '../../values/limits.ts';
import { type Currency, isCurrency, statedAmount } from '../../values/money/index.ts';
import { readResult } from '../machine/payment-service.ts';
import { LaterOutcomes, type LaterPorts } from '../machine/record-outcomes.ts';
import type {
  PaymentRepairOperations,
  PaymentResult,
  ScheduledRetryInput,
  TransactionFixInput,
} from '../payment-operations.ts';
import { asksForRetries, spentAttempt } from '../state/outcome-consequences.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { badParameter, noPaymentOfTransaction, noSuchPayment, paymentBusy } from '../state/payment-errors.ts';
import { retryKey } from '../state/payment-notifications.ts';
import { isLeased, paymentStateNames } from '../state/payment-state.ts';
import { checkFixable, fixedOutcome, fixedStates, type Settlement } from '../state/transaction-outcome.ts';

interface Known {
  readonly payment: Payment;
  readonly transaction: PaymentTransaction;
  readonly transactions: readonly PaymentTransaction[];
}

/** Operations with which operators correct payments (§7.4, §8.5). */
export class PaymentRepairs implements PaymentRepairOperations<WithContext> {
  readonly #ports: LaterPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #later: LaterOutcomes;

  constructor(ports: LaterPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#later = new LaterOutcomes(ports, configOf);
  }

  async cancelScheduledRetry(context: CallContext, input: ScheduledRetryInput): Promise<void> {
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const key = await keyOf(session, input);
      const found = (await session.payments.findAttemptsByTransactionKeys([key])).at(-1);
      if (found === undefined) return;
      await session.lockAccounts([found.accountId], { wait: LockWait.PAYMENT });
      const attempts = await session.payments.findAttemptsByTransactionKeys([key]);
      const newest = attempts.at(-1) ?? found;
      await session.unschedule([retryKey(newest.id)]);
      const holds = await session.payments.findHoldsByAccounts([found.accountId]);
      await session.payments.endHolds(holds.filter(({ attemptId }) => attemptId === newest.id));
      const retried = attempts.filter(({ stateName }) => stateName === 'RETRIED');
      await session.payments.updateAttempts(retried.flatMap(spentAttempt));
    });
  }

  async fixTransaction(context: CallContext, input: TransactionFixInput): Promise<PaymentResult> {
    checkNames(input);
    const { storage } = this.#ports;
    const { paymentId, transactionId } = input;
    const { lockRetries } = await storage.read(context.tenant, this.#configOf);
    for (let looks = 0; looks <= lockRetries; looks += 1) {
      const known = await storage.read(context.tenant, (session) => load(session, input));
      if (!isCalled(known, this.#ports.clock.now()) && (await this.#fix(context, input, known))) {
        const transaction = { id: transactionId };
        return readResult(storage, context, { paymentId, transaction, outcome: null });
      }
      await pause(this.#ports.systemClock, LOCK_WAIT_STEP_MS);
    }
    throw paymentBusy({ paymentId });
  }

  /** Corrects a transaction. Returns false if another call holds the payment, or if the status has changed. */
  async #fix(context: CallContext, input: TransactionFixInput, known: Known) {
    const { createdDate: now } = context;
    const settlements = [settlementOf(input, known)];
    const accountIds = [known.payment.accountId];
    const fixed = await this.#later.record(context, { accountIds, settlements }, async (session) => {
      const current = await load(session, input);
      return current.transaction.status === known.transaction.status && !isCalled(current, now);
    });
    return fixed !== null;
  }
}

function isCalled({ transactions }: Known, now: CallContext['createdDate']) {
  return transactions.some((each) => isLeased(each, now));
}

function settlementOf(input: TransactionFixInput, { payment, transaction, transactions }: Known): Settlement {
  const { status, stateName = null, lastSuccessStateName = null, processedCurrency } = input;
  const currency = processedCurrency && isCurrency(processedCurrency) ? processedCurrency : null;
  const processed = { amount: checkProcessedAmount(input, currency ?? transaction.currency), currency };
  const asked = { stateName, lastSuccessStateName };
  checkFixable(status, transaction);
  const states = fixedStates(asked, { ...transaction, status }, { payment, transactions });
  return {
    paymentId: payment.id,
    transactionId: transaction.id,
    source: 'FIX',
    outcome: fixedOutcome(status, transaction, processed),
    fix: { ...states, allowsRetry: asksForRetries(input.properties ?? []) },
  };
}

/** Returns the processed amount. @throws BillingError MISSING_OR_INVALID_FIELD (60003) if it has too many digits. */
function checkProcessedAmount({ processedAmount }: TransactionFixInput, currency: Currency | null) {
  if (processedAmount == null || currency === null) return processedAmount ?? null;
  return statedAmount(processedAmount, { currency, name: 'processedAmount' });
}

async function load(session: ReadSession, { paymentId, transactionId }: TransactionFixInput) {
  const [payment] = await session.payments.findByIds([paymentId]);
  if (!payment) throw noSuchPayment(paymentId);
  const transactions = await session.payments.findTransactions([paymentId]);
  const transaction = transactions.find(({ id }) => id === transactionId);
  if (transaction) return { payment, transaction, transactions };
  const message = `Payment ${paymentId} has no transaction ${transactionId}`;
  throw billingError(ErrorCode.PAYMENT_NO_SUCH_PAYMENT, message, { paymentId, transactionId });
}

async function keyOf(session: WriteSession, { transactionId, transactionExternalKey }: ScheduledRetryInput) {
  if (transactionId != null) {
    const [transaction] = await session.payments.findTransactionsByIds([transactionId]);
    if (!transaction) throw noPaymentOfTransaction(transactionId);
    return transaction.externalKey;
  }
  if (transactionExternalKey) return transactionExternalKey;
  throw badParameter('transactionExternalKey', 'or transactionId is required');
}

const statuses: ReadonlySet<string> = new Set(
  Object.values(TransactionStatus).filter((status) => status !== 'PAYMENT_SYSTEM_OFF'),
);
const states: ReadonlySet<string> = new Set(paymentStateNames);

/**
 * Checks the names in the request.
 * @throws BillingError PAYMENT_INVALID_PARAMETER (7031) for an unknown status, state or currency.
 */
function checkNames(input: TransactionFixInput) {
  if (!statuses.has(input.status)) throw badParameter('status', `must be one of ${[...statuses].join(', ')}`);
  for (const name of ['stateName', 'lastSuccessStateName'] as const) {
    const state = input[name];
    if (state != null && !states.has(state)) throw badParameter(name, 'is not a payment state');
  }
  const { processedCurrency: currency } = input;
  if (currency != null && !isCurrency(currency))
    throw badParameter('processedCurrency', 'is not a currency code');
}
