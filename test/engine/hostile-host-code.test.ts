import { inspect } from 'node:util';
import type { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import type { TenantBilling, Uuid } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { anyDatabase } from '../support/databases.ts';
import { hostileAnswers, hostileThrows } from '../support/hostile-code.ts';
import { HOSTILE, HostileHost } from '../support/hostile-host.ts';
import { expect, sampled, shopIn, shopTemplate, specCatalog, storageOf } from '../support/index.ts';

interface Stage {
  readonly billing: Billing<never>;
  readonly acme: TenantBilling;
  readonly accountId: Uuid;
  readonly subscriptionId: Uuid;
  readonly paymentMethodId: Uuid;
  readonly invoiceId: Uuid;
  settle(): Promise<unknown>;
  made: HostileHost['made'];
}

type Operation = (stage: Stage) => Promise<unknown>;

const properties = [{ key: 'a', value: 'b', isUpdatable: false }];
const controlPlugins = [HOSTILE];
const pay = ({ acme, accountId }: Stage) =>
  acme.payments.purchase({ accountId, amount: '10', controlPlugins });
const authorized = async ({ acme, accountId }: Stage) =>
  (await acme.payments.authorize({ accountId, amount: '10' })).payment.id;
const invoiced: Operation = async ({ acme, settle }) => {
  const { id: accountId } = await acme.createAccount({ currency: 'USD' });
  await acme.createSubscription({ accountId, planName: 'solo-now' });
  await settle();
};
const notified: Operation = ({ acme }) =>
  acme.paymentGateways.processSignedNotification({
    pluginName: HOSTILE,
    rawBody: new Uint8Array(),
    headers: {},
    query: '',
  });
const refreshed: Operation = ({ acme, accountId }) => acme.paymentMethods.refresh({ accountId });
const created: Operation = ({ acme }) => acme.createAccount({ currency: 'USD' });
const subscribed: Operation = ({ acme, accountId }) =>
  acme.createSubscription({ accountId, planName: 'solo-now', properties } as never);
const html: Operation = ({ acme, invoiceId }) => acme.invoices.html(invoiceId);
let names = 0;
const user = () => ({ name: `user-${++names}`, password: 'correct horse battery', roles: [] });

/** What reaches each member of the host's code. */
const operations: Readonly<Record<string, Operation>> = {
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

const hostile = Object.entries({
  ...prefixed('throws', hostileThrows),
  ...prefixed('answers', hostileAnswers),
});
const cells = Object.keys(operations).flatMap((member, row) =>
  sampled(hostile, 9, row).map(([what, act]) => ({ member, what, act })),
);

function prefixed(verb: string, table: Readonly<Record<string, () => unknown>>) {
  const thrown = (make: () => unknown) => (): never => {
    throw make();
  };
  return Object.fromEntries(
    Object.entries(table).map(([what, make]) => [`${verb} ${what}`, verb === 'throws' ? thrown(make) : make]),
  );
}

/** Reads all that a caller may read of an error. */
function readWhole(error: unknown): void {
  expect(error).to.be.instanceOf(Error);
  const { name, message, stack, cause } = error as Error;
  expect([name, message, stack].every((text) => typeof text === 'string')).to.equal(true);
  inspect(error, { depth: 5 });
  JSON.stringify(error);
  if (cause !== undefined) readWhole(cause);
}

anyDatabase('hostile host code (lib/ports)', (open) => {
  const host = new HostileHost();
  const escaped: unknown[] = [];
  const note = (reason: unknown): void => void escaped.push(reason);
  let storage: Storage<never>;
  let stage: Stage;

  before(async () => {
    process.on('unhandledRejection', note);
    storage = storageOf(await open(shopTemplate(specCatalog)));
    const billing = await host.open(storage, fakeClock('2024-01-01T00:00:00Z'));
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
    stage = { billing, acme, ...ids, settle, made: host.made.bind(host) };
  });

  after(async () => {
    process.off('unhandledRejection', note);
    await stage.billing.close();
  });

  for (const { member, what, act } of cells)
    it(`gives callers a plain error without ending the process or the engine: ${member} ${what}`, async () => {
      await host.while(member, act, async () => {
        // On a busy machine `settle` may end before the member is called.
        for (let turn = 0; turn < 20 && host.calls === 0; turn += 1)
          await operations[member]?.(stage).catch(readWhole);
      });
      expect(host.calls, 'calls of the member').to.be.above(0);
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      for (const { fields } of host.logger.lines.splice(0)) inspect(fields, { depth: 5 });
      expect(escaped.splice(0)).to.eql([]);
      expect(await stage.acme.getAccount(stage.accountId)).to.include({ id: stage.accountId });
    });
});
