import type { PaymentGateway } from '../../lib/index.ts';
import { checkInEngine } from './gateway-check/check-in-engine.ts';
import { checkDeletedMethod, checkMethods, checkPaymentSearch } from './gateway-check/check-methods.ts';
import { checkNotifications } from './gateway-check/check-notifications.ts';
import { checkOperations } from './gateway-check/check-operations.ts';
import { checkOutcomes } from './gateway-check/check-outcomes.ts';
import {
  GatewayCaller,
  type PaymentGatewayCheckOptions,
  type PaymentGatewayReport,
} from './gateway-check/gateway-caller.ts';

/**
 * Checks a gateway against its contract (payments §2.1, §2.2) and returns a sentence for each problem. Calls
 * every offered operation directly and through the engine. Responses must be valid and later reads must
 * return them, a repeated transaction id must have one effect, no call may exceed the engine's time limit,
 * lost responses must be recovered, and members must not contradict each other. Also checks the situations
 * described by `outcomes` and `notification`.
 *
 * @example const report = await checkPaymentGateway(myGateway(), { storage: () => sqlite(':memory:') });
 * expect(report.findings).to.deep.equal([]);
 */
export async function checkPaymentGateway(
  gateway: PaymentGateway,
  options: PaymentGatewayCheckOptions,
): Promise<PaymentGatewayReport> {
  const caller = new GatewayCaller(gateway, options);
  checkCapabilities(caller);
  if (typeof gateway.purchase === 'function' && typeof gateway.getPaymentInfo === 'function') {
    await checkMethods(caller);
    await checkOperations(caller);
    await checkPaymentSearch(caller);
    await checkOutcomes(caller);
    await checkNotifications(caller);
    await checkDeletedMethod(caller);
    await checkInEngine(caller);
  }
  return caller.report;
}

/** Checks the functions and capabilities of the gateway without calling it. */
function checkCapabilities(caller: GatewayCaller): void {
  const { gateway } = caller;
  if (typeof gateway.name !== 'string' || gateway.name.trim() === '') caller.wrong('The gateway has no name');
  else if (gateway.name.length > MAX_NAME_CHARACTERS)
    caller.wrong(`The gateway's name is longer than ${MAX_NAME_CHARACTERS} characters`);
  for (const [sentence, holds] of contradictions) if (holds(gateway)) caller.wrong(sentence);
}

const MAX_NAME_CHARACTERS = 50;

type Contradiction = readonly [sentence: string, holds: (gateway: PaymentGateway) => boolean];

const contradictions: readonly Contradiction[] = [
  ['The gateway has no purchase, which is required', ({ purchase }) => typeof purchase !== 'function'],
  [
    'The gateway has no getPaymentInfo, which recovery needs to find out the outcome of transactions',
    ({ getPaymentInfo }) => typeof getPaymentInfo !== 'function',
  ],
  [
    'The gateway has capture without authorize, so there is nothing to capture',
    ({ capture, authorize }) => capture !== undefined && authorize === undefined,
  ],
  [
    'The gateway has authorize without capture, so authorized amounts can never be captured',
    ({ capture, authorize }) => authorize !== undefined && capture === undefined,
  ],
  [
    'The gateway has void without authorize, so there is nothing to void',
    (gateway) => gateway.void !== undefined && gateway.authorize === undefined,
  ],
  [
    'capabilities.holdsPaymentMethods is false, so the payment method lists of the gateway are never called',
    ({ capabilities, getPaymentMethods, searchPaymentMethods, resetPaymentMethods }) =>
      capabilities?.holdsPaymentMethods === false &&
      [getPaymentMethods, searchPaymentMethods, resetPaymentMethods].some((member) => member !== undefined),
  ],
  [
    'capabilities.holdsPaymentMethods is true, but getPaymentMethodDetail is missing',
    ({ capabilities, getPaymentMethodDetail }) =>
      capabilities?.holdsPaymentMethods === true && getPaymentMethodDetail === undefined,
  ],
  [
    'capabilities cannot be both sideEffectFree and completeLedger: a gateway without side effects has no ledger for recovery',
    ({ capabilities }) => capabilities?.sideEffectFree === true && capabilities.completeLedger === true,
  ],
  [
    'The gateway has verifyNotification without processNotification, which would process the notification',
    ({ verifyNotification, processNotification }) =>
      verifyNotification !== undefined && processNotification === undefined,
  ],
];
