import type { Broadcast, New, NodeInfo } from '../../lib/records/index.ts';
import { BusEventType, PluginState, SYSTEM_TENANT } from '../../lib/records/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { instant } from '../../lib/values/time/index.ts';
import { busEvents, eachDatabase, expect } from '../support/index.ts';
import { freshStorage } from '../support/storage/opened-storage.ts';
import { author, newId } from '../support/storage/stored-records.ts';

const MINUTE_MS = 60_000;

eachDatabase.describe('node storage', (open, kind) => {
  const opened = freshStorage(kind, open);

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

  it('returns each node with its last heartbeat, in start order', async () => {
    const { nodes, system } = opened.storage;
    await nodes.beat(node('later', 2_000));
    await nodes.beat({ ...node('first', 1_000), version: '1.0.0' });
    const before = await system.nowMs();
    await nodes.beat({ ...node('first', 1_000), plugins: [] });
    const [first, later, ...others] = await nodes.list(MINUTE_MS);
    expect(first).to.eql({ ...node('first', 1_000), plugins: [], lastUpdatedDate: first?.lastUpdatedDate });
    expect(first?.lastUpdatedDate).to.be.within(before, await system.nowMs());
    expect(later).to.deep.include(node('later', 2_000));
    expect(others).to.eql([]);
  });

  it('omits and deletes nodes whose last heartbeat is too old according to the database clock', async () => {
    const { nodes } = opened.storage;
    await nodes.beat(node('one', 1_000));
    await nodes.beat(node('two', 2_000));
    // Every heartbeat is newer than a minute, and older than minus one minute.
    await nodes.purge(MINUTE_MS);
    expect(await nodes.list(MINUTE_MS)).to.have.length(2);
    expect(await nodes.list(-MINUTE_MS)).to.eql([]);
    await nodes.remove(['one', 'nobody']);
    expect(await nodes.names()).to.eql(['two']);
    await nodes.purge(-MINUTE_MS);
    expect(await nodes.names()).to.eql([]);
  });

  it('returns the broadcasts after a given number, including events without a tenant, and deletes old broadcasts', async () => {
    const { storage, database } = opened;
    const { nodes } = storage;
    expect(await nodes.lastBroadcast()).to.equal(0);
    const broadcast = (type: string, ms: number): New<Broadcast> => ({
      id: newId(),
      service: 'nodes-service',
      type,
      payload: { amount: decimal('0.10'), at: [1, null] },
      createdBy: 'ops',
      createdDate: instant(ms),
    });
    const [first, second] = [broadcast('A', 1_000), broadcast('B', 2_000)];
    for (const command of [first, second])
      await storage.write(SYSTEM_TENANT, author(), async (session) => {
        session.broadcast(command);
        const payload = { accountId: null, objectId: null, metaData: { service: command.service } };
        session.publish([{ type: BusEventType.BROADCAST_SERVICE, accountRecordId: null, payload }]);
      });
    const last = await nodes.lastBroadcast();
    const all = await nodes.broadcastsAfter(0, 10);
    expect(all.map(({ recordId: _recordId, ...command }) => command)).to.eql([first, second]);
    expect(all.at(-1)?.recordId).to.equal(last);
    expect((await nodes.broadcastsAfter(all[0]?.recordId ?? 0, 10)).map(({ type }) => type)).to.eql(['B']);
    expect(await nodes.broadcastsAfter(0, 1)).to.have.length(1);
    expect((await busEvents(database)).map(({ topic }) => topic)).to.eql(Array(2).fill('BROADCAST_SERVICE'));
    await nodes.purgeBroadcasts(instant(1_001));
    expect((await nodes.broadcastsAfter(0, 10)).map(({ type }) => type)).to.eql(['B']);
  });
});
