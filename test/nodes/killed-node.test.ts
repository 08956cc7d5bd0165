import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { type SharedTestClock, sharedTestClock, systemClock } from '../../adapters/node/index.ts';
import { fileLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import { parseWireInstant, type TenantBilling, type Uuid } from '../../lib/index.ts';
import { QUEUE_LEASE_MS } from '../../lib/values/limits.ts';
import { freshDatabase, type TestDatabase } from '../support/databases.ts';
import { isLongRun } from '../support/long-run.ts';
import { rowsOf } from '../support/queue-rows.ts';
import { openShop } from '../support/shop.ts';
import { migrated } from '../support/storage.ts';
import { killNode, signUpMany, startNodes, stopNode } from './nodes.ts';

const ACCOUNTS = isLongRun ? 300 : 60;
/** So that work of few accounts takes as long as that of many. */
const PURCHASE_MS = isLongRun ? '100' : '500';
/** So much must be claimed that "in one step" says something. */
const CLAIMED_AT_LEAST = 10;
/** For what a node has sent to the database before it was stopped to come to its end there. */
const SETTLES_IN_MS = 100;
/** In real time; the clock of the business is moved on. At every commit the machine may be busy with other things. */
const PAID_WITHIN_MS = isLongRun ? 60_000 : 150_000;
/** For a look at the queue. */
const SLACK_MS = isLongRun ? 3_000 : 60_000;
/** The invoices of those who owe are read, beside which the nodes are to get on. */
const BALANCES_POLL_MS = 500;
const BEGINS = '2024-01-01T00:00:00Z';
const NEXT_PERIOD = '2024-02-01T00:00:00Z';

describe('a node that is killed', function () {
  this.timeout(300_000);
  let directory: string;
  let database: TestDatabase & { readonly kind: 'postgresql' };
  let billing: Billing<never>;
  let clock: SharedTestClock;
  let acme: TenantBilling;
  let accountIds: readonly Uuid[];
  let running: ChildProcess[];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'billwright-killed-'));
    const fresh = await freshDatabase('postgresql', migrated);
    if (fresh.kind !== 'postgresql') throw new Error('this test needs PostgreSQL');
    database = fresh;
    const storage = postgresql(database.url);
    clock = sharedTestClock(storage.system, systemClock());
    const gateways = [sandboxGateway({ ledger: fileLedger(join(directory, 'ledger')) })];
    billing = await Billing.open({ storage, clock, gateways });
    await clock.set(parseWireInstant(BEGINS) ?? null);
    ({ acme } = await openShop(billing));
    accountIds = await signUpMany(acme, ACCOUNTS);
    await billing.settle();
    await clock.set(parseWireInstant(NEXT_PERIOD) ?? null);
    running = [];
  });

  afterEach(async () => {
    await Promise.all(running.map(killNode));
    await billing.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it(`leaves all that it had claimed to the other: ${ACCOUNTS} accounts are paid once`, async () => {
    const names = ['north', 'south'];
    const started = await start(names);
    const nodes = started.map((process, index) => ({ name: names[index] ?? '', process }));
    const victim = await stoppedAtWork(nodes);
    const survivor = nodes.find((node) => node !== victim);
    if (survivor === undefined) throw new Error('there are two nodes');
    await kill(victim.process);
    const killedAt = Date.now();
    const seen = new Set<number>();
    await eventually(killedAt + QUEUE_LEASE_MS + SLACK_MS, async () => {
      const left = await claimedBy(victim.name);
      seen.add(left);
      return left === 0;
    });
    expect(seen.size, 'all of it came back in one step').to.equal(2);
    await allPaid(killedAt);
    await stop(survivor.process);
  });

  it('takes its own work up at once when it starts again on the same host, without a name of its own', async () => {
    const [first] = await start(['']);
    if (first === undefined) throw new Error('no node was started');
    await stoppedAtWork([{ process: first }]);
    await kill(first);
    const left = await claimed();
    const startedAt = Date.now();
    const [second] = await start(['']);
    if (second === undefined) throw new Error('no node was started');
    const owners = new Set(left.map(({ owner }) => owner));
    expect(owners).to.have.property('size', 1);
    expect((await claimed()).filter(({ owner }) => owners.has(owner))).to.deep.equal([]);
    await allPaid(startedAt);
    await stop(second);
  });

  /** Waits for a node that has claimed much, and stops it in the midst of that, as a machine does that hangs. */
  async function stoppedAtWork<N extends { readonly name?: string; readonly process: ChildProcess }>(
    nodes: readonly N[],
  ): Promise<N> {
    for (const endsAt = Date.now() + PAID_WITHIN_MS; Date.now() < endsAt; ) {
      for (const node of nodes) {
        node.process.kill('SIGSTOP');
        await setTimeout(SETTLES_IN_MS);
        const own = (await claimed()).filter(({ owner }) => node.name === undefined || owner === node.name);
        if (own.length > CLAIMED_AT_LEAST) return node;
        node.process.kill('SIGCONT');
      }
    }
    throw new Error('No node has claimed much');
  }

  async function start(names: readonly string[]): Promise<readonly ChildProcess[]> {
    const shared = { database: database.url, ledger: join(directory, 'ledger'), 'purchase-ms': PURCHASE_MS };
    const nodes = await startNodes(names.map((name) => ({ ...shared, name })));
    running.push(...nodes);
    return nodes;
  }

  async function kill(node: ChildProcess): Promise<void> {
    running = running.filter((each) => each !== node);
    await killNode(node);
  }

  async function stop(node: ChildProcess): Promise<void> {
    running = running.filter((each) => each !== node);
    await stopNode(node);
  }

  async function claimed(): Promise<readonly { readonly owner: string }[]> {
    const rows = await rowsOf(
      database,
      `select processing_owner as owner from bw_queue_entries where processing_state = 'IN_PROCESSING'`,
    );
    return rows.map(({ owner }) => ({ owner: String(owner) }));
  }

  async function claimedBy(name: string): Promise<number> {
    return (await claimed()).filter(({ owner }) => owner === name).length;
  }

  /** Moves the business on, over the checks of payments that were cut off, until everybody has paid, once. */
  async function allPaid(since: number): Promise<void> {
    let owing = accountIds;
    await eventually(
      since + PAID_WITHIN_MS,
      async () => {
        owing = await owingOf(owing);
        if (owing.length === 0) return true;
        await clock.move({ days: 1 });
        return false;
      },
      BALANCES_POLL_MS,
    );
    const charged = readFileSync(join(directory, 'ledger'), 'utf8').split('\n').filter(Boolean).map(arrived);
    expect(new Set(charged).size, 'charges that the gateway knows').to.equal(charged.length);
    for (const accountId of accountIds) {
      const invoices = await acme.invoices.ofAccount({ accountId, withItems: true, includeVoided: true });
      expect(invoices.map((invoice) => invoice.items.length)).to.deep.equal([1, 1]);
      const payments = await acme.payments.ofAccount(accountId);
      expect(payments.map((payment) => payment.totals.purchasedAmount.toFixed())).to.have.length(2);
    }
  }

  /** Those of the accounts that have not paid two invoices. */
  async function owingOf(asked: readonly Uuid[]): Promise<readonly Uuid[]> {
    const invoices = await Promise.all(
      asked.map((accountId) => acme.invoices.ofAccount({ accountId, withItems: false })),
    );
    return asked.filter((_, index) => {
      const [first, second] = invoices[index] ?? [];
      return !first?.balance.isZero() || !second?.balance.isZero();
    });
  }
});

function arrived(line: string): string {
  const { entry } = JSON.parse(line) as { readonly entry: { readonly kbTransactionPaymentId: string } };
  return entry.kbTransactionPaymentId;
}

async function eventually(deadline: number, isSo: () => Promise<boolean>, pollMs = 50): Promise<void> {
  while (!(await isSo())) {
    if (Date.now() > deadline)
      throw new Error(`not so after ${Math.round((Date.now() - deadline) / 1000)} s more`);
    await setTimeout(pollMs);
  }
}
