import { setTimeout } from 'node:timers/promises';
import { type CountedDatabase, counted, type Traffic } from '../support/database-traffic.ts';
import {
  createAccount,
  expect,
  expectStatus,
  onPostgresql,
  populate,
  type Reply,
  type Serving,
  serve,
  serveInTestMode,
  type World,
} from '../support/http/index.ts';
import { migrated } from '../support/storage.ts';

interface Call {
  readonly name: string;
  /** The statements of a call, including those that begin and end its transactions, and the round trips. */
  readonly takes: Traffic;
  /** Creates the objects of one call, and returns the call. */
  readonly prepare: (world: World) => Promise<() => Promise<unknown>>;
}

const reading =
  (pathOf: (world: World) => string): Call['prepare'] =>
  async (world) =>
  () =>
    found(world.serving.get(pathOf(world)));

const readAccount = reading(({ accountId }) => `/accounts/${accountId}`);

const calls: readonly Call[] = [
  {
    name: 'an account',
    takes: { statements: 4, roundTrips: 2 },
    prepare: readAccount,
  },
  {
    name: 'the invoices of an account with their items',
    takes: { statements: 9, roundTrips: 3 },
    prepare: reading(({ accountId }) => `/accounts/${accountId}/invoices?includeInvoiceComponents=true`),
  },
  {
    name: 'the invoices of an account without their items',
    takes: { statements: 7, roundTrips: 3 },
    prepare: reading(({ accountId }) => `/accounts/${accountId}/invoices`),
  },
  {
    name: 'an invoice',
    takes: { statements: 9, roundTrips: 3 },
    prepare: reading(({ invoiceId }) => `/invoices/${invoiceId}`),
  },
  {
    name: 'a dry run a year ahead',
    takes: { statements: 21, roundTrips: 6 },
    prepare: async ({ serving, accountId }) => {
      const path = `/invoices/dryRun?accountId=${accountId}&targetDate=2025-02-10`;
      return () => found(serving.post(path, { dryRunType: 'TARGET_DATE' }));
    },
  },
  {
    name: 'a new account',
    takes: { statements: 9, roundTrips: 3 },
    prepare:
      async ({ serving }) =>
      () =>
        created(serving.post('/accounts', { currency: 'USD', name: 'Ada' })),
  },
  {
    name: 'a new default payment method',
    takes: { statements: 12, roundTrips: 4 },
    prepare: async ({ serving }) => {
      const accountId = await createAccount(serving);
      return () => addMethod(serving, accountId);
    },
  },
  {
    name: 'a new subscription',
    takes: { statements: 16, roundTrips: 4 },
    prepare: async ({ serving }) => {
      const accountId = await createPayer(serving);
      return () => subscribe(serving, accountId);
    },
  },
  {
    name: 'the work after a new subscription until it is invoiced and paid',
    takes: { statements: 77, roundTrips: 25 },
    prepare: async ({ serving }) => {
      const accountId = await createPayer(serving);
      // The queue searches for expired leases once a second. It does so now, not during the counted work.
      await setTimeout(1_000);
      await serving.billing.settle();
      await subscribe(serving, accountId);
      return () => serving.billing.settle();
    },
  },
  {
    name: 'a usage record',
    takes: { statements: 12, roundTrips: 4 },
    prepare: async ({ serving, subscriptionId, next }) => {
      const usageRecords = [{ recordDate: '2024-02-10', amount: 1 }];
      const body = {
        subscriptionId,
        trackingId: `t-${next()}`,
        unitUsageRecords: [{ unitType: 'calls', usageRecords }],
      };
      return () => created(serving.post('/usages', body));
    },
  },
];

async function createPayer(serving: Serving): Promise<string> {
  const accountId = await createAccount(serving);
  await addMethod(serving, accountId);
  return accountId;
}

function addMethod({ post }: Serving, accountId: string): Promise<Reply> {
  const body = { pluginName: '__EXTERNAL_PAYMENT__', pluginInfo: {} };
  return created(post(`/accounts/${accountId}/paymentMethods?isDefault=true`, body));
}

function subscribe({ post }: Serving, accountId: string): Promise<Reply> {
  return created(post('/subscriptions', { accountId, planName: 'canopy-monthly' }));
}

async function created(reply: Promise<Reply>): Promise<Reply> {
  return expectStatus(await reply, 201);
}

async function found(reply: Promise<Reply>): Promise<Reply> {
  return expectStatus(await reply, 200);
}

onPostgresql.describe('SQL statements and round trips of an HTTP request', (open) => {
  // With cells, some of the statements go to the directory.
  const oneDatabase = { areCells: false };
  let traffic: CountedDatabase;
  let world: World;
  before(async () => {
    traffic = await counted(await open(migrated));
    world = await populate(await serve(traffic.database, oneDatabase), { declaresQuota: false });
  });
  after(async () => {
    await world.serving.close();
    await traffic.close();
  });

  for (const { name, takes, prepare } of calls) {
    it(`total ${takes.statements} and ${takes.roundTrips} for ${name}`, async () => {
      // The first call fills the caches.
      await (await prepare(world))();
      expect(await taken(await prepare(world))).to.eql(takes);
    });
  }

  it('total 6 and 3, respectively, when an account is read in test mode', async () => {
    const serving = await serveInTestMode(traffic.database, oneDatabase);
    try {
      const inTestMode = { ...world, serving };
      await (await readAccount(inTestMode))();
      expect(await taken(await readAccount(inTestMode), serving)).to.eql({ statements: 6, roundTrips: 3 });
    } finally {
      await serving.close();
    }
  });

  function taken(call: () => Promise<unknown>, { storage } = world.serving): Promise<Traffic> {
    return traffic.during(storage, call);
  }
});
