import { reserveName as holdOnServer } from '../../../adapters/mikro-orm/postgresql/queue-listener.ts';
import { reserveName } from '../../../lib/nodes/index.ts';
import type { HeldName } from '../../../lib/ports/storage/index.ts';
import type { NodeInfo } from '../../../lib/records/index.ts';
import { recordingLogger } from '../../support/system-time.ts';
import { BillingError, expect, type Instant, instant } from '../../support/unit.ts';

/**
 * Starts an engine with the node name `north`, whose pauses end at once. `signAt` returns the other node's last
 * heartbeat.
 */
async function start(hold: (call: number) => HeldName, signAt: (nowMs: number) => Instant | null) {
  let nowMs = 0;
  let calls = 0;
  const listed = async (): Promise<readonly NodeInfo[]> => {
    const lastUpdatedDate = signAt(nowMs);
    if (lastUpdatedDate === null) return [];
    return [{ nodeName: 'north', version: '1', bootDate: instant(0), lastUpdatedDate, plugins: [] }];
  };
  const after = (ms: number, action: () => void) => {
    nowMs += ms;
    queueMicrotask(action);
    return () => undefined;
  };
  const ports = {
    storage: {
      nodes: {
        hold: async () => {
          calls += 1;
          return hold(calls);
        },
        list: listed,
      },
    },
    systemClock: { nowMs: () => nowMs, nextTurn: async () => undefined, after },
    logger: recordingLogger(),
  };
  const thrown: unknown = await reserveName(ports, 'north').catch((error: unknown) => error);
  return { thrown, nowMs };
}

describe('name of a starting node (platform §15 rule 1)', () => {
  it('is taken immediately when no other node has it', async () =>
    expect(
      await start(
        () => 'HELD',
        () => instant(0),
      ),
    ).to.eql({ thrown: undefined, nowMs: 0 }));

  it('is requested again while the connection of an ended process closes', async () =>
    expect(
      await start(
        (call) => (call < 5 ? 'TAKEN' : 'HELD'),
        () => null,
      ),
    ).to.eql({ thrown: undefined, nowMs: 1_000 }));

  it('is rejected within seconds if a running node has it', async () => {
    const { thrown, nowMs } = await start(
      () => 'TAKEN',
      () => null,
    );
    expect(thrown).to.be.instanceOf(BillingError);
    expect(String(thrown)).to.include('"north"');
    expect(nowMs).to.equal(5_000);
  });

  it('is rejected at the next heartbeat if the database cannot check the name', async () => {
    const { thrown, nowMs } = await start(
      () => 'UNKNOWN',
      (now) => instant(now - (now % 30_000)),
    );
    expect(thrown).to.be.instanceOf(BillingError);
    expect(nowMs).to.equal(30_000);
  });

  it('is accepted if the database cannot check the name and no node with this name sends a heartbeat', async () => {
    expect(
      await start(
        () => 'UNKNOWN',
        () => null,
      ),
    ).to.eql({ thrown: undefined, nowMs: 0 });
    expect(
      await start(
        () => 'UNKNOWN',
        () => instant(0),
      ),
    ).to.eql({ thrown: undefined, nowMs: 35_000 });
    const stopped = await start(
      () => 'UNKNOWN',
      (now) => (now < 10_000 ? instant(0) : null),
    );
    expect(stopped).to.eql({ thrown: undefined, nowMs: 10_000 });
  });

  it('is not locked through a pooler, where the session lock would outlive the node', async () => {
    const queries: string[] = [];
    const client = {
      processID: 4_711,
      query: async (text: string) => {
        queries.push(text);
        return { rows: [{ direct: false, held: true }] };
      },
    };
    expect(await holdOnServer(client, 'north')).to.equal('UNKNOWN');
    expect(queries.filter((text) => text.includes('lock'))).to.eql([]);
  });
});
