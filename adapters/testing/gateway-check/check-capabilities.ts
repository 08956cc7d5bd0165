import type { PaymentGateway } from '../../../lib/index.ts';
import type { GatewayFindings } from './gateway-report.ts';

/** What can be seen of a gateway without calling it: members that contradict each other, or its capabilities. */
export function checkCapabilities(gateway: PaymentGateway, report: GatewayFindings): void {
  if (typeof gateway.name !== 'string' || gateway.name.trim() === '') report.wrong('The gateway has no name');
  else if (gateway.name.length > MAX_NAME_CHARACTERS)
    report.wrong(`The gateway's name is longer than ${MAX_NAME_CHARACTERS} characters`);
  for (const { holds, sentence } of contradictions) if (holds(gateway)) report.wrong(sentence);
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
