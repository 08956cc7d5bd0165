import type { PaymentGateway } from '../../lib/index.ts';
import { checkCapabilities } from './gateway-check/check-capabilities.ts';
import { checkInEngine } from './gateway-check/check-in-engine.ts';
import { checkDeletedMethod, checkMethods } from './gateway-check/check-methods.ts';
import { checkNotifications } from './gateway-check/check-notifications.ts';
import { checkOperations } from './gateway-check/check-operations.ts';
import { checkOutcomes } from './gateway-check/check-outcomes.ts';
import { checkPaymentSearch } from './gateway-check/check-searches.ts';
import { GatewayCaller } from './gateway-check/gateway-caller.ts';
import type { PaymentGatewayCheckOptions } from './gateway-check/gateway-check-options.ts';
import { GatewayFindings, type PaymentGatewayReport } from './gateway-check/gateway-report.ts';

/**
 * Checks a gateway against its contract (payments §2.1, §2.2) and tells what is wrong with it, each in a sentence; an empty
 * list if nothing is. Every operation that it offers is called directly and through the engine: its answers must be
 * believable and still known afterwards, the same transaction id has one effect however often it comes, no call takes
 * longer than the engine waits, lost answers are recovered, and its members do not contradict each other. What `outcomes`
 * and `notification` tell how to bring about is looked at too.
 *
 * @example
 * const report = await checkPaymentGateway(myGateway(), { storage: () => sqlite(':memory:') });
 * expect(report.findings).to.deep.equal([]);
 */
export async function checkPaymentGateway(
  gateway: PaymentGateway,
  options: PaymentGatewayCheckOptions,
): Promise<PaymentGatewayReport> {
  const report = new GatewayFindings();
  checkCapabilities(gateway, report);
  if (report.findings.length === 0 || canBeCalled(gateway)) {
    const caller = new GatewayCaller(gateway, options, report);
    await checkMethods(caller);
    await checkOperations(caller);
    await checkPaymentSearch(caller);
    await checkOutcomes(caller);
    await checkNotifications(caller);
    await checkDeletedMethod(caller);
    await checkInEngine(caller);
  }
  const { findings, notes, called } = report;
  return { findings, notes, called };
}

function canBeCalled({ purchase, getPaymentInfo }: PaymentGateway): boolean {
  return typeof purchase === 'function' && typeof getPaymentInfo === 'function';
}
