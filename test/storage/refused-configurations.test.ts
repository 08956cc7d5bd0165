import { setTimeout } from 'node:timers/promises';
import type { New, TenantKeyValue, TenantRef } from '../../lib/index.ts';
import { OverdueConfigs } from '../../lib/overdue/index.ts';
import type { ReadSession, WriteSession } from '../../lib/ports/storage/index.ts';
import { DEFAULT_TENANT_SETTINGS, settingsInForce } from '../../lib/tenants/index.ts';
import { eachDatabase, expect, onPostgresql } from '../support/index.ts';
import { afterDays } from '../support/overdue/stage-configs.ts';
import { freshStorage, openStorage, rejection, storageAt } from '../support/storage/opened-storage.ts';
import { author, newId, now } from '../support/storage/stored-records.ts';

const none = () => undefined;
const quiet = { debug: none, info: none, warn: none, error: none };

function single(key: string, value: string): New<TenantKeyValue> {
  const dates = { createdDate: now, updatedDate: now };
  return { id: newId(), key, value, isSingle: true, isActive: true, ...dates };
}

function overdueRow(name: string): New<TenantKeyValue> {
  return single('OVERDUE_CONFIG', JSON.stringify({ overdueStates: [afterDays(name, 10)] }));
}

eachDatabase.describe('tenant configuration changed in concurrent transactions', (open, kind) => {
  const opened = freshStorage(kind, open);
  let other: TenantRef;
  beforeEach(async () => {
    other = await opened.newTenant();
  });

  /** Stores a row and runs `during` in the same transaction. */
  async function store(
    tenant: TenantRef,
    row: New<TenantKeyValue>,
    during: (session: WriteSession, recordId: number) => Promise<unknown>,
  ): Promise<void> {
    await opened.storage.write(tenant, author(), async (session) => {
      const [recordId = 0] = await session.keyValues.insert([row]);
      await during(session, recordId);
    });
  }

  it('does not apply to a tenant that reuses the record id after a rollback', async () => {
    const settingsOf = settingsInForce(quiet, DEFAULT_TENANT_SETTINGS);
    const row = (days: string) =>
      single('PER_TENANT_CONFIG', JSON.stringify({ 'org.service.payment.retry.days': days }));
    const refused = await rejection(
      store(opened.tenant, row('1,1'), async (session, recordId) => {
        await session.keyValues.setConfiguration(recordId);
        expect((await settingsOf(session))['payment.retry.days']).to.eql([1, 1]);
        throw new Error('no room');
      }),
    );
    expect(refused.message).to.equal('no room');
    await store(other, row('3,3'), (session, recordId) => session.keyValues.setConfiguration(recordId));
    expect((await opened.storage.read(other, settingsOf))['payment.retry.days']).to.eql([3, 3]);
  });

  it('does not affect the overdue processing of a tenant that reuses the record id after a rollback', async () => {
    const configs = new OverdueConfigs(quiet);
    const refused = await rejection(
      store(opened.tenant, overdueRow('REFUSED'), async (session, recordId) => {
        await session.keyValues.setOverdueConfig(recordId);
        expect((await configs.configOf(session)).states[0]?.name).to.equal('REFUSED');
        throw new Error('no room');
      }),
    );
    expect(refused.message).to.equal('no room');
    await store(other, overdueRow('HELD'), (session, recordId) =>
      session.keyValues.setOverdueConfig(recordId),
    );
    expect((await opened.storage.read(other, configs.configOf)).states[0]?.name).to.equal('HELD');
  });
});

onPostgresql.describe('tenant configuration awaited by another transaction', (open) => {
  it('applies in a transaction that waited for it and in all later transactions', async () => {
    const opened = await openStorage('postgresql', open);
    const second = storageAt(opened.database);
    const configs = new OverdueConfigs(quiet);
    const nameIn = async (session: ReadSession) => (await configs.configOf(session)).states[0]?.name;
    let waiting: Promise<string | undefined> | undefined;
    try {
      await opened.write(async (session) => {
        await session.keyValues.lock();
        waiting = second.write(opened.tenant, author(), async (late) => {
          await late.keyValues.lock();
          return nameIn(late);
        });
        await setTimeout(200);
        const [recordId = 0] = await session.keyValues.insert([overdueRow('HELD')]);
        await session.keyValues.setOverdueConfig(recordId);
      });
      expect(await waiting).to.equal('HELD');
      expect(await second.read(opened.tenant, nameIn)).to.equal('HELD');
    } finally {
      await second.close();
      await opened.storage.close();
    }
  });
});
