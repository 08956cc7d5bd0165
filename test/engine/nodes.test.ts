import { expect } from 'chai';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import type { InvoicePlugin, PaymentControl } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { anyDatabase, onPostgresql, type TestDatabase } from '../support/databases.ts';
import { plainHasher } from '../support/plain-hasher.ts';
import { migrated, storageOf } from '../support/storage.ts';
import { pushableSystemClock, recordingLogger } from '../support/system-time.ts';

interface Opened {
  readonly billing: Billing<never>;
  readonly storage: Storage<never>;
}

/** Opens nodes over one database, and closes them after the test. */
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

const names = async ({ billing }: Opened): Promise<readonly string[]> =>
  (await billing.nodes.list()).map(({ nodeName }) => nodeName);

/** A node registers in the background. */
async function registered({ storage }: Opened, count: number): Promise<void> {
  while ((await storage.nodes.names()).length !== count)
    await new Promise((resolve) => setImmediate(resolve));
}

anyDatabase((kind, open) => {
  describe(`nodes on ${kind} (platform §15 rule 1)`, () => {
    const openNode = nodeStarter();

    it('a node lists itself with its plugins, one for each name, whether or not its work has begun', async () => {
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
      expect(await node.storage.nodes.names()).to.deep.equal([]);
      node.billing.start();
      await registered(node, 1);
      const stored = await nodes.list();
      expect(stored).to.have.length(1);
      expect(stored[0]).to.deep.include(own);
      expect(JSON.stringify(stored[0])).to.match(/"bootDate":"2\d{3}-[^"]+Z","lastUpdatedDate":"2\d{3}-/);
    });
  });
});

onPostgresql('nodes that share a database (platform §15 rule 1)', (open) => {
  const openNode = nodeStarter();

  it('nodes see each other from their start to their end, in the order of their start', async () => {
    const database = await open(migrated);
    const one = await openNode(database, 'one');
    const two = await openNode(database, 'two');
    for (const { billing } of [one, two]) billing.start();
    await registered(one, 2);
    expect(await names(one)).to.deep.equal(['one', 'two']);
    expect(await names(two)).to.deep.equal(['one', 'two']);
    await one.billing.stop();
    expect(await names(two)).to.deep.equal(['two']);
  });

  it('a node that starts forgets its former lives, and no other node', async () => {
    const database = await open(migrated);
    const other = await openNode(database, 'other');
    const gone = { version: '1', bootDate: (await other.billing.nodes.local()).bootDate, plugins: [] };
    await other.storage.nodes.beat({ ...gone, nodeName: 'host.1' });
    await other.storage.nodes.beat({ ...gone, nodeName: 'elsewhere' });
    const again = await openNode(database, 'host.2', { isFormerNode: (name) => name.startsWith('host.') });
    again.billing.start();
    while (!(await again.storage.nodes.names()).includes('host.2'))
      await new Promise((resolve) => setImmediate(resolve));
    expect((await again.storage.nodes.names()).toSorted()).to.deep.equal(['elsewhere', 'host.2']);
  });
});
