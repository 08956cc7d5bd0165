import { expect } from 'chai';
import { type NodeInfo, PluginState } from '../../lib/records/index.ts';
import { instant } from '../../lib/values/time/index.ts';
import { eachDatabase } from '../support/databases.ts';
import { type OpenedStorage, openStorage } from '../support/storage/opened-storage.ts';

const MINUTE_MS = 60_000;

eachDatabase((kind, open) => {
  describe('storage: nodes', () => {
    let opened: OpenedStorage;
    beforeEach(async () => {
      opened = await openStorage(kind, open);
    });
    afterEach(() => opened.storage.close());

    const node = (nodeName: string, bootMs: number): Omit<NodeInfo, 'lastUpdatedDate'> => ({
      nodeName,
      version: '1.2.3',
      bootDate: instant(bootMs),
      plugins: [
        {
          pluginName: 'tax',
          pluginKey: null,
          version: '1.0',
          state: PluginState.STOPPED,
          services: [{ serviceTypeName: 'InvoicePluginApi', registrationName: 'tax' }],
        },
      ],
    });

    it('storage of nodes gives what a node was when it last beat, in the order of their start', async () => {
      const { nodes, system } = opened.storage;
      await nodes.beat(node('later', 2_000));
      await nodes.beat({ ...node('first', 1_000), version: '1.0.0' });
      const before = await system.nowMs();
      await nodes.beat({ ...node('first', 1_000), plugins: [] });
      const [first, later, ...others] = await nodes.list(MINUTE_MS);
      expect(first).to.deep.equal({
        ...node('first', 1_000),
        plugins: [],
        lastUpdatedDate: first?.lastUpdatedDate,
      });
      expect(first?.lastUpdatedDate).to.be.within(before, await system.nowMs());
      expect(later).to.deep.include(node('later', 2_000));
      expect(others).to.deep.equal([]);
    });

    it('storage of nodes leaves out and forgets those that were silent for longer, by the clock of the database', async () => {
      const { nodes } = opened.storage;
      await nodes.beat(node('one', 1_000));
      await nodes.beat(node('two', 2_000));
      // Nobody was silent for longer than a minute; all were for longer than minus one.
      await nodes.purge(MINUTE_MS);
      expect(await nodes.list(MINUTE_MS)).to.have.length(2);
      expect(await nodes.list(-MINUTE_MS)).to.deep.equal([]);
      await nodes.remove(['one', 'nobody']);
      expect(await nodes.names()).to.deep.equal(['two']);
      await nodes.purge(-MINUTE_MS);
      expect(await nodes.names()).to.deep.equal([]);
    });
  });
});
