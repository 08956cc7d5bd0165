import type { Ports } from '../../ports/index.ts';
import type { TenantRef } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { callGateway } from '../gateways/call-gateway.ts';
import type { PlannedCharge } from '../reservation/charge-records.ts';
import { type CallOutcome, operationOutcome } from '../state/gateway-reply.ts';

/** A reserved charge whose gateway has to be called now. */
export interface OpenCharge extends PlannedCharge {
  /** `payment.plugin.timeout` at the time of the reservation, from which the lease was computed. */
  readonly timeoutMs: number;
  readonly caller: Caller;
}

export interface Answer {
  readonly outcome: CallOutcome;
  /** If the call is still running, its eventual outcome. */
  readonly late: Promise<CallOutcome> | null;
}

/** For whom the gateway is called. */
export interface Caller {
  readonly tenant: TenantRef;
  readonly userName: string;
  readonly userToken: Uuid;
}

/** Calls the gateway for a reserved purchase (§5.1 rule 2), outside any transaction with effects. */
export async function purchase(
  charge: OpenCharge,
  { clock, systemClock }: Pick<Ports, 'clock' | 'systemClock'>,
): Promise<Answer> {
  const { account, gateway, paymentId, paymentMethodId, timeoutMs } = charge;
  const { tenant, userName, userToken } = charge.caller;
  const { id: transactionId, amount, currency, leaseUntil } = charge.transaction;
  const now = clock.now();
  // A call that has not begun when its lease ends is not made: recovery may already be deciding without it.
  if (leaseUntil !== null && now >= leaseUntil) {
    const message = 'The payment was not submitted: its time had passed before the call began';
    return { outcome: { kind: 'NEVER_RECEIVED', message }, late: null };
  }
  const request = {
    accountId: account.id,
    paymentId,
    transactionId,
    paymentMethodId,
    amount,
    currency,
    properties: [],
  };
  const context = { tenantId: tenant.id, userName, userToken, now };
  const { reply, late } = await callGateway(() => gateway.purchase(request, context), {
    timeoutMs,
    systemClock,
  });
  return { outcome: operationOutcome(reply), late: late?.then(operationOutcome) ?? null };
}
