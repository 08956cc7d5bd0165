import { exec } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock, memoryLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import { BillingError, ErrorCode, type MoveStep, type TenantBilling, type Uuid } from '../../lib/index.ts';
import { inParallel } from '../../lib/runtime/index.ts';
import { expect, plainHasher, recordingLogger } from '../support/index.ts';
import { type Cluster, type ClusterNode, eventually } from './cluster.ts';
import { printFigure, seconds, timed } from './figures.ts';

/** The directory is in the schema of the cell `west`. */
const SCHEMAS = { west: 'cluster_west', east: 'cluster_east' } as const;
type CellName = keyof typeof SCHEMAS;
const TENANTS = [
  ['west', 'oak'],
  ['west', 'elm'],
  ['east', 'fir'],
  ['east', 'yew'],
] as const;
const ACCOUNTS = 15;
const AT_A_TIME = 4;
const PLAN = 'cluster-monthly';
const WRITE_PAUSE_MS = 20;
/** Time for which a lost worker is unavailable before it starts again. */
const AWAY_MS = 5_000;
const PATIENCE_MS = 120_000;

interface TestTenant {
  readonly id: Uuid;
  readonly cell: CellName;
  readonly acme: TenantBilling;
  readonly accountIds: readonly Uuid[];
}

/** Shell commands for the worker on `{port}`. */
export interface WorkerCommands {
  readonly lose: string;
  readonly restore: string;
}

/** Two cells, each a schema, with four tenants and two nodes. */
export class SeveralCells {
  readonly #cluster: Cluster;
  readonly #clock = fakeClock('2024-01-01');
  readonly #ledger = memoryLedger();
  #nodes: readonly Awaited<ReturnType<typeof Billing.cells>>[] = [];
  #tenants: readonly TestTenant[] = [];
  #months = 0;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  async open(): Promise<void> {
    for (const schema of Object.values(SCHEMAS)) await this.#cluster.createSchema(schema);
    const { host, port } = await this.#cluster.nodeOf(SCHEMAS.west);
    if ((await this.#cluster.nodeOf(SCHEMAS.east)).port === port)
      await this.#cluster.moveSchema(SCHEMAS.east, await this.#cluster.otherWorker(SCHEMAS.west));
    printFigure('worker of the directory and of west', `${host}:${port}`);
    this.#nodes = [await this.#openNode(), await this.#openNode()];
    const signUp = await timed(() => inParallel([...TENANTS], TENANTS.length, this.#signUp));
    this.#tenants = signUp.result;
    await this.#settled();
    printFigure(`${TENANTS.length * ACCOUNTS} subscribed accounts`, seconds(signUp.ms));
    for (const node of this.#nodes) node.start();
  }

  /** Bills the months with both nodes. */
  async bill(months: number): Promise<void> {
    const before = this.#cluster.statements;
    const { ms } = await timed(async () => {
      for (let month = 0; month < months; month += 1) await this.#billMonth();
    });
    const billed = months * TENANTS.length * ACCOUNTS;
    printFigure('renewals a second', (billed / (ms / 1_000)).toFixed(1));
    printFigure('statements for a renewal', ((this.#cluster.statements - before) / billed).toFixed(1));
    await this.#check();
  }

  /** Moves a tenant to the other cell and back, while it works. */
  async moveTenant(): Promise<void> {
    const [tenant] = this.#tenants;
    for (const to of ['east', 'west'] as const) {
      const steps: MoveStep[] = [];
      const written = await this.#whileWriting(tenant, async () => {
        this.#nextMonth();
        const { result, ms } = await timed(() =>
          this.#node.cells.move(tenant?.id ?? '', {
            to,
            cleanUpAfterMs: 0,
            onProgress: ({ step }) => void (steps.at(-1) === step || steps.push(step)),
          }),
        );
        printFigure(`move of a tenant to ${to}`, seconds(ms));
        printFigure('  writes rejected for', `${result.pausedMs} ms`);
      });
      written.print();
      expect(steps).to.eql(['COPYING', 'COMPARING', 'HOLDING', 'STOPPED', 'SWITCHED', 'CLEANING']);
      await this.#check();
    }
  }

  /** Moves the schema of a cell to the other worker and back, while its tenants work. */
  async moveSchema(): Promise<void> {
    const tenant = this.#tenants.find(({ cell }) => cell === 'east');
    for (let times = 0; times < 2; times += 1) {
      const to = await this.#cluster.otherWorker(SCHEMAS.east);
      const written = await this.#whileWriting(tenant, async () => {
        this.#nextMonth();
        const { ms } = await timed(() => this.#cluster.moveSchema(SCHEMAS.east, to));
        printFigure(`citus_schema_move of east to ${to.host}:${to.port}`, seconds(ms));
      });
      written.print();
      await this.#check();
    }
  }

  /** Stops the worker of `east`. The tenants of `west` are billed in the meantime. */
  async loseWorker({ lose, restore }: WorkerCommands): Promise<void> {
    const lost = await this.#cluster.nodeOf(SCHEMAS.east);
    const west = this.#tenants.filter(({ cell }) => cell === 'west');
    const east = this.#tenants.filter(({ cell }) => cell === 'east');
    const written = await this.#whileWriting(east[0], async () => {
      await run(lose, lost);
      try {
        this.#nextMonth();
        const other = await timed(() => eventually(PATIENCE_MS, () => this.#expectBilled(west)));
        printFigure('west is billed while the worker of east is away', seconds(other.ms));
        await setTimeout(AWAY_MS);
      } finally {
        await run(restore, lost);
      }
      const { ms } = await timed(() => eventually(PATIENCE_MS, () => this.#expectBilled(east)));
      printFigure('east is billed after the restart', seconds(ms));
    });
    written.print();
    await this.#check();
  }

  async close(): Promise<void> {
    for (const node of this.#nodes) await node.close();
    for (const schema of Object.values(SCHEMAS)) await this.#cluster.dropSchema(schema);
  }

  get #node() {
    const [node] = this.#nodes;
    if (node === undefined) throw new Error('The cells are not open');
    return node;
  }

  async #openNode() {
    return Billing.cells({
      directory: this.#cluster.storageOf(SCHEMAS.west),
      cells: {
        west: this.#cluster.storageOf(SCHEMAS.west),
        east: this.#cluster.storageOf(SCHEMAS.east),
      },
      clock: this.#clock,
      hasher: plainHasher(),
      logger: recordingLogger(),
      pushSender: null,
      gateways: [sandboxGateway({ ledger: this.#ledger })],
    });
  }

  readonly #signUp = async ([cell, apiKey]: (typeof TENANTS)[number]): Promise<TestTenant> => {
    const { id } = await this.#node.tenants.create(
      { userName: 'operator' },
      { apiKey, apiSecret: 'secret', cell },
    );
    const acme = this.#node.as({ tenant: id, user: 'test' });
    await acme.catalogs.addSimplePlan({
      planId: PLAN,
      productName: 'Cluster',
      productCategory: 'BASE',
      currency: 'USD',
      amount: '10.00',
      billingPeriod: 'MONTHLY',
    });
    const accountIds = await inParallel([...Array(ACCOUNTS).keys()], AT_A_TIME, async () => {
      const account = await acme.createAccount({ currency: 'USD' });
      await acme.addPaymentMethod({ accountId: account.id, pluginName: 'sandbox', isDefault: true });
      await acme.createSubscription({ accountId: account.id, planName: PLAN });
      return account.id;
    });
    return { id, cell, acme, accountIds };
  };

  #nextMonth() {
    this.#months += 1;
    this.#clock.set(new Date(Date.UTC(2024, this.#months, 2)).toISOString());
  }

  async #billMonth() {
    this.#nextMonth();
    await this.#settled();
  }

  async #settled() {
    await eventually(PATIENCE_MS, async () => {
      expect(await this.#node.settle()).to.equal(true);
    });
  }

  /** Each account has one paid invoice for each month, each payment was made once, and the check finds nothing. */
  async #check() {
    await this.#settled();
    await this.#expectBilled(this.#tenants);
    expect(await Array.fromAsync(this.#node.checks.breaches())).to.eql([]);
  }

  async #expectBilled(tenants: readonly TestTenant[]) {
    for (const { acme, accountIds } of tenants)
      for (const accountId of accountIds) {
        const invoices = await acme.invoices.ofAccount({ accountId });
        expect(invoices.map(({ balance }) => balance.toFixed())).to.eql(Array(this.#months + 1).fill('0'));
        const payments = await acme.payments.ofAccount(accountId);
        expect(payments).to.have.length(this.#months + 1);
      }
  }

  /** Creates accounts of the tenant during the work. */
  async #whileWriting(tenant: TestTenant | undefined, work: () => Promise<void>): Promise<Written> {
    if (tenant === undefined) throw new Error('The tenant does not exist');
    const written = new Written();
    let isOver = false;
    const write = async () => {
      while (!isOver) {
        await written.note(() => tenant.acme.createAccount({ currency: 'USD' }));
        await setTimeout(WRITE_PAUSE_MS);
      }
    };
    const writing = write();
    try {
      await work();
    } finally {
      isOver = true;
      await writing;
    }
    for (const id of written.ids) await tenant.acme.accounts.get(id);
    return written;
  }
}

/** Writes during a part of the script. */
class Written {
  readonly ids: Uuid[] = [];
  readonly #failures = new Map<string, number>();
  #longestMs = 0;

  /** Every failure must be BUSY, so that callers repeat the call. */
  async note(write: () => Promise<{ readonly id: Uuid }>): Promise<void> {
    const start = performance.now();
    try {
      this.ids.push((await write()).id);
    } catch (error) {
      if (!(error instanceof BillingError && error.code === ErrorCode.BUSY)) throw error;
      const { message } = error;
      this.#failures.set(message, (this.#failures.get(message) ?? 0) + 1);
    }
    this.#longestMs = Math.max(this.#longestMs, performance.now() - start);
  }

  print(): void {
    printFigure('  accounts created meanwhile', String(this.ids.length));
    printFigure('  longest call', `${Math.round(this.#longestMs)} ms`);
    for (const [message, count] of this.#failures) printFigure(`  rejected: ${count}`, message);
  }
}

async function run(command: string, { port }: ClusterNode) {
  await promisify(exec)(command.replaceAll('{port}', String(port)));
}
