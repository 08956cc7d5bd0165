import type { ReadSession, Storage } from '../../ports/storage/index.ts';
import type { CallContext, PaymentTransaction } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { CallOutcome, ClaimedResults } from '../claims/gateway-claims.ts';
import type { RecordedPayments } from '../outcomes/record-outcomes.ts';
import type { PaymentResult } from '../payment-operations.ts';
import { loadPayments } from '../reading/payment-reads.ts';
import { type LoadedPayments, viewPayments } from '../views/payment-view.ts';

/** An operation that has ended; without an outcome where nobody had to be asked. */
export interface Done {
  readonly paymentId: Uuid;
  readonly transaction: Pick<PaymentTransaction, 'id'>;
  readonly outcome: CallOutcome | null;
}

/** The payment of an operation as it is stored. */
export async function loadResult(session: ReadSession, paymentId: Uuid): Promise<LoadedPayments> {
  return loadPayments(session, await session.payments.findByIds([paymentId]), {});
}

/** The payment of an operation as it was recorded. */
export function recordedResult({ payments, transactions }: RecordedPayments): LoadedPayments {
  return {
    payments: [...payments.values()],
    transactions: Map.groupBy(transactions.values(), ({ paymentId }) => paymentId),
    attempts: null,
    pending: new Map(),
    pluginNames: new Map(),
  };
}

/** The payment as it is now, with one of its transactions. */
export async function readResult(
  storage: Pick<Storage<never>, 'read'>,
  context: CallContext,
  done: Done,
): Promise<PaymentResult> {
  const loaded = await storage.read(context.tenant, (session) => loadResult(session, done.paymentId));
  return resultOf(loaded, done);
}

/** The payment after an operation, with what the gateway has told of it. */
export function resultOf(loaded: LoadedPayments, { paymentId, transaction, outcome }: Done): PaymentResult {
  const told: ReadonlyMap<Uuid, ClaimedResults> =
    outcome?.kind === 'RESULT' ? new Map([[paymentId, [outcome.result]]]) : new Map();
  const [payment] = viewPayments(loaded, told);
  const shown = payment?.transactions.find(({ id }) => id === transaction.id);
  assertInvariant(payment && shown, 'A recorded payment must be found', { paymentId });
  return { payment, transaction: shown };
}
