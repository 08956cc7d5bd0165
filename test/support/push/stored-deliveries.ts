import type { Storage } from '../../../lib/ports/storage/index.ts';
import type { New, PushDelivery, TenantRef } from '../../../lib/records/index.ts';
import { instant } from '../../../lib/values/time/index.ts';
import { author, newId } from '../storage/stored-records.ts';

interface Stored {
  readonly storage: Storage<never>;
  readonly tenant: TenantRef;
}

/** Publishes a public event for each given account, and sets a callback for the tenant. */
export async function publishEvents(
  { storage, tenant }: Stored,
  accounts: readonly (number | null)[],
): Promise<void> {
  await storage.prepare({ eventIdOf: newId });
  await storage.write(tenant, author(), async (session) => {
    if ((await session.deliveries.lastEventId()) === null) await session.keyValues.setCallback(1);
    session.publish(
      accounts.map((accountRecordId) => ({ type: 'ACCOUNT_CHANGE', accountRecordId, payload: {} })),
    );
  });
}

/** Publishes events and stores these deliveries, like a node that sends pushes. */
export async function storeDeliveries(stored: Stored, made: readonly New<PushDelivery>[]): Promise<void> {
  const { storage, tenant } = stored;
  await publishEvents(
    stored,
    made.map(({ accountRecordId }) => accountRecordId),
  );
  const token = newId();
  const at = { businessNow: instant(0), systemNowMs: 0, leaseEndsAtMs: 1 };
  const tenants = await storage.push.take({ owner: 'writer', token, limit: 1_000, ...at });
  const upTo = await storage.events.horizon(tenant.recordId);
  const after = await storage.read(tenant, (session) => session.deliveries.lastEventId());
  const lease = { tenantRecordId: tenant.recordId, token };
  const taken = await storage.push.takeUp(lease, { after: after ?? 0, upTo, deliveries: made }, 1);
  if (taken !== 'TAKEN') throw new Error(`the deliveries were not stored: ${taken}`);
  await storage.push.release(tenants.map((tenantRecordId) => ({ tenantRecordId, token })));
}
