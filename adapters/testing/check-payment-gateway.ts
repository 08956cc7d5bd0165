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

/** What can be seen of a gateway without calling it: members that contradict each other, or its capabilities. */
function checkCapabilities(caller: GatewayCaller): void {
  const { gateway } = caller;
  if (typeof gateway.name !== 'string' || gateway.name.trim() === '') caller.wrong('The gateway has no name');
  else if (gateway.name.length > MAX_NAME_CHARACTERS)
    caller.wrong(`The gateway's name is longer than ${MAX_NAME_CHARACTERS} characters`);
  for (const { holds, sentence } of contradictions) if (holds(gateway)) caller.wrong(sentence);
}

const MAX_NAME_CHARACTERS = 50;

interface Contradiction {
  holds(gateway: PaymentGateway): boolean;
  readonly sentence: string;
}

const contradictions: readonly Contradiction[] = [
  {
    holds: ({ purchase }) => typeof purchase !== 'function',
    sentence: 'The gateway has no purchase, which every gateway needs',
  },
  {
    holds: ({ getPaymentInfo }) => typeof getPaymentInfo !== 'function',
    sentence: 'The gateway has no getPaymentInfo, from which recovery reads what has happened',
  },
  {
    holds: ({ capture, authorize }) => capture !== undefined && authorize === undefined,
    sentence: 'capture is offered without authorize, so that there is nothing to capture',
  },
  {
    holds: ({ capture, authorize }) => authorize !== undefined && capture === undefined,
    sentence: 'authorize is offered without capture, so that what is promised can never be taken',
  },
  {
    holds: (gateway) => gateway.void !== undefined && gateway.authorize === undefined,
    sentence: 'void is offered without authorize, so that there is nothing to take back',
  },
  {
    holds: ({ capabilities, getPaymentMethods, searchPaymentMethods, resetPaymentMethods }) =>
      capabilities?.holdsPaymentMethods === false &&
      [getPaymentMethods, searchPaymentMethods, resetPaymentMethods].some((member) => member !== undefined),
    sentence:
      'capabilities.holdsPaymentMethods is false, but the gateway offers lists of payment methods, which are never asked for then',
  },
  {
    holds: ({ capabilities, getPaymentMethodDetail }) =>
      capabilities?.holdsPaymentMethods === true && getPaymentMethodDetail === undefined,
    sentence:
      'capabilities.holdsPaymentMethods is true, but there is no getPaymentMethodDetail to tell of one',
  },
  {
    holds: ({ capabilities }) =>
      capabilities?.sideEffectFree === true && capabilities.completeLedger === true,
    sentence:
      'capabilities say both sideEffectFree and completeLedger: what does nothing outside has no ledger that recovery could ask',
  },
  {
    holds: ({ verifyNotification, processNotification }) =>
      verifyNotification !== undefined && processNotification === undefined,
    sentence: 'verifyNotification is offered without processNotification, which would do something with it',
  },
];
