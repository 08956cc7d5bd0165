import { expect } from 'chai';
import { sha256, systemClock, unencrypted, uuidGenerator } from '../../../adapters/node/index.ts';
import { consoleLogger } from '../../../adapters/node/this-process.ts';
import type { BillingOptions } from '../../../lib/engine/billing-options.ts';
import { checkOptions } from '../../../lib/engine/checked-options.ts';
import { plainHasher } from '../../support/plain-hasher.ts';

const nothing = async () => null;
const clock = systemClock();
const ports = {
  clock,
  systemClock: clock,
  ids: uuidGenerator(),
  hasher: plainHasher(),
  cipher: unencrypted(),
  sha256,
  logger: consoleLogger(),
};
const till = { name: 'till', purchase: nothing, getPaymentInfo: async () => [] };

describe('Billing.open', () => {
  /** Checks options without types, as from plain JavaScript. */
  const checked = (options: object) => () =>
    checkOptions(
      Object.assign({ storage: { prepare: nothing }, ...ports }, options) as object as BillingOptions<never>,
    );

  const good = [
    {},
    { gateways: [till, { ...till, name: 'other' }], paymentControls: [{ name: 'till' }] },
    { entitlementPlugins: [{ name: 'contracts', before: { CANCEL: nothing } }, { name: 'silent' }] },
    { gateways: undefined, documentRenderer: undefined, invoiceFormatter: undefined },
    { pushSender: null, tracer: undefined, logFiles: undefined },
  ];
  for (const options of good)
    it(`accepts ${JSON.stringify(options)}`, () => {
      checked(options)();
    });

  const refused: readonly (readonly [object, string])[] = [
    [{ gateway: [till] }, 'Billing.open has no option gateway; did you mean gateways?'],
    [{ retryDays: '3,5' }, 'Billing.open has no option retryDays'],
    [{ storage: undefined }, "Billing.open needs a storage, such as { storage: sqlite('billing.db') }"],
    [{ storage: 'billing.db' }, 'Billing.open needs a storage'],
    ...Object.keys(ports).map((name) => [{ [name]: undefined }, `Billing.open needs ${name}`] as const),
    [{ sha256: 'abc' }, 'sha256 of Billing.open is not a function'],
    [{ hasher: { hash: nothing, verify: nothing } }, 'hasher of Billing.open has no method isWeaker'],
    [{ logger: { info: nothing } }, 'logger of Billing.open has no method debug'],
    [{ systemClock: { nowMs: nothing } }, 'systemClock of Billing.open has no method nextTurn'],
    [{ pushSender: {} }, 'pushSender of Billing.open has no method resolve'],
    [{ isFormerNode: true }, 'isFormerNode of Billing.open is not a function'],
    [{ nodeName: nothing }, 'nodeName of Billing.open is not of type string'],
    [{ testMode: 'yes' }, 'testMode of Billing.open is not of type boolean'],
    [{ nodeCommands: 5 }, 'nodeCommands of Billing.open is not of type object'],
    [{ gateways: till }, 'gateways is not a list of plugins'],
    [{ gateways: [till, undefined] }, 'gateways[1] has no name'],
    [{ invoicePlugins: [{ name: '' }] }, 'invoicePlugins[0] has no name'],
    [{ gateways: [till, till] }, 'Two payment gateways have the same name: till'],
    [{ eventSinks: [{ name: 'mailer' }] }, 'The event sink "mailer" has no method onEvent'],
    [{ gateways: [{ ...till, getPaymentInfo: undefined }] }, '"till" has no method getPaymentInfo'],
    [{ gateways: [{ name: 'till', getPaymentInfo: nothing }] }, '"till" has no method purchase'],
    [{ catalogPlugins: [{ name: 'shelf', catalog: nothing }] }, '"shelf" has no method latestVersion'],
    [{ usageSources: [{ name: 'meters', getUsageForAccount: 3 }] }, 'has no method getUsageForAccount'],
    [{ gateways: [{ ...till, name: '__EXTERNAL_PAYMENT__' }] }, 'is reserved for the engine'],
    [
      { entitlementPlugins: [{ name: 'contracts', before: { CANCLE: nothing } }] },
      'CANCLE, which is not an operation',
    ],
    [{ documentRenderer: {} }, 'The document renderer has no method pdf'],
    [{ invoiceFormatter: { name: 'brackets' } }, 'The invoice formatter has no method formatter'],
  ];
  for (const [options, message] of refused)
    it(`rejects invalid options with the message "${message}"`, () =>
      expect(checked(options)).to.throw(message));
});
