/** Why a gateway declined, in the words that conditions of overdue states use (overdue §1.1 rule 3). */
export const PaymentResponse = {
  INVALID_CARD: 'INVALID_CARD',
  EXPIRED_CARD: 'EXPIRED_CARD',
  LOST_OR_STOLEN_CARD: 'LOST_OR_STOLEN_CARD',
  DO_NOT_HONOR: 'DO_NOT_HONOR',
  INSUFFICIENT_FUNDS: 'INSUFFICIENT_FUNDS',
  DECLINE: 'DECLINE',
  PROCESSING_ERROR: 'PROCESSING_ERROR',
  INVALID_AMOUNT: 'INVALID_AMOUNT',
  DUPLICATE_TRANSACTION: 'DUPLICATE_TRANSACTION',
  OTHER: 'OTHER',
} as const;
export type PaymentResponse = (typeof PaymentResponse)[keyof typeof PaymentResponse];
