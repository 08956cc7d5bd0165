import { QUEUE_LEASE_MS } from '../../lib/values/limits.ts';
import { expect, isLongRun, sampled } from '../support/index.ts';
import { proxied } from '../support/tcp-proxy.ts';
import { Deployment, eventually, type NamedNode, printDuration } from './deployment.ts';

const ACCOUNTS = isLongRun ? 600 : 24;
const PURCHASE_MS = isLongRun ? '200' : '300';
/** Short leases outside the long run. */
const LEASE_MS = isLongRun ? QUEUE_LEASE_MS : 3_000;
const PAUSED_MS = isLongRun ? 120_000 : 2 * LEASE_MS;
const CUT_MS = isLongRun ? 30_000 : 2 * LEASE_MS;
const AHEAD_MS = 300_000;
/** For a busy machine. */
const SLACK_MS = isLongRun ? 30_000 : 60_000;
const WITHIN_MS = 300_000;

const options = (name: string, more: Readonly<Record<string, string>> = {}) => ({
  name,
  'purchase-ms': PURCHASE_MS,
  logs: 'nothing',
  'claim-time': `${LEASE_MS / 1_000}s`,
  ...more,
});

/** The trouble, and what must happen before the other node has finished. */
const troubles: Readonly<Record<string, (nodes: Deployment) => Promise<readonly NamedNode[]>>> = {
  'when one is paused and resumes after the other took over its claims': async (nodes) => {
    const both = await nodes.start([options('north'), options('south')]);
    const paused = await nodes.stoppedAtWork(both, WITHIN_MS);
    const pausedAt = Date.now();
    await eventually(pausedAt + LEASE_MS + SLACK_MS, async () => (await nodes.claimedBy(paused.name)) === 0);
    printDuration('taken over after', pausedAt);
    await eventually(pausedAt + PAUSED_MS + SLACK_MS, () => Date.now() >= pausedAt + PAUSED_MS);
    paused.process.kill('SIGCONT');
    return both;
  },
  'when one with a clock five minutes ahead is killed': async (nodes) => {
    const fast = await nodes.start([
      // It waits for its gateway most of the time.
      options('fast', { 'skew-ms': `${AHEAD_MS}`, 'purchase-ms': '1000' }),
    ]);
    const killed = await nodes.stoppedAtWork(fast, WITHIN_MS);
    await nodes.kill(killed);
    const killedAt = Date.now();
    const others = await nodes.start([options('right')]);
    await eventually(killedAt + LEASE_MS + SLACK_MS, async () => (await nodes.claimedBy(killed.name)) === 0);
    printDuration('taken over after', killedAt);
    return others;
  },
  'when one loses the database connection and regains it': async (nodes) => {
    const { proxy, url } = await proxied(nodes.database.url);
    try {
      const both = await nodes.start([options('cut', { database: url }), options('near')]);
      const [cut, near] = both;
      if (cut === undefined || near === undefined) throw new Error('no node was started');
      await eventually(Date.now() + WITHIN_MS, async () => (await nodes.claimedBy(cut.name)) > 0);
      proxy.freeze();
      const cutAt = Date.now();
      await eventually(cutAt + LEASE_MS + SLACK_MS, async () => (await nodes.claimedBy(cut.name)) === 0);
      printDuration('taken over after', cutAt);
      await eventually(cutAt + CUT_MS + SLACK_MS, () => Date.now() >= cutAt + CUT_MS);
      await proxy.restore();
      await nodes.allPaid(WITHIN_MS);
      // It bills the next month alone.
      await nodes.stop(near);
      const restoredAt = Date.now();
      await nodes.fallDue();
      await nodes.allPaid(WITHIN_MS);
      printDuration('has done the next month after', restoredAt);
      expect(await nodes.stop(cut), 'payments of the node that was cut off').to.be.at.least(ACCOUNTS);
      return [];
    } finally {
      await proxy.close();
    }
  },
};

describe('two nodes, one of them impaired', function () {
  this.timeout(3 * WITHIN_MS);
  let nodes: Deployment;

  beforeEach(async () => {
    nodes = await Deployment.begin(ACCOUNTS);
    await nodes.fallDue();
  });

  afterEach(() => nodes.end());

  for (const [title, befalls] of sampled(Object.entries(troubles), 3))
    it(`bill ${ACCOUNTS} accounts once ${title}`, async () => {
      const startedAt = Date.now();
      const left = await befalls(nodes);
      await nodes.allPaid(WITHIN_MS);
      printDuration('all paid after', startedAt);
      for (const node of left) await nodes.stop(node);
      await nodes.expectPaidOnce();
    });
});
