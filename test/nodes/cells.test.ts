import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock, memoryLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import type { CellsBilling, TenantBilling, Uuid } from '../../lib/index.ts';
import { BillingError, ErrorCode } from '../../lib/values/errors/index.ts';
import { formatDecimal } from '../../lib/values/money/index.ts';
import {
  expect,
  freshDatabase,
  migrated,
  plainHasher,
  storageOf,
  type TestDatabase,
} from '../support/index.ts';
import { startPostgresql } from '../support/postgresql-server.ts';
import { pushableSystemClock, recordingLogger } from '../support/system-time.ts';
import { proxied, type TcpProxy } from '../support/tcp-proxy.ts';

const NODES = 4;
const MONTHS = 12;

/** Four tenants, two on each server. */
const TENANTS = { north: 'west', south: 'west', orient: 'east', levant: 'east' } as const;

describe('four nodes over cells on two servers', () => {
  const clock = fakeClock('2024-01-01T00:00:00Z');
  const payers = new Map<string, { readonly acme: TenantBilling; readonly accountId: Uuid }>();
  let server: Awaited<ReturnType<typeof startPostgresql>>;
  let nodes: readonly CellsBilling[] = [];
  let proxy: TcpProxy;
  let directory: TestDatabase;
  let east: TestDatabase;

  before(async () => {
    directory = await freshDatabase('postgresql', migrated);
    server = await startPostgresql();
    await server.administer('create database east owner billwright');
    await migrated.prepare({ kind: 'postgresql', url: server.url('east') });
    const through = await proxied(server.url('east'));
    proxy = through.proxy;
    east = { kind: 'postgresql', url: through.url };
    const gateway = sandboxGateway({ ledger: memoryLedger() });
    const opened: CellsBilling[] = [];
    for (let index = 0; index < NODES; index += 1) {
      const storage = storageOf(directory);
      opened.push(
        await Billing.cells<never>({
          directory: storage,
          cells: { west: storage, east: storageOf(east) },
          clock,
          systemClock: pushableSystemClock(200),
          hasher: plainHasher(),
          pushSender: null,
          logger: recordingLogger(),
          gateways: [gateway],
          nodeName: `node-${index}`,
        }),
      );
    }
    nodes = opened;
    for (const [index, [apiKey, cell]] of Object.entries(TENANTS).entries()) {
      const node = nodes[index % NODES] as CellsBilling;
      const { id } = await node.tenants.create({ userName: 'test' }, { apiKey, apiSecret: 'secret', cell });
      const acme = (nodes[(index + 1) % NODES] as CellsBilling).as({ tenant: id, user: 'test' });
      await acme.catalogs.addSimplePlan({
        planId: 'lamp-monthly',
        productName: 'Lamp',
        productCategory: 'BASE',
        currency: 'USD',
        amount: '10.00',
        billingPeriod: 'MONTHLY',
      });
      const account = await acme.createAccount({ currency: 'USD' });
      await acme.addPaymentMethod({ accountId: account.id, pluginName: gateway.name, isDefault: true });
      await acme.createSubscription({ accountId: account.id, planName: 'lamp-monthly' });
      payers.set(apiKey, { acme, accountId: account.id });
    }
    for (const node of nodes) node.start();
  });

  after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await proxy.close();
    await server.stop();
  });

  /** Resolves when the accounts have this number of paid invoices. */
  async function paid(count: number, apiKeys: readonly string[]): Promise<void> {
    for (const apiKey of apiKeys) {
      for (;;) {
        const invoices = await paidInvoices(apiKey);
        if (invoices.length >= count) break;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  async function paidInvoices(apiKey: string): Promise<readonly string[]> {
    const { acme, accountId } = payers.get(apiKey) ?? {};
    if (acme === undefined || accountId === undefined) throw new Error(`no tenant ${apiKey}`);
    const invoices = await acme.invoices.ofAccount({ accountId });
    return invoices
      .filter(({ balance }) => formatDecimal(balance) === '0')
      .map(({ invoiceDate }) => String(invoiceDate));
  }

  /** Resolves when the tenant's cell responds. A node rejects calls for up to a second after a failed probe. */
  async function reachable(apiKey: string): Promise<void> {
    for (;;) {
      const error = await paidInvoices(apiKey).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (error === null) return;
      if (!(error instanceof BillingError && error.code === ErrorCode.BUSY)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  it('bill every tenant once a month for a year, even if one cell is down temporarily', async () => {
    const ofCell = (cell: string) =>
      Object.entries(TENANTS).flatMap(([apiKey, each]) => (each === cell ? [apiKey] : []));
    const months = Array.from(
      { length: MONTHS },
      (_, index) => `2024-${String(index + 1).padStart(2, '0')}-01`,
    );
    for (const [index, month] of months.entries()) {
      const isDown = index === 5;
      if (isDown) await proxy.refuse();
      clock.set(`${month}T00:00:00Z`);
      await paid(index + 1, ofCell('west'));
      if (isDown) {
        const { acme } = payers.get('orient') ?? {};
        const error = await acme?.createAccount({ currency: 'USD' }).catch((thrown: Error) => thrown);
        expect(error).to.be.an('error').with.property('message').that.includes('Cell "east"');
        await proxy.restore();
        await Promise.all(ofCell('east').map(reachable));
      }
      await paid(index + 1, ofCell('east'));
    }
    for (const apiKey of Object.keys(TENANTS)) expect(await paidInvoices(apiKey), apiKey).to.eql(months);
    const [node] = nodes;
    expect(await Array.fromAsync(node?.checks.breaches() ?? [])).to.eql([]);
    expect(await node?.cells.list()).to.have.length(2);
    expect((await node?.nodes.list())?.map(({ nodeName }) => nodeName).toSorted()).to.eql(
      Array.from({ length: NODES }, (_, index) => `node-${index}`),
    );
  }).timeout(240_000);
});
