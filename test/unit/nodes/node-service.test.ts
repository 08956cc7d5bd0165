import { expect } from 'chai';
import { fakeClock } from '../../../adapters/testing/index.ts';
import { nodeService, PluginSwitches } from '../../../lib/nodes/index.ts';
import type { NodeStore } from '../../../lib/ports/storage/index.ts';
import { newId } from '../../support/storage/stored-records.ts';
import { recordingLogger } from '../../support/system-time.ts';

const BEAT_MS = 30_000;
const LISTEN_MS = 5_000;

/** Returns a node on a storage that only records its calls, with timers that a test fires. */
function stage(failing: { away: boolean }, former: readonly string[] = []) {
  const calls: string[] = [];
  const timers = new Map<() => void, number>();
  const record = async (what: string): Promise<void> => {
    if (failing.away) throw new Error('the database is away');
    calls.push(what);
  };
  const nodes: NodeStore = {
    hold: async () => 'HELD',
    beat: ({ nodeName }) => record(`beat ${nodeName}`),
    names: async () => ['me', 'me-before', 'you'],
    list: async () => [],
    remove: (names) => record(`remove ${names.join(',')}`),
    purge: () => record('purge'),
    lastBroadcast: async () => 0,
    broadcastsAfter: async () => [],
    purgeBroadcasts: () => record('purge broadcasts'),
    pluginSwitches: async () => [],
  };
  const logger = recordingLogger();
  const service = nodeService(
    {
      storage: { nodes, singleNode: false, write: () => Promise.reject(new Error('nothing is written')) },
      clock: fakeClock('2025-03-10'),
      ids: { next: newId },
      systemClock: {
        nowMs: () => 5,
        nextTurn: async () => undefined,
        after: (ms, action) => {
          timers.set(action, ms);
          return () => timers.delete(action);
        },
      },
      logger,
    },
    {
      nodeName: 'me',
      version: '1',
      switches: new PluginSwitches([]),
      dropCaches: () => undefined,
      isFormerNode: (name) => former.includes(name),
    },
  );
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  return {
    service,
    calls,
    logger,
    turns,
    timers: () => [...timers.values()],
    fire: async () => {
      for (const action of [...timers.keys()]) {
        timers.delete(action);
        action();
      }
      await turns();
    },
  };
}

describe('node heartbeat', () => {
  it('runs at the start and every 30 s, and stops with the node', async () => {
    const { service, calls, timers, fire, turns } = stage({ away: false }, ['me', 'me-before']);
    service.start();
    await turns();
    expect(calls).to.eql(['purge', 'remove me-before', 'beat me']);
    expect(timers()).to.have.members([BEAT_MS, LISTEN_MS]);
    await fire();
    expect(calls.slice(3)).to.eql(['beat me']);
    await service.stop();
    expect(calls.slice(4)).to.eql(['remove me']);
    expect(timers()).to.eql([]);
    await service.stop();
    expect(calls).to.have.length(5);
  });

  it('continues after a database outage, and reports the outage only in the log', async () => {
    const failing = { away: true };
    const { service, calls, logger, fire, turns } = stage(failing);
    service.start();
    await turns();
    expect(calls).to.eql([]);
    expect(logger.lines.map(({ level }) => level)).to.eql(['warn']);
    failing.away = false;
    await fire();
    expect(calls).to.eql(['purge', 'remove ', 'beat me']);
    failing.away = true;
    await service.stop();
    expect(logger.lines).to.have.length(2);
  });

  it('removes nothing for a node that never sent a heartbeat', async () => {
    const { service, calls } = stage({ away: false });
    await service.stop();
    expect(calls).to.eql([]);
    expect((await service.list()).map(({ nodeName }) => nodeName)).to.eql(['me']);
  });
});
