import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import { formatDecimal, type NewUsageLine, type TenantBilling, type Uuid } from '../../lib/index.ts';
import { bundled } from '../support/bundled.ts';
import { expect, freshDatabase, migrated, openShop, plainHasher } from '../support/index.ts';

const NOW = '2024-01-10T00:00:00Z';
const NODE = new URL('./usage-node-process.ts', import.meta.url);
const LINES = 120;

describe('two nodes recording usage on one PostgreSQL database', function () {
  this.timeout(120_000);
  let url: string;
  let billing: Billing<never>;
  let acme: TenantBilling;
  let tenant: Uuid;
  let subscriptionIds: readonly Uuid[];

  before(async () => {
    const database = await freshDatabase('postgresql', migrated);
    if (database.kind !== 'postgresql') throw new Error('this test needs PostgreSQL');
    url = database.url;
    billing = await Billing.open({ storage: postgresql(url), clock: fakeClock(NOW), hasher: plainHasher() });
    const shop = await openShop(billing);
    acme = shop.acme;
    tenant = shop.tenant.id;
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    const made: Uuid[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { subscriptionId } = await acme.createSubscription({
        accountId,
        planName: 'sprout-monthly-direct',
      });
      made.push(subscriptionId);
    }
    subscriptionIds = made;
  });

  after(() => billing.close());

  /** Lines with units and days that the nodes share. */
  const linesOf = (name: string): readonly NewUsageLine[] =>
    Array.from({ length: LINES }, (_, index) => ({
      subscriptionId: subscriptionIds[index % 3] ?? '',
      trackingId: `${name}${index}`,
      unitUsageRecords: [
        {
          unitType: `u${index % 2}`,
          usageRecords: [{ recordDate: `2024-01-0${1 + (index % 4)}`, amount: '1.5' }],
        },
        { unitType: 'all', usageRecords: [{ recordDate: '2024-01-05T10:00:00Z', amount: '1' }] },
      ],
    }));

  async function start(): Promise<ChildProcess> {
    const node = fork(bundled(NODE), ['--database', url, '--now', NOW, '--tenant', tenant], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await once(node, 'message');
    return node;
  }

  async function recordedBy(node: ChildProcess, lines: readonly NewUsageLine[]): Promise<number> {
    node.send(lines);
    const [report] = (await once(node, 'message')) as [{ readonly accepted: number }];
    return report.accepted;
  }

  async function stop(node: ChildProcess): Promise<void> {
    const exited = once(node, 'exit');
    node.send('stop');
    await exited;
  }

  async function counted(): Promise<readonly string[]> {
    const sums = await Promise.all(
      subscriptionIds.map((id) => acme.usage.rollUp(id, { startDate: '2024-01-01', endDate: '2024-02-01' })),
    );
    return sums.map(({ rolledUpUnits }) =>
      rolledUpUnits.map(({ unitType, amount }) => `${unitType} ${formatDecimal(amount)}`).join(', '),
    );
  }

  const third = LINES / 3;
  const each = (times: number) =>
    `all ${times * third}, u0 ${(times * third * 1.5) / 2}, u1 ${(times * third * 1.5) / 2}`;

  it('count each tracking id once on either node, alone and in bulk (usage §2.1 rule 7)', async () => {
    const nodes = await Promise.all([start(), start()]);
    const lines = linesOf('a');
    const accepted = await Promise.all(
      nodes.map((node, index) => recordedBy(node, index === 0 ? lines : lines.toReversed())),
    );
    await Promise.all(nodes.map(stop));
    expect(accepted.reduce((sum, one) => sum + one, 0)).to.equal(LINES);
    expect(await counted()).to.eql([each(1), each(1), each(1)]);
  });

  it('count usage once when one node is killed and the other node receives the usage again (usage §2.5)', async () => {
    const [dying, other] = await Promise.all([start(), start()]);
    const lines = linesOf('b');
    const ended = once(dying, 'exit');
    dying.send(lines);
    setTimeout(() => dying.kill('SIGKILL'), 30);
    const [, signal] = await ended;
    expect(signal).to.equal('SIGKILL');
    expect(await recordedBy(other, lines)).to.be.at.most(LINES);
    await stop(other);
    expect(await counted()).to.eql([each(2), each(2), each(2)]);
  });
});
