import { QUEUE_LEASE_MS } from '../../lib/values/limits.ts';
import { expect, isLongRun } from '../support/index.ts';
import { Deployment, eventually, printDuration } from './deployment.ts';

const ACCOUNTS = isLongRun ? 2_000 : 40;
const NAMES = isLongRun ? ['north', 'south', 'east', 'west'] : ['north', 'south'];
/** Few accounts take as long as many. */
const PURCHASE_MS = isLongRun ? '100' : '500';
/** Short leases outside the long run. */
const LEASE_MS = isLongRun ? QUEUE_LEASE_MS : 3_000;
/** In real time, on a machine that may be busy. */
const PAID_WITHIN_MS = isLongRun ? 300_000 : 150_000;
/** Time for one poll of the queue. */
const SLACK_MS = isLongRun ? 3_000 : 60_000;

describe('killed node', function () {
  this.timeout(900_000);
  let nodes: Deployment;

  beforeEach(async () => {
    nodes = await Deployment.begin(ACCOUNTS);
    await nodes.fallDue();
  });

  afterEach(() => nodes.end());

  const start = (names: readonly string[]) =>
    nodes.start(
      names.map((name) => ({
        name,
        'purchase-ms': PURCHASE_MS,
        'claim-time': `${LEASE_MS / 1_000}s`,
        logs: 'nothing',
      })),
    );

  it(`leaves its claims to other nodes, which charge each of ${ACCOUNTS} accounts once`, async () => {
    const started = await start(NAMES);
    const victim = await nodes.stoppedAtWork(started, PAID_WITHIN_MS);
    await nodes.kill(victim);
    const killedAt = Date.now();
    const seen = new Set<number>();
    await eventually(killedAt + LEASE_MS + SLACK_MS, async () => {
      const left = await nodes.claimedBy(victim.name);
      seen.add(left);
      return left === 0;
    });
    printDuration('taken over after', killedAt);
    expect(seen.size, 'all of it came back in one step').to.equal(2);
    await nodes.allPaid(PAID_WITHIN_MS);
    printDuration('all paid after', killedAt);
    await nodes.expectPaidOnce();
    for (const node of started) if (node !== victim) await nodes.stop(node);
  });

  // `test/faults/kill-points.test.ts` covers restarts on each commit.
  if (!isLongRun) return;
  it('resumes its own work immediately if it restarts on the same host without a configured name', async () => {
    await nodes.kill(await nodes.stoppedAtWork(await start(['']), PAID_WITHIN_MS));
    const owners = new Set(await nodes.claimed());
    expect(owners).to.have.property('size', 1);
    const [second] = await start(['']);
    if (second === undefined) throw new Error('no node was started');
    expect((await nodes.claimed()).filter((owner) => owners.has(owner))).to.eql([]);
    await nodes.allPaid(PAID_WITHIN_MS);
    await nodes.expectPaidOnce();
    await nodes.stop(second);
  });
});
