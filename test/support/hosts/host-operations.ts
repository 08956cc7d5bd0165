import type { Billing } from '../../../adapters/node/billwright.ts';
import { type FakeClock, fakeClock } from '../../../adapters/testing/index.ts';
import type { TenantBilling, Uuid } from '../../../lib/index.ts';
import { HOSTILE, type HostileHost } from '../hostile-host.ts';
import { type OpenDatabase, shopIn, shopTemplate, specCatalog, storageOf } from '../index.ts';

/** An engine of a `HostileHost` with one account that has a payment method, a subscription and an invoice. */
export interface HostStage {
  readonly billing: Billing<never>;
  readonly clock: FakeClock;
  readonly acme: TenantBilling;
  readonly accountId: Uuid;
  readonly subscriptionId: Uuid;
  readonly paymentMethodId: Uuid;
  readonly invoiceId: Uuid;
  settle(): Promise<unknown>;
  made: HostileHost['made'];
}

export type HostOperation = (stage: HostStage) => Promise<unknown>;

const properties = [{ key: 'a', value: 'b', isUpdatable: false }];
const controlPlugins = [HOSTILE];
const pay = ({ acme, accountId }: HostStage) =>
  acme.payments.purchase({ accountId, amount: '10', controlPlugins });
const authorized = async ({ acme, accountId }: HostStage) =>
  (await acme.payments.authorize({ accountId, amount: '10' })).payment.id;
const invoiced: HostOperation = async ({ acme, settle }) => {
  const { id: accountId } = await acme.createAccount({ currency: 'USD' });
  await acme.createSubscription({ accountId, planName: 'solo-now' });
  await settle();
};
const notified: HostOperation = ({ acme }) =>
  acme.paymentGateways.processSignedNotification({
    pluginName: HOSTILE,
    rawBody: new Uint8Array(),
    headers: {},
    query: '',
  });
const refreshed: HostOperation = ({ acme, accountId }) => acme.paymentMethods.refresh({ accountId });
const created: HostOperation = ({ acme }) => acme.createAccount({ currency: 'USD' });
const subscribed: HostOperation = ({ acme, accountId }) =>
  acme.createSubscription({ accountId, planName: 'solo-now', properties } as never);
const html: HostOperation = ({ acme, invoiceId }) => acme.invoices.html(invoiceId);
let names = 0;
const user = () => ({ name: `user-${++names}`, password: 'correct horse battery', roles: [] });

/** Operations that reach each member of the host's code. */
export const hostOperations: Readonly<Record<string, HostOperation>> = {
  'gateway.purchase': pay,
  'gateway.authorize': authorized,
  'gateway.capture': async (stage) =>
    stage.acme.payments.capture({ paymentId: await authorized(stage), amount: '5' }),
  'gateway.void': async (stage) => stage.acme.payments.void({ paymentId: await authorized(stage) }),
  'gateway.credit': ({ acme, accountId }) => acme.payments.credit({ accountId, amount: '10' }),
  'gateway.refund': async (stage) =>
    stage.acme.payments.refund({ paymentId: (await pay(stage)).payment.id, amount: '5' }),
  'gateway.getPaymentInfo': async ({ acme, accountId }) =>
    acme.payments.ofAccount(accountId, { withPluginInfo: true }),
  'gateway.addPaymentMethod': ({ acme, accountId }) =>
    acme.paymentMethods.add({ accountId, pluginName: HOSTILE }),
  'gateway.deletePaymentMethod': async ({ acme, accountId }) => {
    const { id: paymentMethodId } = await acme.paymentMethods.add({ accountId, pluginName: HOSTILE });
    await acme.paymentMethods.delete({ paymentMethodId });
  },
  'gateway.setDefaultPaymentMethod': ({ acme, accountId, paymentMethodId }) =>
    acme.paymentMethods.setDefault({ accountId, paymentMethodId }),
  'gateway.getPaymentMethodDetail': ({ acme, paymentMethodId }) =>
    acme.paymentMethods.get(paymentMethodId, { withPluginInfo: true }),
  'gateway.getPaymentMethods': refreshed,
  'gateway.resetPaymentMethods': refreshed,
  'gateway.searchPaymentMethods': ({ acme }) =>
    acme.paymentMethods.search('x', { offset: 0, limit: 10, pluginName: HOSTILE }),
  'gateway.searchPayments': ({ acme }) =>
    acme.payments.search('x', { offset: 0, limit: 10, pluginName: HOSTILE }),
  'gateway.buildFormDescriptor': ({ acme, accountId, paymentMethodId }) =>
    acme.paymentGateways.buildForm({ accountId, paymentMethodId }),
  'gateway.processNotification': notified,
  'gateway.verifyNotification': notified,
  'control.priorCall': pay,
  'control.onSuccessCall': pay,
  'invoicePlugin.priorCall': invoiced,
  'invoicePlugin.getAdditionalInvoiceItems': invoiced,
  'invoicePlugin.getInvoiceGrouping': invoiced,
  'invoicePlugin.onSuccessCall': invoiced,
  'entitlementPlugin.before.CREATE': subscribed,
  'entitlementPlugin.succeeded': subscribed,
  'catalogPlugin.latestVersion': subscribed,
  'catalogPlugin.catalog': subscribed,
  'sink.onEvent': async (stage) => {
    await created(stage);
    await stage.settle();
  },
  'formatterFactory.formatter': html,
  'formatter.amount': html,
  'formatter.date': html,
  'renderer.pdf': ({ acme, invoiceId }) => acme.invoices.pdf(invoiceId),
  'pushSender.send': async (stage) => {
    await created(stage);
    await stage.settle();
  },
  'logFiles.read': ({ acme }) => acme.monitoring.diagnostic({ withLogs: true }),
  'nodeCommands.RELOAD': ({ billing }) =>
    billing.nodes.command({ userName: 'test' }, { type: 'RELOAD', properties: [] }),
  'tracer.start': created,
  'ids.next': created,
  'clock.now': created,
  'systemClock.nowMs': pay,
  'hasher.hash': ({ billing }) => billing.security.users.create({ userName: 'test' }, user(), {} as never),
  'cipher.encrypt': ({ acme }) => acme.signingSecrets.create(),
  'cipher.random': ({ acme }) => acme.signingSecrets.create(),
  'logger.warn': ({ billing }) => {
    billing.setInRotation(true);
    return Promise.resolve();
  },
  subscriber: async (stage) => {
    const onEvent = stage.made('subscriber', () => undefined);
    const subscription = await stage.billing.events.subscribe({ onEvent });
    await created(stage);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await subscription.close();
  },
};

export async function openHostStage(host: HostileHost, open: OpenDatabase): Promise<HostStage> {
  const storage = storageOf(await open(shopTemplate(specCatalog)));
  const clock = fakeClock('2024-01-01T00:00:00Z');
  const billing = await host.open(storage, clock);
  const { acme } = await shopIn(billing);
  await acme.keyValues.add('PUSH_NOTIFICATION_CB', 'http://127.0.0.1:9/');
  const { id: accountId } = await acme.createAccount({ currency: 'USD' });
  const { id: paymentMethodId } = await acme.paymentMethods.add({
    accountId,
    pluginName: HOSTILE,
    isDefault: true,
  });
  const { subscriptionId } = await acme.createSubscription({ accountId, planName: 'solo-now' });
  const settle = () => billing.settle({ timeoutMs: 1_000 });
  await settle();
  const [invoice] = await acme.invoices.ofAccount({ accountId });
  const ids = { accountId, subscriptionId, paymentMethodId, invoiceId: invoice?.id as Uuid };
  return { billing, clock, acme, ...ids, settle, made: host.made.bind(host) };
}
