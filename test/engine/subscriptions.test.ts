import { readFile } from 'node:fs/promises';
import { scryptHasher, uuidGenerator } from '../../adapters/node/index.ts';
import { type FakeClock, fakeClock } from '../../adapters/testing/index.ts';
import { AccountService } from '../../lib/accounts/index.ts';
import { type CatalogService, catalogService, pluginCatalogs } from '../../lib/catalog/index.ts';
import { subscriptionCoupons } from '../../lib/coupons/index.ts';
import type { Account, CallContext, LocalDate, TenantRef, Uuid } from '../../lib/index.ts';
import {
  type BillingError,
  BusEventType,
  decimal,
  ErrorCode,
  formatInstant,
  formatLocalDate,
  parseLocalDate,
  QueueName,
} from '../../lib/index.ts';
import { billAfterMovedDay, loadBalances } from '../../lib/invoicing/index.ts';
import { type ClaimedEntry, LeaseLostError, type Storage } from '../../lib/ports/storage/index.ts';
import type { HandlerBatch, QueueHandler } from '../../lib/runtime/index.ts';
import { Dispatcher, hasWork } from '../../lib/runtime/index.ts';
import type { CreateSubscriptionOptions, CreateSubscriptionRequest } from '../../lib/subscriptions/index.ts';
import {
  bundleOperations,
  creationOperations,
  entitlementControl,
  lifecycleOperations,
  outlineOperations,
  subscriptionEventHandler,
  subscriptionReadOperations,
  trialNotices,
} from '../../lib/subscriptions/index.ts';
import { DEFAULT_TENANT_SETTINGS, type TenantService, tenantService } from '../../lib/tenants/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import {
  codeOf,
  expect,
  expectCode,
  fixture,
  migrated,
  pushableSystemClock,
  recordingLogger,
  storageOf,
} from '../support/index.ts';
import { author } from '../support/storage/stored-records.ts';

const exampleXml = fixture('catalogs/spec-example.xml');
const TOPICS = [QueueName.SUBSCRIPTION_EVENTS, QueueName.ENTITLEMENT_EVENTS];
const SETTLE_MS = 60_000;
const LEASE_MS = 60_000;
const trials = trialNotices(async () => DEFAULT_TENANT_SETTINGS);

eachDatabaseByTurns.describe('subscription service', (open, kind) => {
  const ids = uuidGenerator();
  const logger = recordingLogger();
  const statements: string[] = [];
  let systemClock: ReturnType<typeof pushableSystemClock>;
  let storage: Storage<never>;
  let clock: FakeClock;
  let tenant: TenantRef;
  let customer: Account;
  let tenants: TenantService;
  let accounts: AccountService;
  let catalogs: CatalogService;
  let control: ReturnType<typeof entitlementControl>;
  let creations: ReturnType<typeof creationOperations>;
  let subscriptions: ReturnType<typeof subscriptionReadOperations>;
  let handler: ReturnType<typeof subscriptionEventHandler>;
  let dispatcher: Dispatcher;
  let published: string[];

  beforeEach(async () => {
    systemClock = pushableSystemClock();
    storage = storageOf(await open(migrated), (statement) => statements.push(statement));
    clock = fakeClock('2024-03-01T09:15:00Z');
    const ports = { storage, clock, ids, hasher: scryptHasher(), systemClock, logger };
    tenants = tenantService(ports);
    accounts = new AccountService(ports, async () => DEFAULT_TENANT_SETTINGS, {
      billAfterMovedDay,
      loadBalances,
    });
    catalogs = catalogService(ports, { plugins: pluginCatalogs([], { systemClock }) });
    control = entitlementControl(ports, []);
    creations = creationOperations(ports, catalogs, {
      control,
      trials,
      coupons: subscriptionCoupons(() => ids.next()),
    });
    subscriptions = subscriptionReadOperations(ports, catalogs, outlineOperations(ports, catalogs));
    handler = subscriptionEventHandler(ports, catalogs, trials);
    published = [];
    const handlers = [handler, listener()];
    await storage.prepare({ isConsumed: (event, at) => hasWork(handlers, event, at) });
    dispatcher = new Dispatcher(ports, { handlers, tenantOf: async () => tenant, node: 'n1' });
    tenant = await newTenant('shop');
    customer = await newAccount();
  });

  afterEach(async () => {
    await dispatcher.stop();
    await storage.close();
  });

  async function newTenant(apiKey: string): Promise<TenantRef> {
    const made = await tenants.create({ userName: 'test' }, { apiKey, apiSecret: 'secret' });
    const ref = await tenants.refOf(made.id);
    await catalogs.upload(context(ref), await readFile(exampleXml));
    return ref;
  }

  const newAccount = (of: TenantRef = tenant) => accounts.create(context(of), { currency: 'USD' });

  function context(of: TenantRef = tenant): CallContext {
    return {
      tenant: of,
      userName: 'test',
      principal: null,
      reasonCode: null,
      comments: null,
      userToken: ids.next(),
      callOrigin: 'TEST',
      createdDate: clock.now(),
    };
  }

  /** Returns a handler that records every subscription event, in the order of the queue. */
  function listener(): QueueHandler {
    return {
      name: 'listener',
      topics: Object.values(BusEventType).filter((type) => /^(SUBSCRIPTION|ENTITLEMENT)_/.test(type)),
      async handle(batch: HandlerBatch) {
        for (const { topic, payload } of batch.entries) {
          const { actionType, targetDate, effectiveDate, subscriptionChangeUndo } = payload;
          const when =
            actionType === 'EFFECTIVE' ? targetDate : actionType === undefined ? effectiveDate : undefined;
          published.push(
            [topic, actionType, when, subscriptionChangeUndo && 'undo'].filter(Boolean).join(' '),
          );
        }
      },
    };
  }

  function create(
    request: Omit<CreateSubscriptionRequest, 'accountId'>,
    options: CreateSubscriptionOptions = {},
    account: Account = customer,
  ): Promise<{ readonly subscriptionId: Uuid; readonly bundleId: Uuid }> {
    return creations.create(context(), { accountId: account.id, ...request }, options);
  }

  async function settle(): Promise<void> {
    expect(await dispatcher.settle(null, SETTLE_MS), 'settled in time').to.equal(true);
  }

  /** Moves the clock, does the due work, and returns its events. */
  async function publishedBy(when: string): Promise<readonly string[]> {
    await settle();
    published.length = 0;
    clock.set(when);
    await settle();
    return [...published];
  }

  async function rowsOf(subscriptionId: Uuid): Promise<readonly string[]> {
    const { events } = await subscriptions.get(context(), subscriptionId);
    return events.map((event) => `${event.eventType} ${formatInstant(event.effective.at)}`);
  }

  const on = (date: string): { readonly date: LocalDate } => ({ date: parseLocalDate(date) });

  describe('for creation and reads', () => {
    it('stores, publishes and returns the subscription (subscriptions W3 "Create")', async () => {
      const { subscriptionId, bundleId } = await create({ planName: 'pro-monthly' });
      await settle();

      expect(await rowsOf(subscriptionId)).to.eql([
        'START_ENTITLEMENT 2024-03-01T09:15:00.000Z',
        'START_BILLING 2024-03-01T09:15:00.000Z',
        'PHASE 2024-03-31T09:15:00.000Z',
      ]);
      expect(published).to.eql([
        'SUBSCRIPTION_CREATION REQUESTED',
        'SUBSCRIPTION_CREATION EFFECTIVE 2024-03-01',
        'ENTITLEMENT_CREATION 2024-03-01T09:15:00.000Z',
      ]);
      const view = await subscriptions.get(context(), subscriptionId);
      expect(view).to.include({ bundleId, state: 'ACTIVE', phaseType: 'TRIAL', chargedThrough: null });
      expect(view.prices.map((price) => price.phaseName)).to.eql([
        'pro-monthly-trial',
        'pro-monthly-evergreen',
      ]);
      expect(await publishedBy('2024-03-31T09:15:00Z')).to.eql(['SUBSCRIPTION_PHASE EFFECTIVE 2024-03-31']);
      expect(await subscriptions.get(context(), subscriptionId)).to.include({ phaseType: 'EVERGREEN' });
    });

    it('publishes each event on its date (subscriptions W4 "Two dates")', async () => {
      clock.set('2024-08-07');
      const options = { entitlementDate: on('2024-08-10'), billingDate: on('2024-08-12') };
      const { subscriptionId } = await create({ planName: 'pro-monthly', quantity: 2 }, options);
      await settle();
      expect(published).to.eql(['SUBSCRIPTION_CREATION REQUESTED']);

      expect(await publishedBy('2024-08-10T08:00:00Z')).to.eql([]);
      expect(await subscriptions.get(context(), subscriptionId)).to.include({ state: 'PENDING' });
      expect(await publishedBy('2024-08-10T09:15:00Z')).to.eql([
        'ENTITLEMENT_CREATION 2024-08-10T09:15:00.000Z',
      ]);
      expect(await subscriptions.get(context(), subscriptionId)).to.include({ state: 'ACTIVE' });
      expect(await publishedBy('2024-08-12T09:15:00Z')).to.eql([
        'SUBSCRIPTION_CREATION EFFECTIVE 2024-08-12',
        'SUBSCRIPTION_QUANTITY EFFECTIVE 2024-08-12',
      ]);
      expect(await publishedBy('2024-12-01')).to.eql(['SUBSCRIPTION_PHASE EFFECTIVE 2024-09-11']);
    });

    it('publishes all past events of a backdated creation together', async () => {
      const { subscriptionId } = await create({ planName: 'term-3m' }, { billingDate: on('2023-10-01') });
      await settle();
      expect(published).to.eql([
        'SUBSCRIPTION_CREATION REQUESTED',
        'SUBSCRIPTION_CREATION EFFECTIVE 2023-10-01',
        'SUBSCRIPTION_EXPIRED EFFECTIVE 2024-01-01',
        'ENTITLEMENT_CREATION 2024-03-01T09:15:00.000Z',
      ]);
      expect(await subscriptions.get(context(), subscriptionId)).to.include({ state: 'EXPIRED' });
    });

    it('ends a base subscription when its term expires (subscriptions W18 "Fixed term")', async () => {
      const { subscriptionId } = await create({ planName: 'term-3m' });
      expect(await publishedBy('2024-05-31')).to.eql([]);
      expect(await publishedBy('2024-06-01T09:15:00Z')).to.eql(['SUBSCRIPTION_EXPIRED EFFECTIVE 2024-06-01']);
      expect(await subscriptions.get(context(), subscriptionId)).to.include({
        state: 'EXPIRED',
        cancelled: null,
      });
    });

    it('publishes changes, ends, reversals and pending changes as they take effect', async () => {
      const lifecycles = lifecycleOperations({ storage, ids }, catalogs, {
        control,
        trials,
        coupons: subscriptionCoupons(() => ids.next()),
      });
      const { subscriptionId } = await create({ planName: 'solo-now' });
      await settle();
      published.length = 0;
      await lifecycles.changePlan(context(), subscriptionId, {
        planName: 'team-now',
        requestedDate: on('2024-04-01'),
      });
      await lifecycles.undoChangePlan(context(), subscriptionId);
      await lifecycles.changePlan(context(), subscriptionId, {
        planName: 'team-now',
        billingPolicy: 'IMMEDIATE',
        quantity: 2,
      });
      const end = { requestedDate: on('2024-05-01'), useRequestedDateForBilling: true };
      await lifecycles.cancel(context(), subscriptionId, end);
      await lifecycles.uncancel(context(), subscriptionId);
      await settle();
      expect(published).to.eql([
        'SUBSCRIPTION_CHANGE REQUESTED',
        'SUBSCRIPTION_CHANGE REQUESTED undo',
        'SUBSCRIPTION_CHANGE EFFECTIVE 2024-03-01 undo',
        'SUBSCRIPTION_CHANGE REQUESTED',
        'SUBSCRIPTION_CREATION EFFECTIVE 2024-03-01',
        'SUBSCRIPTION_QUANTITY EFFECTIVE 2024-03-01',
        'SUBSCRIPTION_CANCEL REQUESTED',
        'SUBSCRIPTION_UNCANCEL REQUESTED',
        'SUBSCRIPTION_UNCANCEL EFFECTIVE 2024-03-01',
      ]);
      expect(await publishedBy('2024-06-01')).to.eql([]);

      await lifecycles.changePlan(context(), subscriptionId, {
        planName: 'solo-now',
        requestedDate: on('2024-07-01'),
      });
      await lifecycles.cancel(context(), subscriptionId, { ...end, requestedDate: on('2024-08-01') });
      expect(await publishedBy('2024-09-01')).to.eql([
        'SUBSCRIPTION_CHANGE EFFECTIVE 2024-07-01',
        'SUBSCRIPTION_CANCEL EFFECTIVE 2024-08-01',
        'ENTITLEMENT_CANCEL 2024-08-01T09:15:00.000Z',
      ]);
    });

    it('passes through all phases even if the clock jumps over them', async () => {
      const { subscriptionId } = await create({ planName: 'club-monthly' });
      expect(await publishedBy('2026-01-01')).to.eql([
        'SUBSCRIPTION_PHASE EFFECTIVE 2024-03-31',
        'SUBSCRIPTION_PHASE EFFECTIVE 2024-09-30',
      ]);
      expect(await rowsOf(subscriptionId)).to.have.length(4);
      expect(await publishedBy('2030-01-01')).to.eql([]);
    });

    it('finds subscriptions by key, account, filter and page', async () => {
      const first = await create({ planName: 'solo-now', externalKey: 'sub-1', bundleExternalKey: 'seat-1' });
      const second = await create({ planName: 'pro-monthly' });
      await create({ planName: 'solo-now' }, {}, await newAccount());

      expect(await subscriptions.getByKey(context(), 'sub-1')).to.include({
        subscriptionId: first.subscriptionId,
      });
      const bundleIds = async (filter = {}) =>
        (await subscriptions.bundlesOfAccount(context(), customer.id, filter)).map(
          (bundle) => bundle.bundleId,
        );
      expect(await bundleIds()).to.eql([first.bundleId, second.bundleId]);
      expect(await bundleIds({ externalKey: 'seat-1' })).to.eql([first.bundleId]);
      expect(await bundleIds({ bundleIds: [second.bundleId, ids.next()] })).to.eql([second.bundleId]);
      expect(await bundleIds({ externalKey: 'none' })).to.eql([]);

      const page = await subscriptions.pageBundlesOfAccount(context(), customer.id, { offset: 1, limit: 5 });
      expect(page).to.include({ total: 2 });
      expect(page.rows.map((bundle) => bundle.bundleId)).to.eql([second.bundleId]);
      expect(page.rows[0]?.timeline.map((row) => row.eventType)).to.eql([
        'START_ENTITLEMENT',
        'START_BILLING',
        'PHASE',
      ]);
    });

    it('adds several STANDALONE subscriptions to a bundle by key or id', async () => {
      const first = await create({ planName: 'kit-monthly', bundleExternalKey: 'kits' });
      const second = await create({ planName: 'kit-monthly', bundleExternalKey: 'kits' });
      const third = await create({ planName: 'kit-monthly', bundleId: first.bundleId });
      const [bundle, ...others] = await subscriptions.bundlesOfAccount(context(), customer.id);
      expect(others).to.eql([]);
      expect(bundle?.subscriptions.map((each) => each.subscriptionId)).to.eql([
        first.subscriptionId,
        second.subscriptionId,
        third.subscriptionId,
      ]);
      expect(bundle?.timeline).to.have.length(6);
    });

    it('makes the subscription due for invoicing from its billing start', async () => {
      const { subscriptionId } = await create({ planName: 'solo-now' }, { billingDate: on('2024-02-10') });
      const [cursor] = await cursors();
      expect(cursor).to.include({ subscriptionId, settledThrough: null, nextDueDate: null });
      expect(cursor?.dirtyFrom != null && formatLocalDate(cursor.dirtyFrom)).to.equal('2024-02-10');
    });
  });

  describe('with rejected calls', () => {
    it('stores nothing and gives the reason when it rejects a call', async () => {
      const other = await newAccount();
      const base = await create({ planName: 'solo-now', externalKey: 'taken', bundleExternalKey: 'seat-1' });
      const kit = await create({ planName: 'kit-monthly' });
      await create({ planName: 'term-3m', bundleExternalKey: 'over' }, { billingDate: on('2023-01-01') });
      const before = await stored();
      const refused: readonly (readonly [keyof typeof ErrorCode, () => Promise<unknown>])[] = [
        ['SUBSCRIPTION_EXTERNAL_KEY_EXISTS', () => create({ planName: 'solo-now', externalKey: 'taken' })],
        ['SUBSCRIPTION_CREATE_BP_EXISTS', () => create({ planName: 'solo-now', bundleId: base.bundleId })],
        [
          'SUBSCRIPTION_CREATE_BP_EXISTS',
          () => create({ planName: 'kit-monthly', bundleExternalKey: 'seat-1' }),
        ],
        [
          'SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER',
          () => create({ planName: 'solo-now', bundleId: kit.bundleId }),
        ],
        [
          'SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER',
          () => create({ planName: 'kit-monthly', bundleId: kit.bundleId }, {}, other),
        ],
        [
          'SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS',
          () => create({ planName: 'solo-now', bundleExternalKey: 'seat-1' }, {}, other),
        ],
        [
          'SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS',
          () =>
            create(
              { planName: 'solo-now', bundleExternalKey: 'over' },
              { renameKeyIfExistsAndUnused: false },
            ),
        ],
        ['SUBSCRIPTION_CREATE_NO_BP', () => create({ planName: 'backup-monthly' })],
        [
          'SUBSCRIPTION_GET_INVALID_BUNDLE_ID',
          () => create({ planName: 'kit-monthly', bundleId: ids.next() }),
        ],
        ['CATALOG_NO_SUCH_PLAN', () => create({ planName: 'gold' })],
        [
          'SUBSCRIPTION_CREATE_BAD_PHASE',
          () => create({ planName: 'solo-now', phaseType: 'TRIAL', bundleExternalKey: 'new' }),
        ],
        [
          'ACCOUNT_DOES_NOT_EXIST_FOR_ID',
          () => creations.create(context(), { accountId: ids.next(), planName: 'solo-now' }),
        ],
      ];
      for (const [code, call] of refused) await expectCode(call(), code);
      expect(await stored()).to.eql(before);
    });

    it('rejects a read of a missing object with an error that identifies the kind of object', async () => {
      await expectCode(subscriptions.get(context(), ids.next()), 'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID');
      await expectCode(
        subscriptions.getByKey(context(), 'none'),
        'SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY',
      );
      await expectCode(
        subscriptions.bundlesOfAccount(context(), ids.next()),
        'ACCOUNT_DOES_NOT_EXIST_FOR_ID',
      );
    });

    it('accepts one of two simultaneous creations with the same key', async () => {
      const other = await newAccount();
      const outcomes = await Promise.allSettled([
        create({ planName: 'solo-now', externalKey: 'one' }),
        create({ planName: 'solo-now', externalKey: 'one' }, {}, other),
      ]);
      const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(failed.map(({ reason }) => (reason as BillingError).code)).to.eql([
        ErrorCode.SUBSCRIPTION_EXTERNAL_KEY_EXISTS,
      ]);
    });

    it('hides the objects of one tenant from other tenants', async () => {
      const elsewhere = await newTenant('elsewhere');
      const stranger = await newAccount(elsewhere);
      const { subscriptionId, bundleId } = await create({
        planName: 'kit-monthly',
        externalKey: 'sub-1',
        bundleExternalKey: 'seat-1',
      });
      const there = context(elsewhere);
      await expectCode(subscriptions.get(there, subscriptionId), 'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID');
      await expectCode(subscriptions.bundlesOfAccount(there, customer.id), 'ACCOUNT_DOES_NOT_EXIST_FOR_ID');
      const request = { accountId: stranger.id, planName: 'kit-monthly' };
      await expectCode(
        creations.create(there, { ...request, bundleId }),
        'SUBSCRIPTION_GET_INVALID_BUNDLE_ID',
      );
      await expectCode(
        creations.create(there, { ...request, accountId: customer.id }),
        'ACCOUNT_DOES_NOT_EXIST_FOR_ID',
      );
      await creations.create(there, { ...request, externalKey: 'sub-1', bundleExternalKey: 'seat-1' });
    });
  });

  describe('for due work', () => {
    const jump = '2024-04-15';

    it('makes the subscription due for invoicing from the start of a stored phase', async () => {
      const { subscriptionId } = await create({ planName: 'club-monthly' });
      await saveCursor(subscriptionId, null);
      await publishedBy(jump);
      expect(await dirtyFrom()).to.equal('2024-09-30');
    });

    it('keeps an earlier due date for invoicing', async () => {
      const { subscriptionId } = await create({ planName: 'club-monthly' });
      await saveCursor(subscriptionId, parseLocalDate('2024-03-20'));
      await publishedBy(jump);
      expect(await dirtyFrom()).to.equal('2024-03-20');
    });

    it('runs due work only once, even if its claim is delivered again', async () => {
      const { subscriptionId } = await create({ planName: 'club-monthly' });
      clock.set(jump);
      const entries = await claim();
      expect(entries).to.have.length(1);
      await handler.handle(batchOf(entries).batch);
      expect(await rowsOf(subscriptionId)).to.have.length(4);

      const again = await codeOf(handler.handle(batchOf(entries).batch));
      expect(again, 'the claim has ended').to.be.instanceOf(LeaseLostError);
      expect(await rowsOf(subscriptionId)).to.have.length(4);
    });

    it('does not make an account wait for the due work of another account', async () => {
      const other = await newAccount();
      const work = {
        queueName: QueueName.SUBSCRIPTION_EVENTS,
        accountRecordId: other.recordId,
        effectiveDate: clock.now(),
        payload: { eventId: 'none' },
        uniqueKey: null,
      };
      await storage.write(tenant, author(), async (session) => session.schedule([work]));
      const { subscriptionId } = await create({ planName: 'club-monthly' });
      clock.set(jump);
      const entries = await claim();
      expect(entries).to.have.length(2);
      const { batch, failed } = batchOf(entries);
      await handler.handle(batch);
      expect(failed.map((entry) => entry.accountRecordId)).to.eql([other.recordId]);
      expect(await rowsOf(subscriptionId)).to.have.length(4);
    });

    if (kind === 'postgresql') {
      it('returns due work of a busy account to the queue, and runs that work later', async () => {
        const { subscriptionId } = await create({ planName: 'club-monthly' });
        clock.set(jump);
        const entries = await claim();
        const { batch, busy } = batchOf(entries);
        await storage.write(tenant, author(), async (session) => {
          await session.lockAccounts([customer.id], { waitMs: 0 });
          await handler.handle(batch);
        });
        expect(busy).to.eql(entries);
        expect(await rowsOf(subscriptionId)).to.have.length(3);
      });
    }
  });

  describe('for queries', () => {
    it('needs the same number of SQL statements for one bundle as for a hundred bundles', async () => {
      const single = await newAccount();
      await create({ planName: 'pro-monthly' }, {}, single);
      for (let index = 0; index < 100; index += 1) await create({ planName: 'pro-monthly' });
      const ofOne = await counted(() => subscriptions.bundlesOfAccount(context(), single.id));
      expect(await counted(() => subscriptions.bundlesOfAccount(context(), customer.id))).to.equal(ofOne);
      const outlines = outlineOperations({ storage, systemClock }, catalogs);
      const bundles = bundleOperations({ storage, ids, systemClock }, catalogs, {
        outlines,
        control,
        trials,
      });
      const pageOf = (limit: number) => counted(() => bundles.page(context(), { offset: 0, limit }));
      expect(await pageOf(100)).to.equal(await pageOf(1));
      const found = (key: Uuid) => counted(() => bundles.search(context(), key, { offset: 0, limit: 100 }));
      expect(await found(customer.id)).to.equal(await found(single.id));
    });

    it('reads a long page in parts, with one transaction for each part', async () => {
      const bundle = [{ accountId: customer.id, planName: 'pro-monthly' }];
      await creations.createBundles(
        context(),
        Array.from({ length: 450 }, () => bundle),
      );
      const outlines = outlineOperations({ storage, systemClock }, catalogs, { recordsOfWindow: 1 });
      const request = { offset: 0, limit: 1_000 };
      const page = await outlines.pageOfAccount(context(), customer.id, request);
      const sizes: number[] = [];
      const found: Uuid[] = [];
      for await (const window of page.windows) {
        sizes.push(window.outlines.length);
        for (const { bundleId } of window.outlines) found.push(bundleId);
        // No connection is held between two windows; otherwise, SQLite would wait forever.
        await subscriptions.pageBundlesOfAccount(context(), customer.id, { offset: 0, limit: 1 });
      }
      expect(sizes).to.eql([200, 200, 50]);
      expect(page).to.include({ returned: 450, total: 450 });
      const all = await subscriptions.pageBundlesOfAccount(context(), customer.id, request);
      expect(found).to.eql(all.rows.map(({ bundleId }) => bundleId));
    });

    it('needs the same number of SQL statements for the due work of one account and of eleven accounts', async () => {
      await create({ planName: 'club-monthly' });
      clock.set('2024-03-31T09:15:00Z');
      const ofOne = await countedWork(1);
      clock.set('2025-03-01');
      for (let index = 0; index < 10; index += 1)
        await create({ planName: 'club-monthly' }, {}, await newAccount());
      clock.set('2025-03-31');
      expect(await countedWork(11)).to.equal(ofOne);
    });
  });

  it('needs the same number of SQL statements to create subscriptions in one bundle or in many bundles', async () => {
    const request = (planName: string, index: number) => ({
      accountId: customer.id,
      planName,
      bundleExternalKey: `seat-${index}`,
      priceOverrides: [{ phaseType: 'EVERGREEN', recurringPrice: decimal(String(index)) }] as const,
    });
    const bundle = (index: number) => [request('support-monthly', index), request('solo-now', index)];
    const create = (from: number, to: number) => {
      const groups = Array.from({ length: to - from + 1 }, (_, index) => bundle(from + index));
      return counted(() => creations.createBundles(context(), groups));
    };
    await create(1, 1);
    const ofOne = await create(2, 2);
    expect(await create(3, 32)).to.equal(ofOne);
  });

  async function countedWork(expected: number): Promise<number> {
    await storage.queue.finish(await claim(BusEventType.SUBSCRIPTION_CREATION));
    const due = (await claim()).filter(({ topic }) => topic === QueueName.SUBSCRIPTION_EVENTS);
    expect(due).to.have.length(expected);
    return counted(() => handler.handle(batchOf(due).batch));
  }

  async function counted(work: () => Promise<unknown>): Promise<number> {
    statements.length = 0;
    await work();
    return statements.length;
  }

  function claim(...topics: readonly string[]): Promise<readonly ClaimedEntry[]> {
    return storage.queue.claim({
      node: 'n2',
      claimId: ids.next(),
      limit: 100,
      topics: topics.length > 0 ? topics : TOPICS,
      businessNow: clock.now(),
      systemNowMs: systemClock.nowMs(),
      leaseEndsAtMs: systemClock.nowMs() + LEASE_MS,
    });
  }

  function batchOf(entries: readonly ClaimedEntry[]) {
    const busy: ClaimedEntry[] = [];
    const failed: ClaimedEntry[] = [];
    const batch: HandlerBatch = {
      tenant,
      entries,
      finish: (session, done) => session.finish(done),
      busy: (given) => void busy.push(...given),
      failed: (entry) => void failed.push(entry),
    };
    return { batch, busy, failed };
  }

  const cursors = () => storage.read(tenant, (session) => session.invoices.cursorsOfAccounts([customer.id]));

  async function dirtyFrom(): Promise<string | null> {
    const [cursor] = await cursors();
    return cursor?.dirtyFrom == null ? null : formatLocalDate(cursor.dirtyFrom);
  }

  async function saveCursor(subscriptionId: Uuid, dirty: LocalDate | null): Promise<void> {
    const cursor = {
      subscriptionId,
      settledThrough: parseLocalDate('2024-03-31'),
      dirtyFrom: dirty,
      nextDueDate: null,
      accountRecordId: customer.recordId,
      catalogRevision: null,
      itemsDate: null,
      itemsCount: 0,
      usage: null,
      ongoing: null,
    };
    await storage.write(tenant, author(), (session) => session.invoices.saveCursors([cursor]));
  }

  /** Returns all data that a rejected creation could have left behind. */
  async function stored(): Promise<unknown> {
    const rows = await storage.read(tenant, async (session) => {
      const all = (await session.accounts.page({ offset: 0, limit: 100 })).rows.map(({ id }) => id);
      const bundles = await session.subscriptions.findBundlesByAccounts(all);
      const found = await session.subscriptions.findByBundles(bundles.map(({ id }) => id));
      const events = await session.subscriptions.findEvents(found.map(({ id }) => id));
      return { bundles, found, events, cursors: await session.invoices.cursorsOfAccounts(all) };
    });
    return { ...rows, pending: await storage.queue.countPending(tenant.recordId, clock.now()) };
  }
});
