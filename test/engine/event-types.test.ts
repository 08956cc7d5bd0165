import { SystemTag, type Uuid } from '../../lib/index.ts';
import { externalEventTypes } from '../../lib/push/index.ts';
import { anyDatabase, expect, openEngine, type TestEngine } from '../support/index.ts';
import { overdueXml } from '../support/overdue/overdue-documents.ts';

interface Body {
  readonly eventType: string;
  readonly accountId: string | null;
  readonly objectType: string;
  readonly objectId: string | null;
  readonly metaData: string | null;
}

/**
 * Tested elsewhere: features and usage that reaches a threshold. Node commands reach no callback (platform §10.4 rule
 * 4).
 */
const ELSEWHERE = [
  'USAGE_THRESHOLD',
  'FEATURE_CHANGE',
  'QUOTA_THRESHOLD',
  'E_INVOICE_FAILED',
  'BROADCAST_SERVICE',
];

const of = (actionType: string, bundleExternalKey = 'key', subscriptionChangeUndo = false): string =>
  JSON.stringify({ actionType, bundleExternalKey, subscriptionChangeUndo });
const payment = (amount: number, status: string, effectiveDate: string): string =>
  JSON.stringify({
    paymentTransactionId: '<id>',
    amount,
    currency: 'USD',
    status,
    transactionType: 'PURCHASE',
    effectiveDate,
  });
const invoicePayment = (amount: number, paymentDate: string): string =>
  JSON.stringify({
    paymentId: '<id>',
    paymentAttemptId: '<id>',
    invoicePaymentType: 'ATTEMPT',
    paymentDate,
    amount,
    currency: 'USD',
    linkedInvoicePaymentId: null,
    paymentCookieId: '<id>',
    processedCurrency: 'USD',
  });

const NOW = '2024-08-01T06:00:00.000Z';
const LATER = '2024-11-20T06:00:00.000Z';

/** The first event of each type as in platform §10.4: account, object type, object and `metaData`. */
const table: Readonly<Record<string, readonly [string | null, string, string | null, string | null]>> = {
  ACCOUNT_CREATION: ['account', 'ACCOUNT', 'account', null],
  ACCOUNT_CHANGE: ['account', 'ACCOUNT', 'account', null],
  SUBSCRIPTION_CREATION: ['account', 'SUBSCRIPTION', 'plan', of('REQUESTED')],
  SUBSCRIPTION_QUANTITY: ['account', 'SUBSCRIPTION', 'plan', of('REQUESTED')],
  SUBSCRIPTION_BCD_CHANGE: ['account', 'SUBSCRIPTION', 'plan', of('REQUESTED')],
  SUBSCRIPTION_CHANGE: ['account', 'SUBSCRIPTION', 'plan', of('REQUESTED')],
  SUBSCRIPTION_CANCEL: ['account', 'SUBSCRIPTION', 'plan', of('REQUESTED')],
  SUBSCRIPTION_UNCANCEL: ['account', 'SUBSCRIPTION', 'plan', of('REQUESTED')],
  SUBSCRIPTION_PHASE: ['account', 'SUBSCRIPTION', 'plan', of('EFFECTIVE')],
  SUBSCRIPTION_EXPIRED: ['account', 'SUBSCRIPTION', 'term', of('EFFECTIVE', 'term')],
  TRIAL_ENDING: [
    'account',
    'SUBSCRIPTION',
    'plan',
    '{"bundleExternalKey":"key","planName":"pro-monthly","phaseName":"pro-monthly-trial",' +
      '"nextPhaseName":"pro-monthly-evergreen","trialEndDate":"2024-08-31T06:00:00.000Z"}',
  ],
  COUPON_REDEEMED: [
    'account',
    'SUBSCRIPTION',
    'plan',
    '{"redemptionId":"redemption","code":"SPRING","name":"SPRING"}',
  ],
  COUPON_ENDED: [
    'account',
    'SUBSCRIPTION',
    'plan',
    '{"redemptionId":"redemption","code":"SPRING","name":"SPRING"}',
  ],
  ENTITLEMENT_CREATION: ['account', 'SUBSCRIPTION', 'plan', null],
  ENTITLEMENT_CANCEL: ['account', 'SUBSCRIPTION', 'plan', null],
  BUNDLE_PAUSE: ['account', 'BUNDLE', 'bundle', null],
  BUNDLE_RESUME: ['account', 'BUNDLE', 'bundle', null],
  BLOCKING_STATE: [
    'account',
    'SUBSCRIPTION',
    'plan',
    `{"blockableId":"plan","service":"fraud","stateName":"BAD","blockingType":"SUBSCRIPTION","effectiveDate":"${NOW}",` +
      '"transitionedToBlockedBilling":false,"isTransitionedToBlockedBilling":false,' +
      '"transitionedToUnblockedBilling":false,"isTransitionedToUnblockedBilling":false,' +
      '"transitionedToBlockedEntitlement":true,"isTransitionedToBlockedEntitlement":true,' +
      '"transitionedToUnblockedEntitlement":false,"isTransitionedToUnblockedEntitlement":false}',
  ],
  OVERDUE_CHANGE: [
    'account',
    'ACCOUNT',
    'account',
    '{"previousState":"__KILLBILL__CLEAR__OVERDUE_STATE__","nextState":"OD1","isBlockedBilling":true,"isUnblockedBilling":false}',
  ],
  INVOICE_CREATION: ['account', 'INVOICE', '<id>', null],
  INVOICE_ADJUSTMENT: ['account', 'INVOICE', 'invoice', null],
  INVOICE_NOTIFICATION: [
    'account',
    'INVOICE',
    null,
    '{"targetDate":"2024-08-31T06:00:00.000Z","amountOwed":79.63,"currency":"USD"}',
  ],
  INVOICE_PAYMENT_SUCCESS: ['account', 'INVOICE', 'invoice', invoicePayment(40, NOW)],
  INVOICE_PAYMENT_FAILED: ['account', 'INVOICE', '<id>', invoicePayment(0, LATER)],
  PAYMENT_SUCCESS: ['account', 'PAYMENT', '<id>', payment(40, 'SUCCESS', NOW)],
  PAYMENT_FAILED: ['account', 'PAYMENT', '<id>', payment(0, 'PAYMENT_FAILURE', LATER)],
  TAG_CREATION: ['account', 'TAG', '<id>', '{"tagDefinitionName":"TEST"}'],
  TAG_DELETION: ['account', 'TAG', '<id>', '{"tagDefinitionName":"TEST"}'],
  CUSTOM_FIELD_CREATION: ['account', 'CUSTOM_FIELD', 'field', null],
  CUSTOM_FIELD_DELETION: ['account', 'CUSTOM_FIELD', 'field', null],
  TENANT_CONFIG_CHANGE: [null, 'TENANT_KVS', '<id>', '{"key":"PUSH_NOTIFICATION_CB"}'],
  TENANT_CONFIG_DELETION: [null, 'TENANT_KVS', null, '{"key":"OVERDUE_CONFIG"}'],
};

anyDatabase.describe('event types', (open) => {
  let engine: TestEngine;
  let sent: Body[];
  const names = new Map<string, string>();
  const named = (text: string) => text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => names.get(id) ?? '<id>');
  beforeEach(async () => {
    sent = [];
    names.clear();
    engine = await openEngine(open, {
      now: NOW,
      configuration: { 'org.service.invoice.dryRunNotificationSchedule': '2d' },
      pushSender: {
        resolve: async () => ['192.0.2.1'],
        send: async ({ body }) => {
          sent.push(JSON.parse(body) as Body);
          return { status: 200 };
        },
      },
    });
  });

  it('all occur in a random history, with the documented content (platform §10.4)', async () => {
    await live();
    const types = Object.keys(externalEventTypes).filter((type) => !ELSEWHERE.includes(type));
    expect(new Set(sent.map(({ eventType }) => eventType))).to.eql(new Set(types));
    expect(Object.keys(table)).to.have.members(types);
    for (const [type, expected] of Object.entries(table)) {
      const { accountId, objectType, objectId, metaData } =
        sent.find(({ eventType }) => eventType === type) ?? {};
      const shown = [accountId, objectType, objectId, metaData].map((each) =>
        typeof each === 'string' ? named(each) : each,
      );
      expect(shown, type).to.eql(expected);
    }
  });

  async function live(): Promise<void> {
    const { acme } = engine;
    await acme.keyValues.add('PUSH_NOTIFICATION_CB', 'https://example.com/cb');
    const { id: accountId } = await engine.payingAccount({ currency: 'USD', billCycleDayLocal: 1 });
    names.set(accountId, 'account');
    const account = { type: 'ACCOUNT', id: accountId } as const;
    await acme.tags.add(account, [SystemTag.TEST]);
    await acme.tags.remove(account, [SystemTag.TEST]);
    await acme.customFields.add(account, [{ name: 'tier', value: 'gold' }]);
    const [field] = await acme.customFields.ofObject(account);
    names.set(field?.id ?? '', 'field');
    await acme.customFields.remove(account, []);
    const planName = 'pro-monthly';
    const plan = await acme.createSubscription({ accountId, planName, bundleExternalKey: 'key' });
    names.set(plan.subscriptionId, 'plan').set(plan.bundleId, 'bundle');
    // Only an invoiced subscription has a term to end.
    await engine.settle();
    await changePlan(plan);
    await payAndAdjust(accountId);
    await acme.overdue.upload(overdueXml({ initial: 5, states: [{ name: 'OD1', time: 5, disables: true }] }));
    engine.gateway.configure({
      CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR',
      METHODS: 'purchasePayment',
    });
    await engine.runTo('2024-11-20T06:00:00Z');
    await engine.runTo('2024-11-26T06:00:00Z');
    await acme.subscriptions.cancel(plan.subscriptionId, { billingPolicy: 'IMMEDIATE' });
    await engine.settle(acme.keyValues.delete('OVERDUE_CONFIG'));
  }

  async function changePlan({ subscriptionId: id, bundleId }: Record<'subscriptionId' | 'bundleId', Uuid>) {
    const { subscriptions, blocking, coupons } = engine.acme;
    await coupons.create({ code: 'SPRING', percentOff: '10', duration: 'FOREVER' });
    const redemption = await coupons.redeem({ code: 'SPRING', subscriptionId: id });
    names.set(redemption.id, 'redemption');
    await coupons.remove(redemption.id);
    await subscriptions.changeQuantity(id, { quantity: 2 });
    await subscriptions.changeBillCycleDay(id, { billCycleDayLocal: 5 });
    await subscriptions.changePlan(id, { planName: 'elite-monthly', billingPolicy: 'END_OF_TERM' });
    await subscriptions.undoChangePlan(id);
    await blocking.pauseBundle(bundleId);
    await blocking.resumeBundle(bundleId);
    const fraud = { service: 'fraud', isBlockBilling: false, isBlockChange: false } as const;
    const subscription = { type: 'SUBSCRIPTION', id } as const;
    await blocking.add(subscription, { ...fraud, stateName: 'BAD', isBlockEntitlement: true });
    await blocking.add(subscription, { ...fraud, stateName: 'GOOD', isBlockEntitlement: false });
    await subscriptions.cancel(id, { billingPolicy: 'END_OF_TERM', entitlementPolicy: 'END_OF_TERM' });
    await subscriptions.uncancel(id);
  }

  /** Creates a fixed term whose first invoice is paid and adjusted. */
  async function payAndAdjust(accountId: Uuid): Promise<void> {
    const { acme } = engine;
    const request = { accountId, planName: 'term-3m', bundleExternalKey: 'term' };
    names.set((await acme.createSubscription(request)).subscriptionId, 'term');
    await engine.settle();
    const invoices = await acme.invoices.ofAccount({ accountId, withItems: true });
    const [item] = invoices.flatMap(({ items }) => items).filter(({ planName }) => planName === 'term-3m');
    if (item === undefined) throw new Error('nothing was invoiced');
    const { invoiceId, id: invoiceItemId } = item;
    names.set(invoiceId, 'invoice');
    await engine.settle(acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId, amount: '1' }));
  }
});
