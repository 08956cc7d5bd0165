import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { statedIn } from './operation-amount.ts';
import type { OperationFacts, OperationRules } from './operation-facts.ts';
import { type OperationPlan, planOperation } from './operation-plan.ts';
import type { OperationRequest } from './operation-request.ts';

/** A chargeback of more than what is left, as a failed transaction that changes nothing (http-api §4 line 15). */
export function planRefusedChargeback(
  request: OperationRequest,
  facts: OperationFacts,
  rules: OperationRules,
): OperationPlan {
  try {
    return planOperation(request, facts, rules);
  } catch (error) {
    const isExcess =
      error instanceof BillingError && error.code === ErrorCode.INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH;
    const method = facts.method;
    if (!isExcess || method === null) throw error;
    const currency = request.currency ?? facts.account.currency;
    const amount = statedIn(request, facts, rules);
    return { kind: 'NEW', method, gateway: null, amount, currency, isRefused: true };
  }
}
