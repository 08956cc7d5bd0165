import type { ReadSession, Storage } from '../../ports/storage/index.ts';
import type { CallContext, PaymentTransaction } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { CallOutcome, ClaimedResults } from '../claims/gateway-claims.ts';
import { loadPayments } from '../loading/load-payments.ts';
import type { PaymentResult } from '../payment-operations.ts';
import { type LoadedPayments, viewPayments } from '../state/payment-view.ts';
import type { RecordedPayments } from './record-outcomes.ts';

/** An operation that has ended; without an outcome where nobody had to be asked. */
export interface Done {
  readonly paymentId: Uuid;
  readonly transaction: Pick<PaymentTransaction, 'id'>;
  readonly outcome: CallOutcome | null;
}

/** An operation that has ended, with its payment as it is then. */
export type Ended = Done & { readonly loaded: LoadedPayments };

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
