import { setTimeout } from 'node:timers/promises';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { type FakeClock, fakeClock, memoryLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import { BillingError, ErrorCode, type TenantBilling, type TenantRef, type Uuid } from '../../lib/index.ts';
import { signUpMany } from '../nodes/nodes.ts';
import {
  codeOf,
  expect,
  expectBelow,
  onPostgresql,
  plainHasher,
  recordingLogger,
  rowsOf,
} from '../support/index.ts';
import { type ReplicatedPostgresql, startReplicated } from '../support/replicated-postgresql.ts';
import { openShop } from '../support/shop.ts';

const ACCOUNTS = 30;
const WRITERS = 4;
/** Accounts that the writers create before the primary dies, and after the promotion. */
const WRITTEN = 30;
const PAUSE_MS = 20;
/** The primary is away for a second before the promotion, so that nodes and callers notice it. */
const AWAY_MS = 1_000;
const RECOVERED_WITHIN_MS = 15_000;
/** Pending payments are checked within a few days. */
const MOST_DAYS = 20;

onPostgresql.describe('failover to a standby', () => {
  let servers: ReplicatedPostgresql;
  let nodes: Billing<never>[];
  let clock: FakeClock;
  let ledger: ReturnType<typeof memoryLedger>;
  let acme: TenantBilling;
  let tenant: TenantRef;
  let accountIds: readonly Uuid[];

  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => {
    nodes = [];
    clock = fakeClock('2024-01-01T00:00:00Z');
    ledger = memoryLedger();
  });
  afterEach(async () => {
    for (const node of nodes) await node.close();
    await servers.stop();
  });

  async function openNode(): Promise<Billing<never>> {
    const billing = await Billing.open<never>({
      storage: postgresql({ url: servers.url('billing'), migrate: true, poolSize: 5 }),
      clock,
      hasher: plainHasher(),
      logger: recordingLogger(),
      pushSender: null,
      gateways: [sandboxGateway({ ledger })],
    });
    nodes.push(billing);
    return billing;
  }

  /** Starts the servers and a node with accounts that have paid their first month. */
  async function begin(input: { readonly isSynchronous: boolean; readonly accounts: number }) {
    servers = await startReplicated(input.isSynchronous);
    await servers.primary.administer('create database billing owner billwright');
    const billing = await openNode();
    ({ acme, tenant } = await openShop(billing));
    accountIds = await signUpMany(acme, input.accounts);
    await billing.settle();
    return billing;
  }

  /**
   * Creates an account with this key, and repeats the call until it is acknowledged. Returns the number of attempts.
   */
  async function write(billing: Billing<never>, externalKey: string): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await billing.as({ tenant, user: 'load' }).createAccount({ externalKey, currency: 'USD' });
        return attempt;
      } catch (error) {
        if (!(error instanceof BillingError)) throw error;
        // A commit whose response was lost.
        if (attempt > 1 && error.code === ErrorCode.ACCOUNT_ALREADY_EXISTS) return attempt;
        if (error.code !== ErrorCode.BUSY && error.code !== ErrorCode.NO_ROOM) throw error;
        await setTimeout(PAUSE_MS);
      }
    }
  }

  const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await setTimeout(PAUSE_MS);
  };

  /** Repeats a call while pooled connections still lead to the former primary. */
  async function whenReachable<T>(call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof BillingError) || error.code !== ErrorCode.BUSY) throw error;
        await setTimeout(PAUSE_MS);
      }
    }
  }

  /** Waits until the standby has received all changes. */
  const caughtUp = () =>
    until(async () => {
      const [link] = await servers.primary.administer(
        'select flush_lsn = pg_current_wal_lsn() as has_all from pg_stat_replication',
      );
      return link?.has_all === true;
    });

  const breaches = (billing: Billing<never>) => Array.fromAsync(billing.checks.breaches(tenant));

  const countOf = async (table: string): Promise<number> => {
    const database = { kind: 'postgresql', url: servers.standby.url('billing') } as const;
    const [row] = await rowsOf(database, `select count(*)::int as n from ${table}`);
    return Number(row?.n);
  };

  const owing = async (): Promise<number> => {
    const balances = await acme.accounts.balances(accountIds);
    return [...balances.values()].filter(({ accountBalance }) => !accountBalance.isZero()).length;
  };

  /** Moves the clock until payments with an unknown outcome have been checked. */
  async function allPaid(billing: Billing<never>): Promise<void> {
    for (let days = 0; days < MOST_DAYS && (await owing()) > 0; days += 1) {
      clock.advance({ days: 1 });
      await billing.settle();
    }
    expect(await owing()).to.equal(0);
  }

  it('keeps all acknowledged changes and continues within seconds if the replication is synchronous', async () => {
    const north = await begin({ isSynchronous: true, accounts: ACCOUNTS });
    const south = await openNode();
    const user = { name: 'ada', password: 'ada', roles: [] };
    await north.security.users.create({ userName: 'test' }, user, { allowShort: true });
    expect(await north.security.principal('USER', 'ada')).to.include({ name: 'ada' });
    for (const node of nodes) node.start();
    const acknowledged: string[] = [];
    let isOver = false;
    let repeated = 0;
    const writing = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let index = 0; !isOver; index += 1) {
        const key = `load-${writer}-${index}`;
        if ((await write(writer % 2 === 0 ? north : south, key)) > 1) repeated += 1;
        acknowledged.push(key);
      }
    });
    clock.set('2024-02-01T00:00:00Z');
    await until(() => acknowledged.length >= WRITTEN);

    await servers.primary.crash();
    await setTimeout(AWAY_MS);
    await servers.promote();
    const promotedAtMs = performance.now();
    const before = acknowledged.length;
    await until(() => acknowledged.length >= before + WRITTEN && ledger.all().length === 2 * ACCOUNTS);
    expectBelow(RECOVERED_WITHIN_MS, performance.now() - promotedAtMs, 'milliseconds');
    await whenReachable(() => south.security.users.deactivate({ userName: 'test' }, 'ada'));
    const ada = await whenReachable(() => north.security.principal('USER', 'ada'));
    expect(ada, 'a cached user').to.equal(null);
    isOver = true;
    await Promise.all(writing);
    expect(repeated).to.be.greaterThan(0);

    for (const node of nodes) expect(await node.settle()).to.equal(true);
    await allPaid(north);
    expect(ledger.all()).to.have.length(2 * ACCOUNTS);
    for (const id of accountIds) expect(await acme.invoices.ofAccount({ accountId: id })).to.have.length(2);
    for (const key of acknowledged) await acme.accounts.getByKey(key);
    expect(await countOf('bw_accounts')).to.equal(ACCOUNTS + acknowledged.length);
    expect(await breaches(north)).to.eql([]);
  });

  it('directs new connections to the promoted standby once the primary rejects writes', async () => {
    const billing = await begin({ isSynchronous: false, accounts: 1 });
    await write(billing, 'before');
    for (const each of ['alter system set default_transaction_read_only = on', 'select pg_reload_conf()'])
      await servers.primary.administer(each);
    // The sessions learn of the setting a little later.
    await until(async () => (await codeOf(acme.createAccount({ currency: 'USD' }))) === ErrorCode.NO_ROOM);
    await caughtUp();
    await servers.promote();
    await write(billing, 'after');
    await acme.accounts.getByKey('before');
    expect(await breaches(billing)).to.eql([]);
  });

  it('repeats lost work, including charges, if the standby lagged, and leaves consistent data', async () => {
    const billing = await begin({ isSynchronous: false, accounts: 1 });
    await write(billing, 'replicated');
    await caughtUp();
    // Ends the streaming.
    for (const each of [`alter system set primary_conninfo = ''`, 'select pg_reload_conf()'])
      await servers.standby.administer(each);
    await until(
      async () => (await servers.primary.administer('select from pg_stat_replication')).length === 0,
    );
    await write(billing, 'lost');
    clock.set('2024-02-01T00:00:00Z');
    await billing.settle();
    expect(ledger.all()).to.have.length(2);

    await servers.primary.crash();
    await servers.promote();
    await write(billing, 'later');
    expect(await codeOf(acme.accounts.getByKey('lost'))).to.equal(ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_KEY);
    await acme.accounts.getByKey('replicated');
    expect(await breaches(billing)).to.eql([]);
    await billing.settle();
    expect(await owing()).to.equal(0);
    expect(ledger.all(), 'the charge of February was lost and is made again').to.have.length(3);
    expect(await breaches(billing)).to.eql([]);
  });
});
