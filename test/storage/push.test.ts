import type { PushLease } from '../../lib/ports/storage/index.ts';
import type { New, PushDelivery } from '../../lib/records/index.ts';
import { instant } from '../../lib/values/time/index.ts';
import { eachDatabase, expect, rowsOf } from '../support/index.ts';
import { publishEvents, storeDeliveries } from '../support/push/stored-deliveries.ts';
import { freshStorage, type OpenedStorage, openStorage } from '../support/storage/opened-storage.ts';
import { badPlans, isWalk, withPostgresql } from '../support/storage/statement-plans.ts';
import { delivery } from '../support/storage/stored-records.ts';

const NOW = instant(Date.UTC(2025, 2, 10, 10));
const LEASE_MS = 30_000;
const HOUR_MS = 3_600_000;

eachDatabase((kind, open) => {
  describe('push delivery storage', () => {
    const opened = freshStorage(kind, open);

    const write = (
      accounts: readonly (number | null)[],
      changes: Partial<New<PushDelivery>> = {},
      stored: Pick<OpenedStorage, 'storage' | 'tenant'> = opened,
    ): Promise<void> =>
      storeDeliveries(
        stored,
        accounts.map((accountRecordId) => delivery({ accountRecordId, createdDate: NOW, ...changes })),
      );
    const take = (owner: string, systemNowMs = 0, limit = 10) =>
      opened.storage.push.take({
        owner,
        token: owner,
        limit,
        businessNow: NOW,
        systemNowMs,
        leaseEndsAtMs: systemNowMs + LEASE_MS,
      });
    const load = (
      changes: { readonly held?: readonly number[]; readonly enoughOf?: readonly number[] } = {},
    ) =>
      opened.storage.push.load({
        tenantRecordId: opened.tenant.recordId,
        businessNow: NOW,
        limit: 3,
        held: [],
        enoughOf: [],
        ...changes,
      });
    const lease = (token: string): PushLease => ({ tenantRecordId: opened.tenant.recordId, token });

    it('assigns a tenant with a due delivery to one node until the lease expires or is released', async () => {
      expect(await take('one')).to.eql([]);
      await write([1]);
      const ours = [opened.tenant.recordId];
      expect(await take('one')).to.eql(ours);
      expect(await take('two', LEASE_MS - 1)).to.eql([]);
      await opened.storage.push.renew([lease('one'), lease('two')], 2 * LEASE_MS);
      expect(await take('two', LEASE_MS)).to.eql([]);
      expect(await take('two', 2 * LEASE_MS)).to.eql(ours);
      await opened.storage.push.release([lease('one')]);
      expect(await take('three', 2 * LEASE_MS)).to.eql([]);
      await opened.storage.push.release([lease('two')]);
      expect(await take('three', 2 * LEASE_MS)).to.eql(ours);
      expect(await opened.storage.push.owners()).to.eql(['three']);
      await opened.storage.push.releaseFrom(['three']);
      expect(await take('four')).to.eql(ours);
    });

    it('distributes many tenants over the nodes, with each tenant on one node', async () => {
      const others = [opened.tenant, await opened.newTenant(), await opened.newTenant()];
      for (const tenant of others) await write([1], {}, { ...opened, tenant });
      const takes = await Promise.all(['one', 'two', 'three', 'four'].map((owner) => take(owner, 0, 1)));
      expect(takes.flat().length).to.equal(new Set(takes.flat()).size);
      const rest = await take('last');
      expect([...takes.flat(), ...rest].toSorted()).to.eql(others.map(({ recordId }) => recordId).toSorted());
    });

    it('loads first attempts before due retries, in order, and skips deliveries already loaded', async () => {
      await write([7, 7, 8, null, 9]);
      await write([7, 8], { dueOrder: NOW - 1_000, attempts: 1 });
      await write([7], { dueOrder: NOW + 1, attempts: 1 });
      const accounts = async (changes: Parameters<typeof load>[0] = {}) =>
        (await load(changes)).map(({ accountRecordId, dueOrder }) => [accountRecordId, dueOrder > 0]);
      const all = await load();
      expect(await accounts()).to.eql([
        [7, false],
        [7, false],
        [8, false],
        [7, true],
        [8, true],
      ]);
      const held = all.map(({ recordId }) => recordId);
      expect(await accounts({ held })).to.eql([
        [null, false],
        [9, false],
      ]);
      expect((await accounts({ enoughOf: [7, 0] })).slice(0, 2)).to.eql([
        [8, false],
        [9, false],
      ]);
      expect(await opened.storage.push.nextDue(NOW)).to.equal(NOW + 1);
      expect(await opened.storage.push.backlog({ businessNow: NOW, limit: 100 })).to.eql({
        due: 7,
        oldest: NOW - 1_000,
      });
    });

    it('stores the result of an attempt under the lease, but not for a node that lost the lease', async () => {
      await write([7]);
      await take('one');
      const [delivery] = await load();
      const sent = {
        recordId: delivery?.recordId ?? 0,
        state: 'PROCESSED',
        dueOrder: 0,
        attempts: 1,
        failures: 0,
        attemptedDate: NOW,
        lastStatus: 200,
        lastError: null,
        endedDate: NOW,
      } as const;
      await take('two', LEASE_MS);
      expect(await opened.storage.push.record(lease('one'), [sent], LEASE_MS)).to.equal(false);
      expect(await load()).to.have.length(1);
      expect(await opened.storage.push.record(lease('two'), [sent], 3 * LEASE_MS)).to.equal(true);
      expect(await load()).to.eql([]);
      // Storing renews the lease.
      await publishEvents(opened, [7]);
      expect(await take('three', 3 * LEASE_MS - 1)).to.eql([]);
      const { push } = opened.storage;
      expect(await push.hasDue(opened.tenant.recordId, NOW)).to.equal(true);
      expect(await push.hasDue(opened.tenant.recordId + 1, NOW)).to.equal(false);
      expect([await push.purge(NOW, 10), await push.purge(instant(NOW + 1), 10)]).to.eql([0, 1]);
    });

    it('turns bus events into deliveries once, under the lease and in bus order', async () => {
      const { push, events } = opened.storage;
      await publishEvents(opened, [7]);
      await publishEvents(opened, [8, 9]);
      expect(await load()).to.eql([]);
      expect(await push.hasDue(opened.tenant.recordId, NOW)).to.equal(true);
      expect(await push.backlog({ businessNow: NOW, limit: 100 })).to.have.property('due', 3);
      expect(await push.backlog({ businessNow: NOW, limit: 2 })).to.have.property('due', 2);
      expect(await take('one')).to.eql([opened.tenant.recordId]);
      const upTo = await events.horizon(opened.tenant.recordId);
      const { after, found } = await opened.read(async (session) => {
        const from = (await session.deliveries.lastEventId()) ?? 0;
        return { after: from, found: await session.events.list({ after: from, upTo, limit: 10 }) };
      });
      expect(found.map(({ accountRecordId }) => accountRecordId)).to.eql([7, 8, 9]);
      const deliveries = found.map(({ eventId: id, accountRecordId }) => delivery({ id, accountRecordId }));
      const taken = { after, upTo, deliveries };
      expect(await push.takeUp(lease('two'), taken, LEASE_MS)).to.equal('LOST');
      expect(await push.takeUp(lease('one'), taken, LEASE_MS)).to.equal('TAKEN');
      expect(await push.takeUp(lease('one'), taken, LEASE_MS)).to.equal('MOVED');
      expect((await load()).map(({ id }) => id)).to.eql(found.map(({ eventId }) => eventId));
      // Events before a new callback are not for it, and without a callback there are no events to deliver.
      await publishEvents(opened, [10]);
      await opened.writing.keyValues.setCallback(2);
      expect(await push.takeUp(lease('one'), { ...taken, after: upTo }, LEASE_MS)).to.equal('MOVED');
      expect(await push.backlog({ businessNow: NOW, limit: 100 })).to.have.property('due', 3);
      await opened.writing.keyValues.setCallback(null);
      expect(await opened.reading.deliveries.lastEventId()).to.equal(null);
    });
  });

  describe('event sink storage', () => {
    const opened = freshStorage(kind, open);
    const lastEventId = (sink: string) => opened.reading.deliveries.lastEventId(sink);
    const at = { businessNow: NOW, systemNowMs: 0, leaseEndsAtMs: LEASE_MS };

    it('gives a sink only the events after its first registration, per tenant and for the system', async () => {
      const { storage, tenant } = opened;
      await publishEvents(opened, [7]);
      const books = storage.sink('books');
      expect(await lastEventId('books')).to.equal(null);
      expect(await books.hasDue(null, NOW)).to.equal(false);
      await storage.sinks.register(['books']);
      const begun = await lastEventId('books');
      expect(begun).to.equal(await storage.events.horizon(tenant.recordId));
      expect(await books.hasDue(null, NOW)).to.equal(false);
      await publishEvents(opened, [8, 9]);
      await storage.sinks.register(['books']);
      expect(await lastEventId('books')).to.equal(begun);
      expect(await books.hasDue(tenant.recordId, NOW)).to.equal(true);
      expect(await books.hasDue(tenant.recordId + 1, NOW)).to.equal(false);
      expect(await books.backlog({ businessNow: NOW, limit: 100 })).to.have.property('due', 2);
      expect(await books.take({ owner: 'one', token: 'one', limit: 9, ...at })).to.eql([tenant.recordId]);
      const upTo = await storage.events.horizon(tenant.recordId);
      const lease: PushLease = { tenantRecordId: tenant.recordId, token: 'one' };
      const taken = { after: begun ?? 0, upTo, deliveries: [delivery({ url: 'books', accountRecordId: 8 })] };
      expect(await books.takeUp({ ...lease, token: 'two' }, taken, LEASE_MS)).to.equal('LOST');
      expect(await books.takeUp(lease, taken, LEASE_MS)).to.equal('TAKEN');
      expect(await books.takeUp(lease, taken, LEASE_MS)).to.equal('MOVED');
      expect(await lastEventId('books')).to.equal(upTo);
      // A delivery that a node of an earlier version stored with its change is not stored twice.
      await publishEvents(opened, [10]);
      const last = await storage.events.horizon(tenant.recordId);
      const further = { after: upTo, upTo: last, deliveries: taken.deliveries };
      expect(await books.takeUp(lease, further, LEASE_MS)).to.equal('TAKEN');
      const held = { tenantRecordId: tenant.recordId, businessNow: NOW, limit: 9, held: [], enoughOf: [] };
      expect(await books.load(held)).to.have.length(1);
      expect(await storage.sink('mails').take({ owner: 'one', token: 'one', limit: 9, ...at })).to.eql([]);
    });

    it('deletes an unused sink in batches, and keeps a sink that a node uses', async () => {
      const { storage, tenant } = opened;
      await storage.sinks.register(['books', 'mails']);
      await publishEvents(opened, [7, 8, 9]);
      const upTo = await storage.events.horizon(tenant.recordId);
      for (const name of ['books', 'mails']) {
        const after = (await lastEventId(name)) ?? 0;
        const sink = storage.sink(name);
        await sink.take({ owner: 'one', token: 'one', limit: 9, ...at });
        const deliveries = [7, 8, 9].map((accountRecordId) => delivery({ url: name, accountRecordId }));
        await sink.takeUp({ tenantRecordId: tenant.recordId, token: 'one' }, { after, upTo, deliveries }, 9);
      }
      await storage.sinks.forget(HOUR_MS, 2);
      expect(await lastEventId('mails')).to.equal(upTo);
      const due = async (name: string) =>
        (await storage.sink(name).backlog({ businessNow: NOW, limit: 100 })).due;
      await rowsOf(
        opened.database,
        `update bw_sinks set used_at_ms = used_at_ms - ${2 * HOUR_MS} returning name`,
      );
      await storage.sinks.register(['books']);
      const forget = () => storage.sinks.forget(HOUR_MS, 2);
      await forget();
      expect([await due('mails'), await lastEventId('mails')]).to.eql([1, upTo]);
      await forget();
      expect([await due('mails'), await lastEventId('mails')]).to.eql([0, null]);
      expect([await due('books'), await lastEventId('books')]).to.eql([3, upTo]);
    });
  });

  describe('plan of push delivery queries over a filled table', function () {
    this.timeout(120_000);
    it('reads neither sent deliveries nor other tenants’ deliveries to find due work', async () => {
      const opened = await openStorage(kind, open);
      const { storage } = opened;
      const tenants = [opened.tenant];
      for (let left = 9; left > 0; left -= 1) tenants.push(await opened.newTenant());
      for (const [index, tenant] of tenants.entries()) {
        for (const changes of [
          { state: 'PROCESSED', endedDate: NOW },
          { state: 'AVAILABLE', dueOrder: NOW + 1_000 + index },
          { state: 'AVAILABLE', dueOrder: 0 },
        ] as const) {
          const count = changes.state === 'PROCESSED' ? 1_000 : 100;
          const made = Array.from({ length: count }, (_, each) =>
            delivery({
              accountRecordId: each % 50,
              attempts: 1,
              failures: 1,
              attemptedDate: NOW,
              ...changes,
            }),
          );
          // Some of the events are in the history, some are live.
          await storage.prepare({
            isConsumed: ({ type }) => changes.state !== 'PROCESSED' && type === 'ACCOUNT_CHANGE',
          });
          await storeDeliveries({ storage, tenant }, made);
        }
        await publishEvents({ storage, tenant }, [index]);
      }
      await storage.sinks.register(['books', 'mails']);
      const sink = storage.sink('books');
      const at = { businessNow: NOW, systemNowMs: 0, leaseEndsAtMs: 1 };
      for (const tenant of tenants) {
        await publishEvents({ storage, tenant }, [7]);
        const upTo = await storage.events.horizon(tenant.recordId);
        const after = await storage.read(tenant, (session) => session.deliveries.lastEventId('books'));
        await sink.take({ owner: 'one', token: 'one', limit: 9, ...at });
        const deliveries = Array.from({ length: 500 }, (_, each) =>
          delivery({ url: 'books', accountRecordId: each % 50 }),
        );
        const lease = { tenantRecordId: tenant.recordId, token: 'one' };
        expect(await sink.takeUp(lease, { after: after ?? 0, upTo, deliveries }, 1)).to.equal('TAKEN');
        await publishEvents({ storage, tenant }, [8]);
      }
      if (opened.database.kind === 'postgresql')
        await withPostgresql(opened.database.url, (client) => client.query('analyze'));
      opened.bound();
      const { push } = storage;
      await push.take({ owner: 'one', token: 'one', limit: 3, ...at });
      const request = { tenantRecordId: tenants[3]?.recordId ?? 0, businessNow: NOW, limit: 20 };
      const [loaded] = await push.load({ ...request, held: [1, 2, 3], enoughOf: [4] });
      const token = { tenantRecordId: tenants[0]?.recordId ?? 0, token: 'one' };
      if (loaded) await push.record(token, [], 5);
      await push.nextDue(NOW);
      await push.hasDue(null, NOW);
      await push.hasDue(request.tenantRecordId, NOW);
      await push.backlog({ businessNow: NOW, limit: 100 });
      await sink.take({ owner: 'one', token: 'one', limit: 3, ...at });
      await sink.load({ ...request, held: [], enoughOf: [] });
      await sink.nextDue(NOW);
      await sink.hasDue(null, NOW);
      await sink.backlog({ businessNow: NOW, limit: 100 });
      await storage.sinks.forget(60_000, 10);
      const found = await badPlans(opened.database, opened.bound());
      // Leases and cursors have one row per tenant with a callback or with pushes in progress, and moves one row per
      // moved tenant. A sink gets the events of every tenant.
      const onLeases =
        /(Seq Scan on|SCAN|USING INDEX) (bw_(push|sink)_(leases|cursors)|bw_sinks|bw_tenants|bw_tenant_moves|c\b)/;
      const walks = found.filter(
        (plan) => !plan.split('\n').every((line) => !isWalk(line) || onLeases.test(line)),
      );
      await storage.close();
      expect(walks).to.eql([], walks.join('\n\n'));
    });
  });
});
