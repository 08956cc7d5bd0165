import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  ActingComponent,
  BusEventType,
  type EventPayload,
  type NewBusEvent,
  OVERDUE_SERVICE,
  type OverdueAccount,
  type TenantRef,
} from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, type QueueHandler } from '../../runtime/index.ts';
import { SystemKey } from '../../tenants/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { CLEAR_STATE_NAME, enterableStates } from '../config/overdue-config.ts';
import type { OverdueConfigOf } from '../loading/overdue-facts.ts';
import {
  isNewExemption,
  OverdueAction,
  type OverdueWakeUp,
  overdueNotification,
} from '../triggers/overdue-jobs.ts';

/** Accounts per transaction after a configuration loses its last condition. */
export const ACCOUNTS_PER_OVERDUE_PAGE = 200;

/** Schedules every account that is not clear after a configuration loses its last condition (§1.2 rule 5). */
export class ConfigChangeHandler implements QueueHandler {
  readonly name = 'overdue-service:config-change';
  readonly topics = [BusEventType.TENANT_CONFIG_CHANGE, BusEventType.TENANT_CONFIG_DELETION];
  readonly #ports: Pick<Ports, 'storage' | 'clock'>;
  readonly #configOf: OverdueConfigOf;

  constructor(ports: Pick<Ports, 'storage' | 'clock'>, configOf: OverdueConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
  }

  async handle(batch: HandlerBatch): Promise<void> {
    const entries = batch.entries.filter(({ payload }) => isOfOverdue(payload));
    const [first] = entries;
    if (first === undefined) return;
    const { storage, clock } = this.#ports;
    const config = await storage.read(batch.tenant, this.#configOf);
    if (enterableStates(config).length > 0) return;
    const now = clock.now();
    const authorship = batchAuthorship(entries, ActingComponent.OVERDUE, now);
    const job = { action: OverdueAction.REFRESH, asked: now, spreads: false, causedBy: first.recordId };
    for await (const accounts of this.#overdueAccounts(batch.tenant, now)) {
      const refreshes = accounts.map(({ accountRecordId }) =>
        overdueNotification({ ...job, accountRecordId }),
      );
      await storage.write(batch.tenant, authorship, async (session) => session.schedule(refreshes));
    }
  }

  async *#overdueAccounts(tenant: TenantRef, at: Instant): AsyncGenerator<readonly OverdueAccount[]> {
    const limit = ACCOUNTS_PER_OVERDUE_PAGE;
    for (let after: Uuid | null | undefined = null; after !== undefined; ) {
      const { ever, now } = await this.#ports.storage.read(tenant, (session) =>
        pageOf(session, after ?? null, at),
      );
      if (now.length > 0) yield now;
      after = ever.length < limit ? undefined : ever.at(-1)?.accountId;
    }
  }
}

async function pageOf(session: ReadSession, afterAccountId: Uuid | null, at: Instant) {
  const ever = await session.overdue.page({ afterAccountId, limit: ACCOUNTS_PER_OVERDUE_PAGE });
  const ids = ever.map(({ accountId }) => accountId);
  const states = await session.subscriptions.findLatestBlockingStates(ids, { service: OVERDUE_SERVICE, at });
  const blocked = states.filter(({ stateName }) => stateName !== CLEAR_STATE_NAME);
  const overdue = new Set(blocked.map(({ blockedId }) => blockedId));
  return { ever, now: ever.filter(({ accountId }) => overdue.has(accountId)) };
}

function isOfOverdue({ metaData }: EventPayload) {
  return (
    typeof metaData === 'object' &&
    metaData !== null &&
    'key' in metaData &&
    metaData.key === SystemKey.OVERDUE_CONFIG
  );
}

/** Returns clears of accounts that become exempt under a configuration without conditions (§7 rule 2); at most one statement. */
export async function clearsOfExemptAccounts(
  session: ReadSession,
  events: readonly NewBusEvent[],
  now: Instant,
): Promise<readonly OverdueWakeUp[]> {
  const ids = events.filter(isNewExemption).flatMap(({ payload: { objectId } }) => {
    return typeof objectId === 'string' && isUuid(objectId) ? objectId : [];
  });
  if (ids.length === 0) return [];
  const everOverdue = await session.overdue.findAccounts(ids);
  const job = { action: OverdueAction.CLEAR, asked: now, spreads: true, causedBy: null };
  return everOverdue.map(({ accountRecordId }) => ({ accountRecordId, ...job }));
}
