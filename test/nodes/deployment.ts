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
import { freshDatabase, type TestDatabase } from '../support/databases.ts';
import { isLongRun } from '../support/long-run.ts';
import { rowsOf } from '../support/queue-rows.ts';
import { openShop } from '../support/shop.ts';
import { migrated } from '../support/storage.ts';
import { killNode, type NodeOptions, signUpMany, startNodes, stopNode } from './nodes.ts';

const PERIODS = ['2024-01-01T00:00:00Z', '2024-02-01T00:00:00Z', '2024-03-01T00:00:00Z'];
/** Claims from which a node counts as working. */
const CLAIMED_AT_LEAST = 10;
/** Time for the database to complete the statements of a stopped node. */
const SETTLES_IN_MS = 100;
/** Pending payments are checked within a few days. */
const MOST_DAYS = 20;
/** Slow enough not to disturb the nodes. */
const LOOK_EVERY_MS = 500;
/** Each poll opens a database connection. */
const LOOK_OFTEN_MS = 200;

export interface NamedNode {
  readonly name: string;
  readonly process: ChildProcess;
}

/** Node processes on one PostgreSQL database, with accounts billed and charged each month. */
export class Deployment {
  readonly database: TestDatabase & { readonly kind: 'postgresql' };
  readonly clock: SharedTestClock;
  readonly acme: TenantBilling;
  readonly accountIds: readonly Uuid[];
  readonly #directory: string;
  readonly #billing: Billing<never>;
  #running: readonly ChildProcess[] = [];
  #periods = 1;

  private constructor(
    parts: Pick<Deployment, 'database' | 'clock' | 'acme' | 'accountIds'> & {
      readonly directory: string;
      readonly billing: Billing<never>;
    },
  ) {
    this.database = parts.database;
    this.clock = parts.clock;
    this.acme = parts.acme;
    this.accountIds = parts.accountIds;
    this.#directory = parts.directory;
    this.#billing = parts.billing;
  }

  /** Creates accounts that have paid their first month. This process only observes. */
  static async begin(accounts: number): Promise<Deployment> {
    const directory = mkdtempSync(join(tmpdir(), 'billwright-nodes-'));
    const database = await freshDatabase('postgresql', migrated);
    if (database.kind !== 'postgresql') throw new Error('this test needs PostgreSQL');
    const storage = postgresql(database.url);
    const clock = sharedTestClock(storage.system, systemClock());
    const gateways = [sandboxGateway({ ledger: fileLedger(join(directory, 'ledger')) })];
    const billing = await Billing.open({ storage, clock, gateways, testMode: true });
    await clock.set(parseWireInstant(PERIODS[0] ?? '') ?? null);
    const { acme } = await openShop(billing);
    const accountIds = await signUpMany(acme, accounts);
    await billing.settle({ timeoutMs: 600_000 });
    return new Deployment({ database, clock, acme, accountIds, directory, billing });
  }

  async end(): Promise<void> {
    await Promise.all(this.#running.map(killNode));
    await this.#billing.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async fallDue(): Promise<void> {
    await this.clock.set(parseWireInstant(PERIODS[this.#periods] ?? '') ?? null);
    this.#periods += 1;
  }

  async start(options: readonly (NodeOptions & { readonly name: string })[], preloaded?: string) {
    const shared = { database: this.database.url, ledger: join(this.#directory, 'ledger') };
    const processes = await startNodes(
      options.map((each) => ({ ...shared, ...each })),
      preloaded,
    );
    this.#running = [...this.#running, ...processes];
    return processes.map((process, index) => ({ name: options[index]?.name ?? '', process }));
  }

  async kill({ process }: NamedNode): Promise<void> {
    this.#running = this.#running.filter((each) => each !== process);
    await killNode(process);
  }

  /** @returns the number of payments through its gateway. */
  async stop({ process }: NamedNode): Promise<number> {
    this.#running = this.#running.filter((each) => each !== process);
    return (await stopNode(process)).paid;
  }

  /** Waits until one node has claimed many entries, and stops it, like a machine that hangs. */
  async stoppedAtWork(nodes: readonly NamedNode[], withinMs: number): Promise<NamedNode> {
    for (const endsAt = Date.now() + withinMs; Date.now() < endsAt; ) {
      for (const node of nodes) {
        node.process.kill('SIGSTOP');
        await setTimeout(SETTLES_IN_MS);
        if ((await this.claimedBy(node.name)) > CLAIMED_AT_LEAST) return node;
        node.process.kill('SIGCONT');
        await setTimeout(SETTLES_IN_MS);
      }
    }
    throw new Error('No node has claimed much');
  }

  async claimed(): Promise<readonly string[]> {
    const rows = await rowsOf(
      this.database,
      `select processing_owner as owner from bw_queue_entries where processing_state = 'IN_PROCESSING'`,
    );
    return rows.map(({ owner }) => String(owner));
  }

  /** An empty name counts all claims. */
  async claimedBy(name: string): Promise<number> {
    return (await this.claimed()).filter((owner) => name === '' || owner === name).length;
  }

  async owing(): Promise<number> {
    const [row] = await rowsOf(
      this.database,
      `select count(*) as owing from bw_accounts a where ${this.#periods} <> (
        select count(*) from bw_invoices i where i.account_record_id = a.record_id and i.raw_balance = 0)`,
    );
    return Number(row?.owing);
  }

  /**
   * Waits until all accounts have paid. Moves the clock while nothing is claimed, so that pending payments are checked.
   */
  async allPaid(withinMs: number): Promise<void> {
    let days = 0;
    await eventually(
      Date.now() + withinMs,
      async () => {
        if ((await this.owing()) === 0) return true;
        if (days < MOST_DAYS && (await this.claimed()).length === 0) {
          days += 1;
          await this.clock.move({ days: 1 });
        }
        return false;
      },
      LOOK_EVERY_MS,
    );
  }

  /** Each month of each account has one invoice with one item and one charge at the gateway. */
  async expectPaidOnce(): Promise<void> {
    const ofAccount = (what: string) => `(select count(*) from ${what} where account_record_id = a.record_id`;
    const found = await rowsOf(
      this.database,
      `select invoices, items, purchases, count(*) as accounts from (
        select ${ofAccount('bw_invoices')}) as invoices, ${ofAccount('bw_invoice_items')}) as items,
          ${ofAccount('bw_payment_transactions')} and status = 'SUCCESS') as purchases
        from bw_accounts a) counted
      group by invoices, items, purchases`,
    );
    const months = String(this.#periods);
    expect(found).to.eql([
      { invoices: months, items: months, purchases: months, accounts: String(this.accountIds.length) },
    ]);
    const taken = readFileSync(join(this.#directory, 'ledger'), 'utf8').split('\n').filter(Boolean).map(idOf);
    expect(new Set(taken).size, 'charges that the gateway knows').to.equal(taken.length);
    expect(taken.length).to.equal(this.#periods * this.accountIds.length);
  }
}

function idOf(line: string): string {
  const { entry } = JSON.parse(line) as { readonly entry: { readonly kbTransactionPaymentId: string } };
  return entry.kbTransactionPaymentId;
}

/** Prints a duration in the long run. */
export function printDuration(what: string, since: number): void {
  if (isLongRun) process.stdout.write(`      ${what} ${((Date.now() - since) / 1_000).toFixed(1)} s\n`);
}

export async function eventually(
  deadline: number,
  isSo: () => Promise<boolean> | boolean,
  pollMs = LOOK_OFTEN_MS,
): Promise<void> {
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`not so ${Math.round((Date.now() - deadline) / 1000)} s late`);
    await setTimeout(pollMs);
  }
}
