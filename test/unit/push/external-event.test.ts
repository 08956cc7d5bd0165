import { externalEvent, pushBody } from '../../../lib/push/external-event.ts';
import { BusEventType } from '../../../lib/records/index.ts';
import { decimal, expect } from '../../support/unit.ts';

const accountId = '1c5b4f6e-0b5e-4c39-9f0a-6a4d6f2f8a11';
const ids = {
  subscriptionId: 's',
  bundleId: 'b',
  blockedId: 'x',
  invoiceId: 'i',
  paymentId: 'p',
  tagId: 't',
  customFieldId: 'c',
  objectId: 'o',
};
/** All members that bus events may have. Each event type uses some of them. */
const payload = {
  accountId,
  ...ids,
  blockingType: 'SUBSCRIPTION_BUNDLE',
  actionType: 'EFFECTIVE',
  bundleExternalKey: 'key',
  subscriptionChangeUndo: false,
  isLastOfOperation: true,
  changesPayer: true,
  metaData: { amount: decimal('10.10'), note: null },
};
const given = '{"amount":10.1,"note":null}';
const plan = '{"actionType":"EFFECTIVE","bundleExternalKey":"key","subscriptionChangeUndo":false}';

/** platform §10.4, row by row. */
const table: Readonly<
  Record<string, readonly [objectType: string, objectId: string, metaData: string | null]>
> = {
  ACCOUNT_CREATION: ['ACCOUNT', accountId, null],
  ACCOUNT_CHANGE: ['ACCOUNT', accountId, null],
  SUBSCRIPTION_CREATION: ['SUBSCRIPTION', 's', plan],
  SUBSCRIPTION_PHASE: ['SUBSCRIPTION', 's', plan],
  SUBSCRIPTION_CHANGE: ['SUBSCRIPTION', 's', plan],
  SUBSCRIPTION_CANCEL: ['SUBSCRIPTION', 's', plan],
  SUBSCRIPTION_UNCANCEL: ['SUBSCRIPTION', 's', plan],
  SUBSCRIPTION_BCD_CHANGE: ['SUBSCRIPTION', 's', plan],
  SUBSCRIPTION_QUANTITY: ['SUBSCRIPTION', 's', plan],
  SUBSCRIPTION_EXPIRED: ['SUBSCRIPTION', 's', plan],
  USAGE_THRESHOLD: ['SUBSCRIPTION', 's', given],
  TRIAL_ENDING: ['SUBSCRIPTION', 's', given],
  COUPON_REDEEMED: ['SUBSCRIPTION', 'o', given],
  COUPON_ENDED: ['SUBSCRIPTION', 'o', given],
  FEATURE_CHANGE: ['ACCOUNT', accountId, given],
  QUOTA_THRESHOLD: ['ACCOUNT', accountId, given],
  ENTITLEMENT_CREATION: ['SUBSCRIPTION', 's', null],
  ENTITLEMENT_CANCEL: ['SUBSCRIPTION', 's', null],
  BUNDLE_PAUSE: ['BUNDLE', 'x', null],
  BUNDLE_RESUME: ['BUNDLE', 'x', null],
  BLOCKING_STATE: ['BUNDLE', 'x', given],
  OVERDUE_CHANGE: ['ACCOUNT', accountId, given],
  INVOICE_CREATION: ['INVOICE', 'i', null],
  INVOICE_ADJUSTMENT: ['INVOICE', 'i', null],
  INVOICE_NOTIFICATION: ['INVOICE', 'i', given],
  INVOICE_PAYMENT_SUCCESS: ['INVOICE', 'i', given],
  INVOICE_PAYMENT_FAILED: ['INVOICE', 'i', given],
  E_INVOICE_FAILED: ['INVOICE', 'i', given],
  PAYMENT_SUCCESS: ['PAYMENT', 'p', given],
  PAYMENT_FAILED: ['PAYMENT', 'p', given],
  TAG_CREATION: ['TAG', 't', given],
  TAG_DELETION: ['TAG', 't', given],
  CUSTOM_FIELD_CREATION: ['CUSTOM_FIELD', 'c', null],
  CUSTOM_FIELD_DELETION: ['CUSTOM_FIELD', 'c', null],
  TENANT_CONFIG_CHANGE: ['TENANT_KVS', 'o', given],
  TENANT_CONFIG_DELETION: ['TENANT_KVS', 'o', given],
  BROADCAST_SERVICE: ['SERVICE_BROADCAST', 'o', given],
};
const inside = ['PAYMENT_UNRESOLVED', 'CHILD_INVOICE_CHANGE', 'NULL_INVOICE'];

describe('external push events (platform §10.4)', () => {
  for (const type of Object.values(BusEventType))
    it(`contain the documented fields for ${type}`, () => {
      const external = externalEvent({ type, payload });
      if (inside.includes(type)) return expect(external).to.equal(null);
      const [objectType, objectId, metaData] = table[type] ?? [];
      return expect(external).to.eql({ eventType: type, accountId, objectType, objectId, metaData });
    });

  for (const [blockingType, objectType] of [
    ['ACCOUNT', 'ACCOUNT'],
    ['SUBSCRIPTION', 'SUBSCRIPTION'],
    ['SUBSCRIPTION_BUNDLE', 'BUNDLE'],
  ])
    it(`name the object of a blocking state on ${blockingType}`, () => {
      const external = externalEvent({ type: 'BLOCKING_STATE', payload: { ...payload, blockingType } });
      expect(external?.objectType).to.equal(objectType);
    });

  it('have a body with five members in a fixed order, including metaData as a string', () => {
    const external = externalEvent({ type: 'TAG_CREATION', payload });
    expect(external && pushBody(external)).to.equal(
      `{"eventType":"TAG_CREATION","accountId":"${accountId}","objectType":"TAG","objectId":"t","metaData":${JSON.stringify(given)}}`,
    );
  });

  it('cause an internal error if the payload lacks the object', () =>
    expect(() => externalEvent({ type: 'TAG_CREATION', payload: { accountId } })).to.throw('tagId'));
});
