import type { PaymentGateway } from '../../ports/index.ts';
import { type ActivityPorts, ofAccount, spanned } from '../../runtime/index.ts';
import type { CallOutcome } from '../claims/gateway-reply.ts';
import type { ReservedCall } from '../reservation/reserved-call.ts';

/** A call of a gateway on behalf of whoever has caused the payment; also among those of other accounts. */
export function tracedCall<A extends { readonly outcome: CallOutcome }>(
  ports: ActivityPorts,
  { account, gateway, paymentId, transaction }: ReservedCall & { readonly gateway: PaymentGateway },
  call: () => Promise<A>,
): Promise<A> {
  const start = () => ({
    name: `gateway ${transaction.transactionType}`,
    kind: 'CLIENT' as const,
    attributes: {
      'billwright.plugin.name': gateway.name,
      'billwright.account.id': account.id,
      'billwright.payment.id': paymentId,
      'billwright.transaction.id': transaction.id,
    },
  });
  return ofAccount(ports, account.recordId, () =>
    spanned(ports, start, async (span) => {
      const answer = await call();
      const { outcome } = answer;
      const status = outcome.kind === 'RESULT' ? outcome.result.status : outcome.kind;
      span?.tell({ attributes: { 'billwright.outcome': status ?? 'UNDEFINED' } });
      if (outcome.kind !== 'RESULT') span?.fail(new Error(outcome.kind));
      return answer;
    }),
  );
}
