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
 * Checks a gateway against its contract (payments §2.1, §2.2) and returns a sentence for each problem. Calls every offered
 * operation directly and through the engine. Answers must be valid and still known afterwards, a repeated transaction id
 * must have one effect, no call may exceed the engine's time limit, lost answers must be recovered, and members must not
 * contradict each other. Also checks the situations described by `outcomes` and `notification`.
 *
 * @example
 * const report = await checkPaymentGateway(myGateway(), { storage: () => sqlite(':memory:') });
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

/** Checks members and capabilities without calling the gateway. */
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
  [
    'The gateway has no purchase, which every gateway needs',
    ({ purchase }) => typeof purchase !== 'function',
  ],
  [
    'The gateway has no getPaymentInfo, from which recovery reads what has happened',
    ({ getPaymentInfo }) => typeof getPaymentInfo !== 'function',
  ],
  [
    'capture is offered without authorize, so that there is nothing to capture',
    ({ capture, authorize }) => capture !== undefined && authorize === undefined,
  ],
  [
    'authorize is offered without capture, so that what is promised can never be taken',
    ({ capture, authorize }) => authorize !== undefined && capture === undefined,
  ],
  [
    'void is offered without authorize, so that there is nothing to take back',
    (gateway) => gateway.void !== undefined && gateway.authorize === undefined,
  ],
  [
    'capabilities.holdsPaymentMethods is false, but the gateway offers lists of payment methods, which are never asked for then',
    ({ capabilities, getPaymentMethods, searchPaymentMethods, resetPaymentMethods }) =>
      capabilities?.holdsPaymentMethods === false &&
      [getPaymentMethods, searchPaymentMethods, resetPaymentMethods].some((member) => member !== undefined),
  ],
  [
    'capabilities.holdsPaymentMethods is true, but there is no getPaymentMethodDetail to tell of one',
    ({ capabilities, getPaymentMethodDetail }) =>
      capabilities?.holdsPaymentMethods === true && getPaymentMethodDetail === undefined,
  ],
  [
    'capabilities say both sideEffectFree and completeLedger: what does nothing outside has no ledger that recovery could ask',
    ({ capabilities }) => capabilities?.sideEffectFree === true && capabilities.completeLedger === true,
  ],
  [
    'verifyNotification is offered without processNotification, which would do something with it',
    ({ verifyNotification, processNotification }) =>
      verifyNotification !== undefined && processNotification === undefined,
  ],
];
