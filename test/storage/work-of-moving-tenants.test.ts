import { migrate } from '../../adapters/mikro-orm/postgresql.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { QueueKind } from '../../lib/records/index.ts';
import { instant, localDate } from '../../lib/values/time/index.ts';
import { fillEveryTable, rowsOfTenant } from '../support/cells/rows-of-tenant.ts';
import { openTwoCells, type TwoCells } from '../support/cells/two-cells.ts';
import { expect, onPostgresql } from '../support/index.ts';
import { publishEvents, storeDeliveries } from '../support/push/stored-deliveries.ts';
import { rejection } from '../support/storage/opened-storage.ts';
import { delivery } from '../support/storage/stored-records.ts';

const NOW = instant(Date.UTC(2025, 2, 10, 10));
const LATER = instant(Date.UTC(2100, 0, 1));

onPostgresql.describe('cell work for all tenants', (open) => {
  let cells: TwoCells;
  let storage: Storage<never>;

  beforeEach(async () => {
    cells = await openTwoCells(open);
    storage = cells.storages.west;
  });
  afterEach(() => cells.close());

  const fence = (state: string) =>
    cells.sql('west', 'insert into bw_tenant_moves (tenant_record_id, state, revision) values ($1, $2, 1)', [
      cells.tenant.recordId,
      state,
    ]);

  for (const { state, works } of [
    { state: 'LEAVING', works: true },
    { state: 'ARRIVING', works: false },
    { state: 'AWAY', works: false },
  ])
    it(`${works ? 'counts' : 'does not count'} the entries and leases of a tenant that is ${state} (cells §3.2 rule 3)`, async () => {
      await fillEveryTable(cells, { cell: 'west', count: 2 });
      await cells.sql(
        'west',
        `update bw_queue_entries set kind = 'NOTIFICATION', topic = 'due', due_order = 1, created_date = 1,
          effective_date = 1, available_at_ms = 5,
          processing_state = case when record_id % 512 < 256 then 'AVAILABLE' else 'IN_PROCESSING' end`,
      );
      await fence(state);
      const { late } = await storage.queue.backlog({ since: NOW, limit: 100 });
      const topics = await storage.queue.backlogByTopic({ since: NOW, limit: 100 });
      expect([await storage.queue.nextLeaseEnd(), late, topics.length]).to.eql(
        works ? [5, 1, 1] : [null, 0, 0],
      );
    });

  it('does not count the pushes of an arriving tenant (cells §3.2 rule 3)', async () => {
    await storage.sinks.register(['archive']);
    const pushes = [storage.push, storage.sink('archive')];
    const due = async () =>
      Promise.all(pushes.map(async (each) => (await each.backlog({ businessNow: NOW, limit: 100 })).due));
    const stored = { storage, tenant: cells.tenant };
    await storeDeliveries(stored, [delivery({ accountRecordId: 1, createdDate: NOW })]);
    await publishEvents(stored, [1]);
    expect(await due()).to.eql([2, 2]);
    await fence('ARRIVING');
    expect(await due()).to.eql([0, 0]);
  });

  it('keeps unused sinks until the moves have ended (cells §3.2 rule 2)', async () => {
    await storage.sinks.register(['archive']);
    await publishEvents({ storage, tenant: cells.tenant }, [1]);
    const sinksAfter = async () => {
      await storage.sinks.forget(-1, 10);
      return (await cells.sql('west', 'select name from bw_sinks')).length;
    };
    await fence('AWAY');
    expect(await sinksAfter()).to.equal(1);
    await cells.sql('west', `update bw_tenant_moves set state = 'GONE'`);
    expect(await sinksAfter()).to.equal(0);
  });

  it('changes no schema while a tenant moves (cells §3.2 rule 5)', async () => {
    const { west } = cells.databases;
    const url = west.kind === 'postgresql' ? west.url : '';
    await fence('STOPPED');
    expect(await migrate(url)).to.eql([]);
    await cells.sql('west', 'delete from bw_migrations');
    expect((await rejection(migrate(url))).message).to.include('cannot be migrated while tenants move');
  });

  it("lists the events of a tenant only in the tenant's cell until the events are deleted (cells §2.2 rule 4)", async () => {
    await publishEvents({ storage, tenant: cells.tenant }, [1]);
    const upTo = await storage.events.horizon(null);
    const listed = async () => (await storage.events.list({ after: 0, upTo, limit: 10 })).length;
    await fence('ARRIVING');
    expect(await listed()).to.equal(0);
    await cells.sql('west', `update bw_tenant_moves set state = 'STOPPED'`);
    expect(await listed()).to.equal(1);
  });

  it('does not check the rows of a tenant that has not arrived yet (cells §3.2 rule 3)', async () => {
    await fillEveryTable(cells, { cell: 'west', count: 2 });
    const other = await cells.newTenant('west');
    await fence('ARRIVING');
    const { checks } = storage;
    const found = await checks.tenantsAfter({ afterRecordId: 0, limit: 10 });
    expect(found.map(({ recordId }) => recordId)).to.eql([other.recordId]);
    for (const table of checks.tables) {
      const window = { table, tenantRecordId: null, afterRecordId: 0, limit: 10 };
      expect(await checks.checkRecords(window)).to.eql({ lastRecordId: null, lost: [], unaudited: [] });
    }
  });

  it('does not check a tenant that has left, although the tenant’s row remains (cells §3.2 rule 3)', async () => {
    await fence('GONE');
    expect(await storage.checks.tenantsAfter({ afterRecordId: 0, limit: 10 })).to.eql([]);
  });

  it('skips the rows of a moving tenant when it deletes a limited number of old rows (cells §3.2 rule 2)', async () => {
    await storage.sinks.register(['archive']);
    await fillEveryTable(cells, { cell: 'west', count: 2 });
    const before = await rowsOfTenant(cells, 'west', cells.tenant.recordId);
    await fence('ARRIVING');
    const { system, queue, push, idempotency } = storage;
    await system.purgeInvoiceAnnouncements(localDate(2100, 1, 1), 10);
    await system.purgeQuotas({ uses: LATER, counters: LATER }, 10);
    await system.purgeThresholdAnnouncements(LATER, 10);
    const purged = [queue.purgeHistory(LATER, 10), push.purge(LATER, 10), idempotency.purge(LATER, 10)];
    expect(await Promise.all(purged)).to.eql([0, 0, 0]);
    expect(await rowsOfTenant(cells, 'west', cells.tenant.recordId)).to.eql(before);
  });

  it('shows recent entries even if record ids have gaps (cells §1.2 rule 1)', async () => {
    await fillEveryTable(cells, { cell: 'west', count: 2 });
    await cells.sql(
      'west',
      `update bw_queue_history set kind = 'BUS', topic = 'INVOICE_CREATION', payload = '{}', done_handlers = '[]',
        user_token = gen_random_uuid(), created_date = 1, effective_date = 1`,
    );
    await cells.sql('west', `update bw_push_deliveries set ended_date = 1`);
    const of = { tenants: [cells.tenant.recordId], limit: 10, among: 2 };
    expect(await storage.entries.recent({ ...of, kind: QueueKind.BUS })).to.have.length(2);
    expect(await storage.entries.recentDeliveries(of)).to.have.length(2);
  });
});
