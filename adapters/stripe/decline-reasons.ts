import { PaymentResponse } from '../../lib/records/index.ts';

const reasons: Readonly<Record<string, PaymentResponse>> = {
  incorrect_number: PaymentResponse.INVALID_CARD,
  invalid_number: PaymentResponse.INVALID_CARD,
  invalid_account: PaymentResponse.INVALID_CARD,
  invalid_expiry_month: PaymentResponse.INVALID_CARD,
  invalid_expiry_year: PaymentResponse.INVALID_CARD,
  new_account_information_available: PaymentResponse.INVALID_CARD,
  card_not_supported: PaymentResponse.INVALID_CARD,
  incorrect_cvc: PaymentResponse.INVALID_CARD,
  invalid_cvc: PaymentResponse.INVALID_CARD,
  expired_card: PaymentResponse.EXPIRED_CARD,
  lost_card: PaymentResponse.LOST_OR_STOLEN_CARD,
  stolen_card: PaymentResponse.LOST_OR_STOLEN_CARD,
  pickup_card: PaymentResponse.LOST_OR_STOLEN_CARD,
  do_not_honor: PaymentResponse.DO_NOT_HONOR,
  do_not_try_again: PaymentResponse.DO_NOT_HONOR,
  no_action_taken: PaymentResponse.DO_NOT_HONOR,
  insufficient_funds: PaymentResponse.INSUFFICIENT_FUNDS,
  withdrawal_count_limit_exceeded: PaymentResponse.INSUFFICIENT_FUNDS,
  card_velocity_exceeded: PaymentResponse.INSUFFICIENT_FUNDS,
  generic_decline: PaymentResponse.DECLINE,
  card_declined: PaymentResponse.DECLINE,
  call_issuer: PaymentResponse.DECLINE,
  fraudulent: PaymentResponse.DECLINE,
  transaction_not_allowed: PaymentResponse.DECLINE,
  not_permitted: PaymentResponse.DECLINE,
  restricted_card: PaymentResponse.DECLINE,
  security_violation: PaymentResponse.DECLINE,
  processing_error: PaymentResponse.PROCESSING_ERROR,
  issuer_not_available: PaymentResponse.PROCESSING_ERROR,
  reenter_transaction: PaymentResponse.PROCESSING_ERROR,
  try_again_later: PaymentResponse.PROCESSING_ERROR,
  amount_too_small: PaymentResponse.INVALID_AMOUNT,
  amount_too_large: PaymentResponse.INVALID_AMOUNT,
  invalid_amount: PaymentResponse.INVALID_AMOUNT,
  duplicate_transaction: PaymentResponse.DUPLICATE_TRANSACTION,
};

/** Stripe's word for why it declined, in the words of overdue states; what is in no list is OTHER. */
export function paymentResponseOf(code: string | null | undefined): PaymentResponse {
  return (Object.hasOwn(reasons, code ?? '') ? reasons[code ?? ''] : undefined) ?? PaymentResponse.OTHER;
}
