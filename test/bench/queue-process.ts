import { setTimeout } from 'node:timers/promises';
import { Billing } from '../../adapters/node/billwright.ts';
import { consoleLogger, systemClock, uuidGenerator } from '../../adapters/node/this-process.ts';
import type { Instant, TenantRef, Uuid } from '../../lib/index.ts';
import { BusEventType, instant, QueueName } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { Dispatcher } from '../../lib/runtime/queue/dispatcher.ts';
import type { HandlerBatch, QueueHandler } from '../../lib/runtime/queue/handler.ts';
import type { Account } from '../support/plain-views.ts';
import type { BenchDatabase } from './bench-database.ts';
import { answerParent } from './child.ts';
import { storageAt } from './databases.ts';
import { openShop } from './past.ts';

export interface QueueInput {
  readonly database: BenchDatabase;
  readonly events: number;
  /** Each takes up to a second, because business time has whole seconds. */
  readonly notifications: number;
}

export interface QueueOutput {
  /** From the commit of an event until its handler gets it. */
  readonly busMs: readonly number[];
  /** From the due instant of a notification until its handler gets it. */
  readonly notificationMs: readonly number[];
  /**
   * Like `busMs`, but committed through a separate storage, like another node does; empty on SQLite, which has one
   * node.
   */
  readonly otherNodeMs: readonly number[];
}

/** Time for the dispatcher to go back to sleep before the next entry. */
const pauseMs = 15;
const secondMs = 1_000;
const topics = [BusEventType.ACCOUNT_CREATION, QueueName.NEXT_BILLING_DATE];

function probe(): QueueHandler & { next(): Promise<number> } {
  let arrived: (atMs: number) => void = () => undefined;
  return {
    name: 'bench:probe',
    topics,
    next: () =>
      new Promise((resolve) => {
        arrived = resolve;
      }),
    handle: async (_batch: HandlerBatch) => arrived(performance.now()),
  };
}

async function measure({ database, events, notifications }: QueueInput): Promise<QueueOutput> {
  const { tenant, account } = await makeAccount(database);
  const storage = storageAt(database);
  await storage.prepare();
  const clock = systemClock();
  const ids = uuidGenerator();
  const handler = probe();
  const dispatcher = new Dispatcher(
    { storage, clock, systemClock: clock, ids, logger: consoleLogger() },
    { handlers: [handler], tenantOf: async () => tenant, node: 'bench' },
  );
  dispatcher.start();
  const other = database.kind === 'postgresql' ? storageAt(database) : null;
  await other?.prepare({ isConsumed: ({ type }) => type === topics[0] });
  const put = (over: Storage<never>, dueInMs: number | null): Promise<number> => {
    const now = clock.now();
    const dueAt = dueInMs === null ? null : instant(now + dueInMs);
    return putEntry({ storage: over, tenant, account, id: ids.next(), now, dueAt });
  };
  try {
    const [busMs, notificationMs, otherNodeMs]: [number[], number[], number[]] = [[], [], []];
    for (let event = 0; event < events; event += 1) {
      busMs.push(await latency(handler, () => put(storage, null)));
      if (other) otherNodeMs.push(await latency(handler, () => put(other, null)));
    }
    for (let notification = 0; notification < notifications; notification += 1) {
      notificationMs.push(await latency(handler, () => put(storage, secondMs)));
    }
    return { busMs, notificationMs, otherNodeMs };
  } finally {
    await dispatcher.stop();
    await other?.close();
    await storage.close();
  }
}

async function latency(handler: ReturnType<typeof probe>, put: () => Promise<number>): Promise<number> {
  await setTimeout(pauseMs);
  const arrival = handler.next();
  const dueMs = await put();
  return Math.max(0, (await arrival) - dueMs);
}

/** Writes an entry. Returns its due time on the clock of `performance.now`: its commit or its instant. */
async function putEntry(input: {
  readonly storage: Storage<never>;
  readonly tenant: TenantRef;
  readonly account: Account;
  readonly id: Uuid;
  readonly now: Instant;
  readonly dueAt: Instant | null;
}): Promise<number> {
  const { storage, tenant, account, id, now, dueAt } = input;
  const authorship = {
    userName: 'bench',
    reasonCode: null,
    comments: null,
    createdDate: now,
    userTokenOf: () => id,
  };
  await storage.write(tenant, authorship, async (session) => {
    const of = { accountRecordId: account.recordId, payload: { accountId: account.id } };
    if (dueAt === null) session.publish([{ type: BusEventType.ACCOUNT_CREATION, ...of }]);
    else {
      const queueName = QueueName.NEXT_BILLING_DATE;
      session.schedule([{ queueName, effectiveDate: dueAt, uniqueKey: id, ...of }]);
    }
  });
  return dueAt === null ? performance.now() : dueAt - performance.timeOrigin;
}

async function makeAccount(
  database: BenchDatabase,
): Promise<{ readonly tenant: TenantRef; readonly account: Account }> {
  const billing = await Billing.open({ storage: storageAt(database) });
  try {
    const { id } = await openShop(billing);
    const tenant = await billing.tenants.refOf(id);
    const acme = billing.as({ tenant, user: 'bench' });
    return { tenant, account: await acme.createAccount({ currency: 'USD' }) };
  } finally {
    await billing.close();
  }
}

answerParent(measure);
