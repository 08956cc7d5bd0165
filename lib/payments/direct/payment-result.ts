import type { GatewayResult } from '../../ports/index.ts';
import type { Storage } from '../../ports/storage/index.ts';
import type { CallContext, PaymentTransaction } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { loadPayments } from '../reading/load-payments.ts';
import type { CallOutcome } from '../state/gateway-reply.ts';
import { viewPayments } from '../state/payment-view.ts';
import type { PaymentResult } from './direct-payment-operations.ts';

/** An operation that has ended; without an outcome where nobody had to be asked. */
interface Done {
  readonly paymentId: Uuid;
  readonly transaction: Pick<PaymentTransaction, 'id'>;
  readonly outcome?: CallOutcome;
}

/** The payment as it is after an operation, with what the gateway has told of it. */
export async function resultOf(
  storage: Pick<Storage<never>, 'read'>,
  context: CallContext,
  { paymentId, transaction, outcome }: Done,
): Promise<PaymentResult> {
  const told: ReadonlyMap<Uuid, readonly GatewayResult[]> =
    outcome?.kind === 'RESULT' ? new Map([[paymentId, [outcome.result]]]) : new Map();
  const loaded = await storage.read(context.tenant, async (session) =>
    loadPayments(session, await session.payments.findByIds([paymentId]), {}),
  );
  const [payment] = viewPayments(loaded, told);
  const shown = payment?.transactions.find(({ id }) => id === transaction.id);
  assertInvariant(payment && shown, 'A recorded payment must be found', { paymentId });
  return { payment, transaction: shown };
}
