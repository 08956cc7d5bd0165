import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { billingError, type CellsOptions, ErrorCode } from '../../lib/index.ts';
import { CELL_NUMBERS, PLACE_LEASE_MS } from '../../lib/values/limits.ts';
import { formatDecimal } from '../../lib/values/money/index.ts';
import { openCells, operator, type TestCells, type TestTenant } from '../support/cells.ts';
import {
  codeOf,
  endWith,
  example,
  expect,
  migrated,
  onPostgresql,
  plainHasher,
  pushableSystemClock,
  SHOP_KEYS,
  shopTemplate,
  storageOf,
  type TestDatabase,
} from '../support/index.ts';
import { rejection } from '../support/storage/opened-storage.ts';
import { newId } from '../support/storage/stored-records.ts';
import { proxied, type TcpProxy } from '../support/tcp-proxy.ts';

onPostgresql.describe('two cells', (open) => {
  let cells: TestCells;
  let west: TestTenant;
  let east: TestTenant;

  before(async () => {
    cells = await openCells(open);
    [west, east] = [await cells.shopIn('west', 'shop-west'), await cells.shopIn('east', 'shop-east')];
  });

  it('store the accounts and the queue of each tenant in the database of the tenant’s cell', async () => {
    const [ofWest, ofEast] = [await west.subscriber(), await east.subscriber()];
    expect(await cells.billing.settle()).to.equal(true);
    const [inWest, inEast] = [storageOf(cells.west), storageOf(cells.east)];
    const idsIn = async (storage: typeof inWest, { id, recordId }: TestTenant) =>
      (await storage.read({ id, recordId }, ({ accounts }) => accounts.findByIds([ofWest, ofEast]))).map(
        (account) => [account.id, account.recordId % CELL_NUMBERS],
      );
    expect(await idsIn(inWest, west)).to.eql([[ofWest, 0]]);
    expect(await idsIn(inEast, east)).to.eql([[ofEast, 1]]);
    expect(await idsIn(inWest, east)).to.eql([]);
    await Promise.all([inWest.close(), inEast.close()]);
    for (const [{ acme }, id] of [
      [west, ofWest],
      [east, ofEast],
    ] as const) {
      const [invoice] = await acme.invoices.ofAccount({ accountId: id });
      expect(invoice && formatDecimal(invoice.balance)).to.equal('0');
    }
  });

  it('are listed with their tenants and accounts', async () => {
    await west.acme.createAccount({ currency: 'USD' });
    const [first, second] = await cells.billing.cells.list();
    expect(first).to.deep.include({ name: 'west', number: 0, tenants: 1, lateEntries: 0, problem: null });
    expect(second).to.deep.include({ name: 'east', number: 1, tenants: 1, lateEntries: 0, problem: null });
    expect(first?.accounts).to.be.greaterThan(0);
    expect(await cells.billing.cells.of(east.id)).to.eql({
      tenantId: east.id,
      cell: 'east',
      otherCell: null,
      state: 'SETTLED',
    });
    expect(await codeOf(cells.billing.cells.of(newId()))).to.equal(ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID);
  });

  it('assign a new tenant to the cell with the fewest accounts', async () => {
    const { billing } = cells;
    const before = await billing.cells.list();
    const emptiest = before.toSorted((one, other) => (one.accounts ?? 0) - (other.accounts ?? 0))[0];
    const added = await billing.tenants.create(operator, { apiKey: 'added', apiSecret: 'secret' });
    expect((await billing.cells.of(added.id)).cell).to.equal(emptiest?.name);
    const again = await billing.tenants.ensure(operator, {
      apiKey: 'added',
      apiSecret: 'secret',
      cell: 'east',
    });
    expect(again.id).to.equal(added.id);
    expect(
      await codeOf(billing.tenants.create(operator, { apiKey: 'x', apiSecret: 'y', cell: 'north' })),
    ).to.equal(ErrorCode.MISSING_OR_INVALID_FIELD);
  });

  it('find only the accounts of their own tenants', async () => {
    const [ofWest, ofEast] = [
      await west.acme.createAccount({ currency: 'USD' }),
      await east.acme.createAccount({ currency: 'USD' }),
    ];
    expect(await codeOf(west.acme.getAccount(ofEast.id))).to.equal(ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID);
    expect(await codeOf(east.acme.getAccount(ofWest.id))).to.equal(ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID);
    expect((await east.acme.getAccount(ofEast.id)).id).to.equal(ofEast.id);
  });

  it('share tenants, users and API clients', async () => {
    const { billing } = cells;
    const page = await billing.tenants.page({ offset: 0, limit: 10 }, { apiKeyPrefix: 'shop-' });
    expect(page.rows.map(({ apiKey }) => apiKey)).to.eql(['shop-east', 'shop-west']);
    expect(await billing.tenants.authenticate('shop-east', 'secret')).to.deep.include({ id: east.id });
    expect(await billing.tenants.authenticate('shop-east', 'wrong')).to.equal(null);
    const node = await cells.node();
    await billing.security.users.create(
      operator,
      { name: 'anna', password: 'long enough', roles: [] },
      { allowShort: false },
    );
    expect(await node.security.authenticate('anna', 'long enough')).to.not.equal(null);
    await node.close();
  });

  it('run each operation for the tenant of its context', async () => {
    const { billing } = cells;
    const context = await billing.context({ tenant: east.id, user: 'test' });
    const account = await billing.createAccount(context, { currency: 'EUR' });
    expect((await billing.accounts.get(context, account.id)).currency).to.equal('EUR');
    expect(await codeOf(billing.accounts.get(undefined as never, account.id))).to.equal(
      ErrorCode.MISSING_OR_INVALID_FIELD,
    );
    expect(await codeOf(billing.as({ tenant: 'nobody', user: 'test' }).getAccount(account.id))).to.equal(
      ErrorCode.MISSING_OR_INVALID_FIELD,
    );
  });

  it('join a host transaction on the database of the tenant', async () => {
    if (cells.east.kind !== 'postgresql') return;
    const client = new Client(cells.east.url);
    await client.connect();
    const { billing } = cells;
    const key = 'joined';
    try {
      await client.query('begin');
      const inside = billing.as({ tenant: east.id, user: 'test' }).within(client as never);
      await inside.createAccount({ currency: 'USD', externalKey: key });
      await client.query('rollback');
      expect(await codeOf(east.acme.accounts.getByKey(key))).to.equal(
        ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_KEY,
      );
      await client.query('begin');
      const outside = billing.as({ tenant: west.id, user: 'test' }).within(client as never);
      expect(await codeOf(outside.createAccount({ currency: 'USD' }))).to.equal(
        ErrorCode.MISSING_OR_INVALID_FIELD,
      );
      await client.query('rollback');
    } finally {
      await client.end();
    }
    expect(() => billing.as({ tenant: west.id, user: 'test' }).within(42 as never)).to.throw();
  });

  it('deliver the events of one tenant, or of all tenants with one cursor', async () => {
    const { billing } = cells;
    const seen: string[] = [];
    let cursor = '';
    const onEvent = (event: { tenantId: string | null; eventType: string; cursor: string }) => {
      if (event.eventType === 'ACCOUNT_CREATION') seen.push(event.tenantId === west.id ? 'west' : 'east');
      cursor = event.cursor;
    };
    const all = await billing.events.subscribe({ onEvent });
    const { promise: ofEast, resolve } = Promise.withResolvers<string>();
    const one = await billing.events.subscribe({
      tenant: east.id,
      types: ['ACCOUNT_CREATION'],
      onEvent: ({ accountId }) => resolve(accountId ?? ''),
    });
    await west.acme.createAccount({ currency: 'USD' });
    const { id } = await east.acme.createAccount({ currency: 'USD' });
    expect(await ofEast).to.equal(id);
    while (seen.length < 2) await cells.systemClock.nextTurn();
    await all.close();
    expect(seen.toSorted()).to.eql(['east', 'west']);
    expect(cursor).to.match(/^west:\d+,east:\d+$/);
    // Continues after the cursor.
    await west.acme.createAccount({ currency: 'USD' });
    const { promise: next, resolve: received } = Promise.withResolvers<string>();
    const continued = await billing.events.subscribe({
      after: all.cursor,
      types: ['ACCOUNT_CREATION'],
      onEvent: ({ tenantId }) => received(tenantId ?? ''),
    });
    expect(await next).to.equal(west.id);
    await Promise.all([one.close(), continued.close()]);
    const listed = await billing.as({ tenant: east.id, user: 'test' }).events.list({ after: 'oldest' });
    expect(new Set(listed.events.map(({ tenantId }) => tenantId))).to.eql(new Set([east.id]));
    for (const after of ['12', [], true])
      expect(await codeOf(billing.events.subscribe({ after: after as string, onEvent }))).to.equal(
        ErrorCode.INVALID_PARAMETER,
      );
  });

  it('deliver all events of a cell that the cursor does not name, one at a time (cells §2.2 rules 2 and 3)', async () => {
    const seen: string[] = [];
    let handling = 0;
    const first = await east.acme.createAccount({ currency: 'USD' });
    const current = await cells.billing.events.subscribe({ onEvent: () => undefined });
    await current.close();
    const [after = ''] = current.cursor.split(',');
    const last = await east.acme.createAccount({ currency: 'USD' });
    const { promise: isLast, resolve } = Promise.withResolvers<void>();
    const all = await cells.billing.events.subscribe({
      after,
      types: ['ACCOUNT_CREATION'],
      onEvent: async ({ tenantId, accountId }) => {
        handling += 1;
        expect(handling).to.equal(1);
        await cells.systemClock.nextTurn();
        handling -= 1;
        seen.push(accountId ?? '');
        expect(tenantId).to.equal(east.id);
        if (accountId === last.id) resolve();
      },
    });
    await isLast;
    await all.close();
    expect(seen).to.include(first.id);
  });

  it('run the handler of a command once for each cell (cells §2 rule 8)', async () => {
    const handled: string[] = [];
    const node = await cells.node({ nodeCommands: { GREET: ({ type }) => void handled.push(type) } });
    await node.nodes.command(operator, { type: 'GREET', properties: [] });
    expect(handled).to.eql(['GREET', 'GREET']);
    await node.close();
  });

  it('serve the tenants of a cell whose queue the node does not process (cells §2 rule 10)', async () => {
    await cells.billing.settle();
    const node = await cells.node({ work: ['west'] });
    const [ofWest, ofEast] = [await west.subscriber(), await east.subscriber()];
    const invoices = async () => {
      const shops = [
        [west, ofWest],
        [east, ofEast],
      ] as const;
      const found = shops.map(([{ id }, accountId]) =>
        node.as({ tenant: id, user: 'test' }).invoices.ofAccount({ accountId }),
      );
      return (await Promise.all(found)).map(({ length }) => length);
    };
    expect(await node.settle({ tenant: { id: west.id, recordId: west.recordId } })).to.equal(true);
    expect(await invoices()).to.eql([1, 0]);
    expect(await cells.billing.settle()).to.equal(true);
    expect(await invoices()).to.eql([1, 1]);
    await node.close();
  });

  it('report their health and metrics by name', async () => {
    const health = await cells.billing.health();
    expect(health.database.healthy).to.equal(true);
    cells.billing.setInRotation(false);
    const { rotation } = await cells.billing.health();
    expect(rotation).to.eql({ healthy: false, message: 'This node is out of rotation' });
    cells.billing.setInRotation(true);
    const metrics = await cells.billing.metrics();
    const reachable = metrics.find(({ name }) => name === 'cell_reachable');
    expect(reachable?.values).to.eql([
      { labels: { cell: 'west' }, value: 1 },
      { labels: { cell: 'east' }, value: 1 },
    ]);
    const due = metrics.filter(({ name }) => name === 'queue_due_entries');
    expect(due.map(({ values }) => values.map(({ labels }) => labels.cell))).to.eql([['west', 'east']]);
    const [node, ...others] = await cells.billing.nodes.list();
    expect(others).to.eql([]);
    expect(node?.nodeName).to.equal((await cells.billing.nodes.local()).nodeName);
    expect(await cells.billing.backlog.late()).to.eql([]);
    expect(await Array.fromAsync(cells.billing.checks.breaches())).to.eql([]);
    expect(await cells.billing.checks.aheadOfClock()).to.equal(null);
  });

  it('keep responses under idempotency keys in the tenant’s cell or, for calls without a tenant, in the directory', async () => {
    const { idempotency } = cells.billing;
    for (const tenant of [null, { id: east.id, recordId: east.recordId }]) {
      const request = { tenant, key: 'once', hash: 'hash' };
      const { claim } = await idempotency.begin(request);
      if (claim === undefined) throw new Error('the key is free');
      expect(await idempotency.keep(claim, { status: 201, headers: {}, body: 'kept' })).to.equal(true);
      expect((await idempotency.begin(request)).answer?.body).to.equal('kept');
    }
  });

  it('insert the row of a tenant whose creation was interrupted', async () => {
    const directory = storageOf(cells.west);
    const model = (await directory.system.findTenantsByIds([east.id]))[0];
    if (model === undefined) throw new Error('no tenant');
    const { recordId: _recordId, ...row } = model;
    const id = newId();
    await directory.cells.insertTenant({ ...row, id, apiKey: 'interrupted' }, 'east');
    await directory.close();
    const acme = cells.billing.as({ tenant: id, user: 'test' });
    await acme.createAccount({ currency: 'USD' });
    expect((await cells.billing.cells.of(id)).state).to.equal('SETTLED');
  });

  it('decide by the row in the cell, not in the directory, whether a tenant uses the default catalog (cells §1 rule 6)', async () => {
    const node = await cells.node({
      defaultCatalog: await readFile(example('catalogs/meadow.xml'), 'utf8'),
    });
    const { id } = await node.tenants.create(operator, {
      apiKey: 'default',
      apiSecret: 'secret',
      useGlobalDefault: true,
      cell: 'east',
    });
    const { catalogs } = node.as({ tenant: id, user: 'test' });
    expect((await catalogs.current()).versions).not.to.be.empty;
    await catalogs.delete();
    expect((await catalogs.current()).versions).to.eql([]);
    expect(await node.tenants.get(id)).to.include({ useGlobalDefault: true });
    await node.close();
  });

  it('find a moved tenant no later than the end of its location lease', async () => {
    const directory = storageOf(cells.west);
    const moved = await cells.shopIn('west', 'moved');
    await moved.acme.createAccount({ currency: 'USD', externalKey: 'before' });
    const inEast = storageOf(cells.east);
    const [row] = await directory.system.findTenantsByIds([moved.id]);
    if (row === undefined) throw new Error('no tenant');
    await inEast.cells.receiveTenant(row, {
      userName: 'test',
      reasonCode: null,
      comments: null,
      createdDate: row.createdDate,
      userTokenOf: () => row.id,
    });
    expect(await directory.cells.beginMove(moved.recordId, 'east')).to.equal(true);
    cells.systemClock.push(PLACE_LEASE_MS + 1);
    expect(await moved.acme.accounts.getByKey('before')).to.deep.include({ externalKey: 'before' });
    const revision = (await directory.cells.takeMove(moved.recordId)) ?? 0;
    expect(await directory.cells.switchMove({ tenantRecordId: moved.recordId, revision })).to.equal(true);
    // A moving place is read at each call, so the switch takes effect immediately. This test has copied no rows.
    expect(await codeOf(moved.acme.accounts.getByKey('before'))).to.equal(
      ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_KEY,
    );
    await Promise.all([directory.close(), inEast.close()]);
  });
});

onPostgresql.describe('unavailable cells', (open) => {
  let cells: TestCells;
  let west: TestTenant;
  let east: TestTenant;
  let proxy: TcpProxy;
  let reached: TestDatabase;

  before(async () => {
    const database = await open(migrated);
    if (database.kind !== 'postgresql') throw new Error('this test needs PostgreSQL');
    const through = await proxied(database.url);
    proxy = through.proxy;
    reached = { ...database, url: through.url };
    cells = await openCells(open, { reach: () => reached });
    endWith(cells.west, () => proxy.close());
    [west, east] = [await cells.shopIn('west', 'shop-west'), await cells.shopIn('east', 'shop-east')];
  });

  it('do not affect calls for tenants of other cells, and are named in the error of calls for their own tenants', async () => {
    await proxy.refuse();
    const error = await rejection(east.acme.createAccount({ currency: 'USD' }));
    expect(error).to.deep.include({ code: ErrorCode.BUSY });
    expect(error.message).to.match(/^Cell "east": The database cannot be reached/);
    await west.acme.createAccount({ currency: 'USD' });
    const { billing } = cells;
    expect((await rejection(billing.backlog.late())).message).to.include('Cell "east"');
    expect((await rejection(billing.ping())).message).to.include('Cell "east"');
    const { database, queues } = await billing.health();
    expect([database.healthy, queues.healthy]).to.eql([true, true]);
    expect(database.message).to.match(/east: .*does not answer/);
    const views = await billing.cells.list();
    expect(views.map(({ accounts }) => accounts === null)).to.eql([false, true]);
    expect(views[1]?.problem).to.include('Cell "east"');
    const reachable = (await billing.metrics()).find(({ name }) => name === 'cell_reachable');
    expect(reachable?.values.map(({ value }) => value)).to.eql([1, 0]);
    const added = await billing.tenants.create(operator, { apiKey: 'added', apiSecret: 'secret' });
    expect((await billing.cells.of(added.id)).cell).to.equal('west');
  });

  it('can be opened later by a node that started without them', async () => {
    await proxy.refuse();
    const node = await cells.node({ systemClock: pushableSystemClock(20) });
    const call = () => node.as({ tenant: east.id, user: 'test' }).createAccount({ currency: 'USD' });
    expect(await codeOf(call())).to.equal(ErrorCode.BUSY);
    await node.as({ tenant: west.id, user: 'test' }).createAccount({ currency: 'USD' });
    await proxy.restore();
    const isOpen = async () => {
      const reachable = (await node.metrics()).find(({ name }) => name === 'cell_reachable');
      return reachable?.values[1]?.value === 1;
    };
    while (!(await isOpen())) await cells.systemClock.nextTurn();
    expect((await call()).currency).to.equal('USD');
    await node.close();
  });

  it('are not processed by a node that stopped before opening them', async () => {
    await proxy.refuse();
    const storage = storageOf(reached);
    const { queue } = storage;
    let isStarted = false;
    const onSignal: typeof queue.onSignal = (listener) => {
      isStarted = true;
      return queue.onSignal(listener);
    };
    Object.assign(storage, { queue: { ...queue, onSignal } });
    const node = await cells.node({
      systemClock: pushableSystemClock(20),
      cells: { west: storageOf(cells.west), east: storage },
    });
    node.start();
    await node.stop();
    await proxy.restore();
    while ((await codeOf(node.ping())) !== 'no error') await cells.systemClock.nextTurn();
    expect(isStarted).to.equal(false);
    await node.close();
  });

  it('are named in the error if they stop responding between two steps of settleThrough', async () => {
    const storage = storageOf(reached);
    const nextDue = () => Promise.reject(billingError(ErrorCode.BUSY, 'Silent', { isUnreachable: true }));
    Object.assign(storage, { queue: { ...storage.queue, nextDue } });
    const node = await cells.node({ cells: { west: storageOf(cells.west), east: storage } });
    const settling = node.settleThrough(cells.clock, '2024-01-02');
    expect((await rejection(settling)).message).to.equal('Cell "east": Silent');
    await node.close();
  });
});

onPostgresql.describe('cell options', (open) => {
  it('must be PostgreSQL storages with valid names', async () => {
    const [first, file] = [storageOf(await open(migrated)), sqlite(':memory:')];
    const refused = async (options: Partial<CellsOptions<never>>) =>
      (await rejection(Billing.cells<never>({ directory: first, cells: { west: first }, ...options })))
        .message;
    expect(await refused({ cells: {} })).to.include('needs cells');
    expect(await refused({ cells: { West: first } })).to.include('"West" is not the name of a cell');
    expect(await refused({ cells: { west: file } })).to.equal(
      'Cells need PostgreSQL, but west is a SQLite database',
    );
    expect(await refused({ directory: file })).to.include('directory is a SQLite database');
    expect(await refused({ directory: null as never })).to.include('needs a storage as directory');
    expect(await refused({ work: ['north'] })).to.include('The cells are: west');
    await Promise.all([first.close(), file.close()]);
  });

  it('cannot exchange their databases, and cannot include a database that contains data', async () => {
    const cells = await openCells(open);
    const renamed = Billing.cells<never>({
      directory: storageOf(cells.west),
      cells: { west: storageOf(cells.west), north: storageOf(cells.east) },
    });
    expect((await rejection(renamed)).message).to.include(
      'The database of the new cell "north" is the cell "east"',
    );
    const { id } = await cells.shopIn('east', 'shop');
    expect(id).to.be.a('string');
    const exchanged = Billing.cells<never>({
      directory: storageOf(cells.west),
      cells: { west: storageOf(cells.east), east: storageOf(cells.west) },
    });
    expect((await rejection(exchanged)).message).to.include('The database of cell "west" is cell 1');
    const filled = Billing.cells<never>({
      directory: storageOf(cells.west),
      cells: { west: storageOf(cells.west), north: storageOf(await open(shopTemplate(null))) },
    });
    expect((await rejection(filled)).message).to.include('The database of the new cell "north" has data');
  });

  it('can include a former single-database deployment, with its tenants, as the first cell', async () => {
    const database = await open(shopTemplate(null));
    const before = await Billing.open<never>({ storage: storageOf(database), hasher: plainHasher() });
    const { id } = await before.tenants.getByApiKey(SHOP_KEYS.apiKey);
    const account = await before.as({ tenant: id, user: 'test' }).createAccount({ currency: 'USD' });
    await before.close();
    const storage = storageOf(database);
    const billing = await Billing.cells<never>({
      directory: storage,
      cells: { west: storage, east: storageOf(await open(migrated)) },
      hasher: plainHasher(),
    });
    expect(await billing.cells.of(id)).to.deep.include({ cell: 'west', state: 'SETTLED' });
    const acme = billing.as({ tenant: id, user: 'test' });
    expect((await acme.getAccount(account.id)).id).to.equal(account.id);
    await acme.createAccount({ currency: 'USD' });
    await billing.close();
  });
});
