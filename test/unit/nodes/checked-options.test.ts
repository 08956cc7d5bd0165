import { expect } from 'chai';
import type { BillingOptions } from '../../../lib/engine/billing-options.ts';
import { checkOptions } from '../../../lib/engine/checked-options.ts';

const nothing = async () => null;
const till = { name: 'till', purchase: nothing, getPaymentInfo: async () => [] };

describe('what an engine is opened with', () => {
  /** As a host without a compiler gives them. */
  const checked = (options: object) => () =>
    checkOptions(
      Object.assign({ storage: { prepare: nothing } }, options) as object as BillingOptions<never>,
    );

  const good = [
    {},
    { gateways: [till, { ...till, name: 'other' }], paymentControls: [{ name: 'till' }] },
    { entitlementPlugins: [{ name: 'contracts', before: { CANCEL: nothing } }, { name: 'silent' }] },
    { gateways: undefined, documentRenderer: undefined, invoiceFormatter: undefined },
  ];
  for (const options of good)
    it(`takes ${JSON.stringify(options)}`, () => {
      checked(options)();
    });

  const refused: readonly (readonly [object, string])[] = [
    [{ gateway: [till] }, 'Billing.open has no option gateway; did you mean gateways?'],
    [{ retryDays: '3,5' }, 'Billing.open has no option retryDays'],
    [{ storage: undefined }, "Billing.open needs a storage, such as { storage: sqlite('billing.db') }"],
    [{ storage: 'billing.db' }, 'Billing.open needs a storage'],
    [{ gateways: till }, 'gateways is not a list of plugins'],
    [{ gateways: [till, undefined] }, 'gateways[1] has no name'],
    [{ invoicePlugins: [{ name: '' }] }, 'invoicePlugins[0] has no name'],
    [{ gateways: [till, till] }, 'Two payment gateways have one name: till'],
    [{ eventSinks: [{ name: 'mailer' }] }, 'The event sink "mailer" has no method onEvent'],
    [{ gateways: [{ ...till, getPaymentInfo: undefined }] }, '"till" has no method getPaymentInfo'],
    [{ gateways: [{ name: 'till', getPaymentInfo: nothing }] }, '"till" has no method purchase'],
    [{ catalogPlugins: [{ name: 'shelf', catalog: nothing }] }, '"shelf" has no method latestVersion'],
    [{ usageSources: [{ name: 'meters', getUsageForAccount: 3 }] }, 'has no method getUsageForAccount'],
    [{ gateways: [{ ...till, name: '__EXTERNAL_PAYMENT__' }] }, 'it is the engine’s own'],
    [
      { entitlementPlugins: [{ name: 'contracts', before: { CANCLE: nothing } }] },
      'CANCLE, which is no operation',
    ],
    [{ documentRenderer: {} }, 'The document renderer has no method pdf'],
    [{ invoiceFormatter: { name: 'brackets' } }, 'The invoice formatter has no method formatter'],
  ];
  for (const [options, message] of refused)
    it(`refuses: ${message}`, () => {
      expect(checked(options)).to.throw(message);
    });
});
