import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock, memoryCatalogPlugin } from '../../adapters/testing/index.ts';
import type { EntitlementPlugin, InvoicePlugin, NodeCommand, PaymentControl } from '../../lib/index.ts';
import { BillingError, ErrorCode } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { instant } from '../../lib/values/time/index.ts';
import { anyDatabase, onPostgresql, type TestDatabase } from '../support/databases.ts';
import {
  expect,
  expectCode,
  migrated,
  openEngine,
  plainHasher,
  pushableSystemClock,
  recordingLogger,
  storageOf,
} from '../support/index.ts';

interface Opened {
  readonly billing: Billing<never>;
  readonly storage: Storage<never>;
}

function nodeStarter() {
  const opened: Opened[] = [];
  afterEach(async () => {
    for (const { billing } of opened.splice(0)) await billing.close();
  });
  return async (
    database: TestDatabase,
    nodeName: string,
    options: Omit<Partial<Parameters<typeof Billing.open<never>>[0]>, 'storage'> = {},
  ): Promise<Opened> => {
    const storage = storageOf(database);
    const billing = await Billing.open<never>({
      storage,
      clock: fakeClock('2025-03-10T10:00:00Z'),
      systemClock: pushableSystemClock(),
      logger: recordingLogger(),
      hasher: plainHasher(),
      pushSender: null,
      nodeName,
      isFormerNode: () => false,
      version: '1.2.3',
      ...options,
    });
    opened.push({ billing, storage });
    return { billing, storage };
  };
}

const names = async ({ billing }: Opened) => (await billing.nodes.list()).map(({ nodeName }) => nodeName);

/** Waits until this many nodes have registered, which happens in the background. */
async function registered({ storage }: Opened, count: number): Promise<void> {
  while ((await storage.nodes.names()).length !== count)
    await new Promise((resolve) => setImmediate(resolve));
}

anyDatabase.describe('nodes (platform §15 rule 1)', (open) => {
  const openNode = nodeStarter();

  it('are listed with each plugin name only once, before and after work starts', async () => {
    const tax: InvoicePlugin = { name: 'acme', version: '2.0.1' };
    const control: PaymentControl = { name: 'acme', pluginKey: 'ac' };
    const plugins = { invoicePlugins: [tax], paymentControls: [control] };
    const node = await openNode(await open(migrated), 'one', plugins);
    const { nodes } = node.billing;
    const services = [
      { serviceTypeName: 'PaymentControlPluginApi', registrationName: 'acme' },
      { serviceTypeName: 'InvoicePluginApi', registrationName: 'acme' },
    ];
    const own = {
      nodeName: 'one',
      version: '1.2.3',
      bootDate: (await nodes.local()).bootDate,
      plugins: [{ pluginName: 'acme', pluginKey: 'ac', version: '2.0.1', state: 'RUNNING', services }],
    };
    const before = await nodes.list();
    expect(before).to.have.length(1);
    expect(before[0]).to.deep.include(own);
    expect(await node.storage.nodes.names()).to.eql([]);
    node.billing.start();
    await registered(node, 1);
    const stored = await nodes.list();
    expect(stored).to.have.length(1);
    expect(stored[0]).to.deep.include(own);
    expect(JSON.stringify(stored[0])).to.match(/"bootDate":"2\d{3}-[^"]+Z","lastUpdatedDate":"2\d{3}-/);
  });
});

anyDatabase.describe('nodes with commands (platform §11)', (open) => {
  const openNode = nodeStarter();
  const ops = { userName: 'ops' };
  const about = (type: string, value: string) => ({ type, properties: [{ key: 'pluginName', value }] });

  it('stop calling a plugin on command until another command starts or installs it again', async () => {
    let queryCount = 0;
    const guard: EntitlementPlugin = {
      name: 'guard',
      before: {
        CREATE: async () => {
          queryCount += 1;
          return { abort: 'not now' };
        },
      },
    };
    const engine = await openEngine(open, { now: '2024-03-01T08:00:00Z', entitlementPlugins: [guard] });
    const { acme, billing } = engine;
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    const create = () =>
      acme.createSubscription({ accountId, planName: 'solo-now' }).then(
        () => 'created',
        () => 'refused',
      );
    const state = async () =>
      (await billing.nodes.local()).plugins.find(({ pluginName }) => pluginName === 'guard')?.state;
    const expected = [
      [null, 'RUNNING', 'refused'],
      ['STOP_PLUGIN', 'STOPPED', 'created'],
      ['START_PLUGIN', 'RUNNING', 'refused'],
      ['UNINSTALL_PLUGIN', undefined, 'created'],
      ['START_PLUGIN', undefined, 'created'],
      ['INSTALL_PLUGIN', 'RUNNING', 'refused'],
    ] as const;
    for (const [type, ...outcome] of expected) {
      if (type !== null) await billing.nodes.command(ops, about(type, 'guard'));
      expect([await state(), await create()], `${type}`).to.eql(outcome);
    }
    expect(queryCount).to.equal(3);
  });

  it('apply earlier plugin commands for all nodes when they start, but no command for a single node (rule 2)', async () => {
    const database = await open(migrated);
    const guards = ['guard', 'warden', 'porter', 'scout'];
    const entitlementPlugins = guards.map((name): EntitlementPlugin => ({ name, before: {} }));
    const states = async ({ billing }: Opened) =>
      (await billing.nodes.local()).plugins
        .filter(({ pluginName }) => guards.includes(pluginName))
        .map(({ pluginName, state }) => `${pluginName} ${state}`);
    const former = await openNode(database, 'former', { entitlementPlugins });
    for (const [type, name] of [
      ['STOP_PLUGIN', 'guard'],
      ['UNINSTALL_PLUGIN', 'warden'],
      ['STOP_PLUGIN', 'porter'],
      ['RESTART_PLUGIN', 'porter'],
    ] as const)
      await former.billing.nodes.command(ops, about(type, name));
    await former.billing.nodes.command(ops, about('STOP_PLUGIN', 'scout'), { localOnly: true });
    expect(await states(former)).to.have.members(['guard STOPPED', 'porter RUNNING', 'scout STOPPED']);
    await former.billing.close();
    const logger = recordingLogger();
    const next = await openNode(database, 'next', { entitlementPlugins, logger });
    expect(await states(next)).to.have.members(['guard STOPPED', 'porter RUNNING', 'scout RUNNING']);
    expect(JSON.stringify(logger.lines)).to.include('warden').and.to.include('UNINSTALLED');
    await next.billing.nodes.command(ops, about('START_PLUGIN', 'warden'));
    await next.billing.nodes.command(ops, about('START_PLUGIN', 'guard'));
    await next.billing.close();
    const last = await openNode(database, 'last', { entitlementPlugins });
    expect(await states(last)).to.have.members(['guard RUNNING', 'porter RUNNING', 'scout RUNNING']);
  });

  it('block payments through a stopped gateway as if it were not registered', async () => {
    const engine = await openEngine(open, { now: '2024-03-01T08:00:00Z' });
    const { acme, billing, gateway } = engine;
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    const add = () => acme.addPaymentMethod({ accountId, pluginName: gateway.name });
    await billing.nodes.command(ops, about('STOP_PLUGIN', gateway.name));
    await expectCode(add(), 7028);
    await billing.nodes.command(ops, {
      type: 'RESTART_PLUGIN',
      properties: [{ key: 'pluginKey', value: 'sandbox' }],
    });
    expect(await add()).to.include({ pluginName: gateway.name });
  });

  it('pass each command with its properties to the handler of its type, and log handler errors and unknown types', async () => {
    const heard: unknown[] = [];
    const logger = recordingLogger();
    const nodeCommands = {
      WARM_UP: (command: NodeCommand) => void heard.push(command),
      FAIL: () => Promise.reject(new Error('no')),
    };
    const { billing } = await openNode(await open(migrated), 'one', { nodeCommands, logger });
    const command = {
      type: 'WARM_UP',
      isSystemCommand: true,
      properties: [{ key: 'depth', value: { at: [1] } }],
    };
    await billing.nodes.command(ops, command);
    expect(heard).to.eql([command]);
    await billing.nodes.command(ops, { type: 'FAIL', properties: [] }, { localOnly: true });
    await billing.nodes.command(ops, { type: 'toString', properties: [] });
    expect(logger.lines.map(({ level, fields }) => [level, (fields as { type?: string }).type])).to.eql([
      ['error', 'FAIL'],
      ['warn', 'toString'],
    ]);
  });

  it('drop the catalog caches of one tenant or of all tenants on command, so that a catalog plugin is called again', async () => {
    const plugin = memoryCatalogPlugin();
    const engine = await openEngine(open, { now: '2024-03-01T08:00:00Z', catalogPlugins: [plugin] });
    const { acme, billing, tenant } = engine;
    plugin.serve(null, 'the same');
    const askedBy = async (act: () => Promise<void>) => {
      const before = plugin.calls.catalog.length;
      await act();
      await acme.catalogs.current(null);
      return plugin.calls.catalog.length - before;
    };
    await acme.catalogs.current(null);
    const other = { id: tenant.id, recordId: tenant.recordId + 1 };
    expect(await askedBy(async () => undefined)).to.equal(0);
    expect(await askedBy(() => billing.nodes.dropCaches(ops, other))).to.equal(0);
    expect(await askedBy(() => billing.nodes.dropCaches(ops, tenant))).to.equal(1);
    expect(await askedBy(() => billing.nodes.dropCaches(ops))).to.equal(1);
  });

  it('reject commands without a type, with values that are too long, or with a missing or unknown plugin', async () => {
    const { billing } = await openNode(await open(migrated), 'one');
    for (const command of [
      { type: '', properties: [] },
      { type: 'X'.repeat(256), properties: [] },
      { type: 'X', properties: Array.from({ length: 101 }, () => ({ key: 'k', value: 1 })) },
      about('INSTALL_PLUGIN', 'unheard-of'),
      { type: 'STOP_PLUGIN', properties: [] },
    ])
      await expectCode(billing.nodes.command(ops, command), 60003, command.type);
  });
});

onPostgresql.describe('nodes with commands on a shared database (platform §11)', (open) => {
  const openNode = nodeStarter();
  const ops = { userName: 'ops' };

  it('run each command addressed to them once and in order, unless they started after the command', async () => {
    const database = await open(migrated);
    const heard: string[] = [];
    const node = async (name: string): Promise<Opened> => {
      const hear = ({ properties }: NodeCommand) => void heard.push(`${name} ${properties[0]?.value}`);
      const opened = await openNode(database, name, {
        nodeCommands: { SAY: hear },
        systemClock: pushableSystemClock(5),
      });
      opened.billing.start();
      return opened;
    };
    const broadcast = ({ billing }: Opened, value: number, localOnly = false) =>
      billing.nodes.command(ops, { type: 'SAY', properties: [{ key: 'value', value }] }, { localOnly });
    const one = await node('one');
    await broadcast(one, 1);
    const two = await node('two');
    // A node that receives its own command has started to listen.
    await broadcast(two, 2);
    await broadcast(two, 3);
    await broadcast(two, 4, true);
    while (heard.length < 6) await new Promise((resolve) => setImmediate(resolve));
    // By now, both have listened once more.
    await broadcast(one, 5);
    await broadcast(two, 6);
    while (heard.length < 10) await new Promise((resolve) => setImmediate(resolve));
    const of = (name: string) => heard.filter((each) => each.startsWith(name)).map((each) => each.slice(4));
    expect(of('one')).to.eql(['1', '2', '3', '5', '6']);
    expect(of('two')).to.eql(['2', '3', '4', '5', '6']);
  });
});

onPostgresql.describe('nodes that share a database (platform §15 rule 1)', (open) => {
  const openNode = nodeStarter();

  it('are listed from their start to their stop, in the order in which they started', async () => {
    const database = await open(migrated);
    const one = await openNode(database, 'one');
    const two = await openNode(database, 'two');
    for (const { billing } of [one, two]) billing.start();
    await registered(one, 2);
    expect(await names(one)).to.eql(['one', 'two']);
    expect(await names(two)).to.eql(['one', 'two']);
    await one.billing.stop();
    expect(await names(two)).to.eql(['two']);
  });

  it('do not start under the name of a running node, and do not touch the work of that node', async () => {
    const database = await open(migrated);
    const first = await openNode(database, 'north');
    const taken = openNode(database, 'north', { systemClock: pushableSystemClock(1) });
    const error: unknown = await taken.catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(BillingError).and.to.include({ code: ErrorCode.BUSY });
    expect(String(error)).to.include('The node name "north" is in use by a running node');
    first.billing.start();
    await registered(first, 1);
    await first.billing.close();
    // The rejected engine's storage holds no name.
    expect(await names(await openNode(database, 'north'))).to.eql(['north']);
  });

  it('remove the entries of their own former processes when they start, but no entries of other nodes', async () => {
    const database = await open(migrated);
    const other = await openNode(database, 'other');
    const gone = { version: '1', bootDate: instant(0), plugins: [] };
    await other.storage.nodes.beat({ ...gone, nodeName: 'host.1' });
    await other.storage.nodes.beat({ ...gone, nodeName: 'elsewhere' });
    const again = await openNode(database, 'host.2', { isFormerNode: (name) => name.startsWith('host.') });
    again.billing.start();
    while (!(await again.storage.nodes.names()).includes('host.2'))
      await new Promise((resolve) => setImmediate(resolve));
    expect((await again.storage.nodes.names()).toSorted()).to.eql(['elsewhere', 'host.2']);
  });
});
