import type { PaymentResult } from '../../../../lib/payments/index.ts';
import { TransactionStatus } from '../../../../lib/records/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { type Answer, AnsweredError } from '../../routing/answer.ts';

/** The errors of every row marked PAY (http-api §12, §13). */
export const paymentFailures = [
  ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD,
  ErrorCode.PAYMENT_NO_SUCH_PAYMENT,
  ErrorCode.PAYMENT_NO_SUCH_SUCCESS_PAYMENT,
  ErrorCode.PAYMENT_NO_SUCH_PAYMENT_PLUGIN,
  ErrorCode.PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS,
  ErrorCode.PAYMENT_INVALID_PARAMETER,
  ErrorCode.PAYMENT_INVALID_OPERATION,
  ErrorCode.PAYMENT_DIFFERENT_ACCOUNT_ID,
  ErrorCode.PAYMENT_TRANSACTION_DIFFERENT_ACCOUNT_ID,
  ErrorCode.PAYMENT_PLUGIN_EXCEPTION,
  ErrorCode.PAYMENT_PLUGIN_TIMEOUT,
  ErrorCode.PAYMENT_PLUGIN_API_ABORTED,
  ErrorCode.PAYMENT_INTERNAL_ERROR,
  ErrorCode.EXTERNAL_KEY_LIMIT_EXCEEDED,
];

/** How a transaction that did not go well is answered, besides (http-api §12). */
export const paymentOutcomes = {
  402: 'The gateway has declined: error code 7009',
  502: 'The gateway has failed: error code 7199',
  503: 'Error code 7019: the outcome is not known yet; 60018: nothing was attempted',
};

/** Where an answer points to the payment; default: wherever http-api §12 has it. */
interface Pointing {
  /** Null: not where the transaction went well. */
  readonly at?: null;
  /** Null: not where it failed. */
  readonly failedAt?: null;
}

/**
 * The answer of a payment transaction by its status (http-api §12): the route's success, or 402, 502, 503 with the
 * payment.
 * @throws AnsweredError for the latter.
 */
export function outcomeOf(result: PaymentResult, options: Pointing = {}): Answer {
  const { payment, transaction } = result;
  const { status, gatewayErrorMsg } = transaction;
  const location = `/payments/${payment.id}`;
  const failedAt = options.failedAt === null ? {} : { location };
  const facts = { paymentId: payment.id, transactionId: transaction.id };
  switch (status) {
    case TransactionStatus.SUCCESS:
    case TransactionStatus.PENDING:
      return options.at === null ? {} : { location };
    case TransactionStatus.PAYMENT_FAILURE: {
      const message = `Payment decline by gateway. Error message: ${gatewayErrorMsg}`;
      throw new AnsweredError(
        { code: ErrorCode.PAYMENT_CREATE_PAYMENT, message, facts },
        { status: 402, ...failedAt },
      );
    }
    case TransactionStatus.PLUGIN_FAILURE: {
      const message = 'Failed to submit payment transaction';
      throw new AnsweredError(
        { code: ErrorCode.PAYMENT_PLUGIN_EXCEPTION, message, facts },
        { status: 502, ...failedAt },
      );
    }
    default: {
      const message = 'Payment in unknown status, failed to receive gateway response.';
      throw new AnsweredError(
        { code: ErrorCode.PAYMENT_INTERNAL_ERROR, message, facts },
        { status: 503, ...failedAt },
      );
    }
  }
}
