import { Billing } from '../../adapters/node/billwright.ts';
import { memoryLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import {
  BillingError,
  ErrorCode,
  type MoveStep,
  type PaymentGateway,
  type TenantBilling,
  type Uuid,
} from '../../lib/index.ts';
import type { PushRequest } from '../../lib/ports/index.ts';
import { isUuid } from '../../lib/values/ids/index.ts';
import { MOVE_LOOK_MS, PLACE_LEASE_MS } from '../../lib/values/limits.ts';
import { formatDecimal } from '../../lib/values/money/index.ts';
import { openTwoCells } from '../support/cells/two-cells.ts';
import { openCells, type TestCells, type TestTenant } from '../support/cells.ts';
import {
  codeOf,
  expect,
  onPostgresql,
  plainHasher,
  pushableSystemClock,
  recordingLogger,
  storageOf,
  type TestDatabase,
} from '../support/index.ts';
import { rejection } from '../support/storage/opened-storage.ts';
import { withPostgresql } from '../support/storage/statement-plans.ts';

/** Moves the tenant without waiting for the lease of places, and deletes its rows in the source at once. */
function move(
  cells: TestCells,
  { id }: Pick<TestTenant, 'id'>,
  { to, onStep = () => undefined }: { readonly to: string; readonly onStep?: (step: MoveStep) => void },
) {
  let isPushed = false;
  return cells.billing.cells.move(id, {
    to,
    cleanUpAfterMs: 0,
    onProgress: ({ step }) => {
      onStep(step);
      if (step !== 'COMPARING' || isPushed) return;
      isPushed = true;
      cells.systemClock.push(PLACE_LEASE_MS);
    },
  });
}

async function amountsOf(acme: TenantBilling, accountId: Uuid) {
  const invoices = await acme.invoices.ofAccount({ accountId });
  return invoices.map(({ invoiceDate, amount, balance }) =>
    [invoiceDate, formatDecimal(amount), formatDecimal(balance)].join(' '),
  );
}

/** Returns the keys of the tenant's accounts in this database. Those of subscribers are ids. */
async function accountKeysIn(database: TestDatabase, { recordId }: TestTenant): Promise<readonly string[]> {
  if (database.kind !== 'postgresql') return [];
  const { rows } = await withPostgresql(database.url, (client) =>
    client.query<{ external_key: string }>(
      'select external_key from bw_accounts where tenant_record_id = $1',
      [recordId],
    ),
  );
  return rows.map((row) => row.external_key).filter((key) => !isUuid(key));
}

/** Lets others work once for each tick, until the end. */
class Ticks {
  #next = Promise.withResolvers<void>();
  #isOver = false;

  tick(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  }

  end(): void {
    this.#isOver = true;
    this.#next.resolve();
  }

  /** Returns false after the end. */
  async next(): Promise<boolean> {
    if (!this.#isOver) await this.#next.promise;
    return !this.#isOver;
  }
}

const breachesOf = ({ billing }: TestCells) => Array.fromAsync(billing.checks.breaches());

onPostgresql.describe('tenant move', (open) => {
  const pushed: PushRequest[] = [];
  const received: string[] = [];
  let cells: TestCells;
  let shop: TestTenant;
  let accountId: Uuid;

  before(async () => {
    cells = await openCells(open, {
      pushSender: {
        resolve: async () => ['93.184.215.14'],
        send: async (request) => {
          pushed.push(request);
          return { status: 200 };
        },
      },
      eventSinks: [{ name: 'archive', onEvent: ({ id }) => void received.push(id) }],
    });
    shop = await cells.shopIn('west', 'moving');
    await shop.acme.keyValues.add('PUSH_NOTIFICATION_CB', 'https://example.com/cb');
    await shop.acme.signingSecrets.create();
    accountId = await shop.subscriber();
    expect(await cells.billing.settle()).to.equal(true);
  });

  it('keeps all data readable, and bills the next months in the target (cells §3.1 rule 2)', async () => {
    const { billing } = cells;
    const { acme } = shop;
    const tenant = { id: shop.id, recordId: shop.recordId };
    const request = { tenant, key: 'once', hash: 'hash' };
    const { claim } = await billing.idempotency.begin(request);
    if (claim) await billing.idempotency.keep(claim, { status: 201, headers: {}, body: 'kept' });
    const first = await acme.events.list({ limit: 3 });
    const shown = async () => ({
      account: await acme.getAccount(accountId),
      invoices: await acme.invoices.ofAccount({ accountId, withItems: true }),
      payments: await acme.payments.invoicePaymentsOfAccount(accountId),
      history: await acme.audit.history({ type: 'ACCOUNT', id: accountId }),
      events: (await acme.events.list({ limit: 100 })).events,
    });
    const before = await shown();
    await move(cells, shop, { to: 'east' });
    expect(await billing.cells.of(shop.id)).to.deep.include({ cell: 'east', state: 'SETTLED' });
    expect(await shown()).to.eql(before);
    const rest = await acme.events.list({ after: first.next, limit: 100 });
    expect([...first.events, ...rest.events]).to.eql(before.events);
    expect((await billing.idempotency.begin(request)).answer?.body).to.equal('kept');
    cells.clock.set('2024-03-02');
    expect(await billing.settle()).to.equal(true);
    expect(await amountsOf(acme, accountId)).to.eql([
      '2024-01-01 10 0',
      '2024-03-02 10 0',
      '2024-03-02 10 0',
    ]);
    expect(await breachesOf(cells)).to.eql([]);
  });

  it('pushes each event once with the same secret, and passes it to a sink once (cells §3.1 rule 5)', async () => {
    await move(cells, shop, { to: 'west' });
    await shop.acme.createAccount({ currency: 'USD' });
    cells.clock.set('2024-04-02');
    expect(await cells.billing.settle()).to.equal(true);
    expect(await amountsOf(shop.acme, accountId)).to.have.length(4);
    const ids = (await shop.acme.events.list({ limit: 1_000 })).events.map(({ id }) => id);
    const pushedIds = pushed.map(({ id }) => id);
    expect(pushedIds.length).to.be.greaterThan(10);
    expect(new Set(pushedIds).size).to.equal(pushedIds.length);
    expect(new Set(pushed.slice(2).map(({ secrets }) => secrets.join())).size).to.equal(1);
    expect(ids.filter((id) => received.filter((each) => each === id).length !== 1)).to.eql([]);
    expect(ids.filter((id) => !pushedIds.includes(id)).length).to.be.lessThan(
      ids.length - pushedIds.length + 1,
    );
    expect(await breachesOf(cells)).to.eql([]);
  });

  it('does nothing for a tenant that is already in the cell, and rejects unknown cells', async () => {
    expect(await move(cells, shop, { to: 'west' })).to.eql({ pausedMs: null });
    expect(await codeOf(move(cells, shop, { to: 'north' }))).to.equal(ErrorCode.MISSING_OR_INVALID_FIELD);
    await cells.billing.cells.undoMove(shop.id);
    expect(await cells.billing.cells.of(shop.id)).to.deep.include({ cell: 'west', state: 'SETTLED' });
  });
});

onPostgresql.describe('tenant move under load', (open) => {
  let cells: TestCells;
  let shop: TestTenant;
  let other: TestTenant;
  /** Answers of the gateway wait for this promise, after the payment has been made. */
  let answering: Promise<void> = Promise.resolve();
  const ledger = memoryLedger();
  const purchases: string[] = [];

  before(async () => {
    const sandbox = sandboxGateway({ ledger });
    const gateway: PaymentGateway = {
      ...sandbox,
      purchase: async (request, context) => {
        const result = await sandbox.purchase?.(request, context);
        purchases.push(`${request.transactionId}`);
        await answering;
        return result ?? null;
      },
    };
    cells = await openCells(open, { gateways: [gateway] });
    [shop, other] = [await cells.shopIn('west', 'busy'), await cells.shopIn('west', 'bystander')];
  });

  it('neither loses nor duplicates data while two nodes write and bill and a payment is in flight (cells §3)', async () => {
    const second = await cells.node();
    const accounts: Uuid[] = [];
    for (let index = 0; index < 4; index += 1) accounts.push(await shop.subscriber());
    const bystander = await other.subscriber();
    const payer = await shop.subscriber();
    expect(await cells.billing.settle()).to.equal(true);
    for (const node of [cells.billing, second]) node.start();

    const progress = new Ticks();
    const written: string[] = [];
    const rejected: unknown[] = [];
    const write = async (acme: TenantBilling, name: string) => {
      for (let index = 0; await progress.next(); index += 1) {
        const externalKey = `${name}-${index}`;
        try {
          await acme.createAccount({ externalKey, currency: 'USD' });
          written.push(externalKey);
        } catch (error) {
          rejected.push(error);
        }
      }
    };
    const as = { tenant: shop.id, user: 'test' };
    const writers = [write(shop.acme, 'one'), write(second.as(as), 'two'), write(other.acme, 'other')];
    cells.clock.set('2024-02-02');
    const { promise, resolve: answer } = Promise.withResolvers<void>();
    const made = purchases.length;
    answering = promise;
    const [invoice] = (await shop.acme.invoices.addCharges({
      accountId: payer,
      items: [{ amount: '7.00' }],
      autoCommit: true,
    })) as readonly { readonly invoiceId: Uuid }[];
    const paying = shop.acme.invoicePayments
      .pay({ invoiceId: invoice?.invoiceId ?? payer, amount: '7.00' })
      .catch((error: unknown) => error);
    while (purchases.length === made) await cells.systemClock.nextTurn();
    await move(cells, shop, {
      to: 'east',
      onStep: (step) => {
        progress.tick();
        if (step === 'SWITCHED') answer();
      },
    });
    answering = Promise.resolve();
    const outcome = await paying;
    // On a busy machine, the fence can reject the record of the outcome too, or the automatic payment of the
    // invoice was first.
    if (outcome instanceof BillingError)
      expect(outcome.message).to.match(/^(?:The outcome of payment|Another call is working on the payment)/);
    else expect(outcome).to.have.nested.property('transaction.status', 'UNKNOWN');
    progress.end();
    await Promise.all(writers);
    await shop.acme.createAccount({ externalKey: 'last', currency: 'USD' });
    written.push('last');
    expect(written.length).to.be.greaterThan(20);

    for (const error of rejected)
      expect(error instanceof BillingError && error.code === ErrorCode.BUSY, String(error)).to.equal(true);
    cells.clock.set('2024-02-10');
    expect(await cells.billing.settle()).to.equal(true);
    const keys = [...(await accountKeysIn(cells.east, shop)), ...(await accountKeysIn(cells.west, other))];
    expect(keys).to.have.members(written);
    expect(await accountKeysIn(cells.west, shop)).to.eql([]);
    for (const accountId of accounts)
      expect(await amountsOf(shop.acme, accountId)).to.eql(['2024-01-01 10 0', '2024-02-02 10 0']);
    expect(await amountsOf(other.acme, bystander)).to.eql(['2024-01-01 10 0', '2024-02-02 10 0']);
    expect((await amountsOf(shop.acme, payer)).filter((line) => !line.endsWith(' 0'))).to.eql([]);
    expect(new Set(purchases).size).to.equal(purchases.length);
    expect(await breachesOf(cells)).to.eql([]);
    await second.close();
  });
});

onPostgresql.describe('tenant move during a request', (open) => {
  it('stores the response under an idempotency key in the new cell if the request ends during the move (cells §2 rule 9)', async () => {
    const cells = await openTwoCells(open);
    const clock = pushableSystemClock();
    const { promise: repeated, resolve: repeat } = Promise.withResolvers<void>();
    const billing = await Billing.cells<never>({
      directory: cells.storages.west,
      cells: cells.storages,
      hasher: plainHasher(),
      systemClock: {
        ...clock,
        after: (ms, action, options) => {
          if (ms === MOVE_LOOK_MS) repeat();
          return clock.after(ms, action, options);
        },
      },
    });
    const request = { tenant: cells.tenant, key: 'key', hash: 'hash' };
    const { claim } = await billing.idempotency.begin(request);
    if (claim === undefined) throw new Error('the key is new');
    let keeping: Promise<boolean> | undefined;
    await cells.move('east', {
      watch: async (moment) => {
        if (moment === 'after directory.switchMove') clock.push(PLACE_LEASE_MS + 1);
        if (moment !== 'before directory.switchMove') return;
        keeping = billing.idempotency.keep(claim, { status: 201, headers: {}, body: 'made' });
        await Promise.race([keeping, repeated]);
      },
    });
    expect(await keeping).to.equal(true);
    expect((await billing.idempotency.begin(request)).answer?.body).to.equal('made');
    await billing.close();
    await cells.close();
  });
});

onPostgresql.describe('tenant move whose process dies while writes are stopped', (open) => {
  for (const [moment, cell] of [
    ['before directory.switchMove', 'west'],
    ['after directory.switchMove', 'east'],
  ] as const)
    it(`blocks writes of the tenant only until it counts as interrupted, and appears in the health check (${moment}, cells §3.4 rule 4)`, async () => {
      const cells = await openTwoCells(open);
      let isDead = false;
      const watch = (reached: string) => {
        isDead ||= reached === moment;
        if (isDead) throw new Error('dead');
      };
      expect((await rejection(cells.move('east', { watch }))).message).to.equal('dead');
      const billing = await Billing.cells<never>({
        directory: cells.storages.west,
        cells: cells.storages,
        hasher: plainHasher(),
        logger: recordingLogger(),
        systemClock: pushableSystemClock(20),
      });
      const acme = billing.as({ tenant: cells.tenant.id, user: 'test' });
      expect(await codeOf(acme.createAccount({}))).to.equal(ErrorCode.BUSY);
      await cells.sql('west', 'update bw_tenant_places set mover_seen_ms = 0');
      while (!(await billing.health()).queues.message?.includes(`${cells.tenant.id} was interrupted`));
      let account: unknown;
      while (account === undefined) account = await acme.createAccount({}).catch(() => undefined);
      expect(await billing.cells.of(cells.tenant.id)).to.deep.include({ cell });
      const views = await billing.cells.list();
      expect(views.flatMap(({ unfinishedMoves }) => unfinishedMoves)).to.eql([
        { tenantId: cells.tenant.id, isInterrupted: true },
      ]);
      await billing.close();
      await cells.close();
    });
});

onPostgresql.describe('tenant move without the directory', (open) => {
  it('prevents a node from serving the tenant, but not other tenants (cells §2 rule 3)', async () => {
    const cells = await openTwoCells(open);
    const other = await cells.newTenant('west');
    let isAway = false;
    const directory = storageOf(cells.databases.west);
    const answering = async () => {
      if (isAway) throw new Error('The directory does not answer');
    };
    const { revision, places } = directory.cells;
    Object.assign(directory, {
      cells: {
        ...directory.cells,
        revision: () => answering().then(revision),
        places: (...asked: Parameters<typeof places>) => answering().then(() => places(...asked)),
      },
    });
    const clock = pushableSystemClock();
    const billing = await Billing.cells<never>({
      directory,
      cells: cells.storages,
      hasher: plainHasher(),
      logger: recordingLogger(),
      systemClock: clock,
    });
    const moved = billing.as({ tenant: cells.tenant, user: 'test' });
    const stays = billing.as({ tenant: other, user: 'test' });
    const [{ id }, account] = [await moved.createAccount({}), await stays.createAccount({})];
    isAway = true;
    await cells.move('east');
    clock.push(PLACE_LEASE_MS + 1);
    expect(await codeOf(moved.getAccount(id))).to.equal(ErrorCode.BUSY);
    expect((await stays.getAccount(account.id)).id).to.equal(account.id);
    isAway = false;
    clock.push(PLACE_LEASE_MS + 1);
    while ((await codeOf(moved.getAccount(id))) !== 'no error') await clock.nextTurn();
    await billing.close();
    await cells.close();
  });
});

onPostgresql.describe('tenant move with event subscriptions', (open) => {
  it('lets a subscription that is opened during the move receive the tenant’s events (cells §2.2 rule 1)', async () => {
    const cells = await openTwoCells(open);
    const { events } = cells.storages.west;
    const clock = pushableSystemClock();
    let moving: Promise<unknown> | undefined;
    Object.assign(cells.storages.west, {
      events: {
        ...events,
        horizon: async (tenantRecordId: number | null) => {
          if (tenantRecordId === cells.tenant.recordId) {
            moving ??= cells.move('east');
            await moving;
            clock.push(PLACE_LEASE_MS + 1);
            await billing.cells.of(cells.tenant.id);
          }
          return events.horizon(tenantRecordId);
        },
      },
    });
    const billing = await Billing.cells<never>({
      directory: cells.storages.west,
      cells: cells.storages,
      hasher: plainHasher(),
      systemClock: clock,
    });
    const { promise: received, resolve: receive } = Promise.withResolvers<string | null>();
    await billing.events.subscribe({
      tenant: cells.tenant.id,
      types: ['ACCOUNT_CREATION'],
      onEvent: ({ accountId }) => receive(accountId),
    });
    const acme = billing.as({ tenant: cells.tenant.id, user: 'test' });
    const { id } = await acme.createAccount({ currency: 'USD' });
    expect(await received).to.equal(id);
    await billing.close();
    await cells.close();
  });
});
