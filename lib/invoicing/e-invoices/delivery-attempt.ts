import type { EInvoiceAttempt } from '../../ports/storage/index.ts';
import {
  BusEventType,
  type EInvoiceDelivery,
  type NewBusEvent,
  type NewNotification,
  QueueName,
} from '../../records/index.ts';
import { addMilliseconds, type Instant } from '../../values/time/index.ts';

/** Maximum number of characters of a stored receipt. */
const MAX_RECEIPT_CHARACTERS = 2_000;
/** Maximum number of characters of a stored error, with room for the list of missing fields. */
const MAX_ERROR_CHARACTERS = 4_000;

export type SendOutcome =
  | { readonly kind: 'SENT'; readonly receipt: string | null }
  | {
      readonly kind: 'FAILED';
      readonly error: string;
      /** If false, another attempt would fail too, for example because fields are missing. */
      readonly isRetried: boolean;
    };

/**
 * Returns the state of the delivery after an attempt. A failed delivery is retried after the next delay of the schedule
 * (§22 rule 9).
 */
export function afterSending(
  { id, attempts, failures }: EInvoiceDelivery,
  { startedAt, outcome }: { readonly startedAt: Instant; readonly outcome: SendOutcome },
  retriesMs: readonly number[],
): EInvoiceAttempt {
  const attempted = { id, attempts: attempts + 1, attemptedDate: startedAt, nextAttemptDate: null };
  if (outcome.kind === 'SENT') {
    const receipt = (outcome.receipt ?? '').slice(0, MAX_RECEIPT_CHARACTERS);
    return { ...attempted, state: 'SENT', failures, receipt, lastError: null };
  }
  const lastError = outcome.error.slice(0, MAX_ERROR_CHARACTERS);
  const delayMs = outcome.isRetried ? retriesMs[failures] : undefined;
  const failed = { ...attempted, failures: failures + 1, receipt: null, lastError };
  if (delayMs === undefined) return { ...failed, state: 'FAILED' };
  return { ...failed, state: 'PENDING', nextAttemptDate: addMilliseconds(startedAt, delayMs) };
}

/** Identifies the attempt that an entry requests, so that an outdated entry has no effect. */
export function attemptKey({ id, attempts }: Pick<EInvoiceDelivery, 'id' | 'attempts'>): string {
  return `e-invoice:${id}:${attempts}`;
}

/** Returns the queue entry of the next attempt. */
export function attemptEntry(
  delivery: Pick<EInvoiceDelivery, 'id' | 'attempts' | 'accountRecordId'>,
  effectiveDate: Instant,
): NewNotification {
  const { id: deliveryId, attempts, accountRecordId } = delivery;
  return {
    queueName: QueueName.E_INVOICES,
    accountRecordId,
    effectiveDate,
    payload: { deliveryId, attempts },
    uniqueKey: attemptKey(delivery),
  };
}

/** Returns the event for an e-invoice that will not be sent again. */
export function failureEvent(
  { id: deliveryId, accountId, accountRecordId, invoiceId, creditNoteId }: EInvoiceDelivery,
  { attempts, lastError }: EInvoiceAttempt,
): NewBusEvent {
  return {
    type: BusEventType.E_INVOICE_FAILED,
    accountRecordId,
    payload: {
      accountId,
      invoiceId,
      metaData: { deliveryId, creditNoteId, attempts, error: lastError ?? '' },
    },
  };
}
