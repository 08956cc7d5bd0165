import { isPaidByParent } from '../../accounts/index.ts';
import { type CatalogProvider, type CatalogSource, catalogsOfBatch } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, ReadSession, WriteSession } from '../../ports/storage/index.ts';
import {
  ActingComponent,
  type Authorship,
  BusEventType,
  type EventPayload,
  type NewBusEvent,
  OVERDUE_SERVICE,
  type OverdueAccount,
  QueueName,
  type TenantRef,
} from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, type QueueHandler } from '../../runtime/index.ts';
import { SystemKey } from '../../tenants/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { CLEAR_STATE_NAME, enterableStates, type OverdueConfig } from '../config/overdue-config.ts';
import type { OverdueConfigOf } from '../loading/overdue-facts.ts';
import {
  isNewExemption,
  OverdueAction,
  type OverdueWakeUp,
  overdueNotification,
  readOverdueJob,
} from '../triggers/overdue-jobs.ts';
import { evaluateAccounts } from './evaluate-accounts.ts';
import { type ClaimedJob, type LockedJob, orderChecks } from './order-checks.ts';

type HandlerPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids'>;

interface Work {
  readonly batch: HandlerBatch;
  readonly config: OverdueConfig;
  readonly now: Instant;
  readonly catalogsOf: CatalogSource | null;
}

/**
 * Evaluates accounts with a due check or a change (§5, §11). A batch is one transaction, plus one if subscriptions
 * are canceled, each with a constant number of statements. All data is read again, so a repeated entry finds nothing
 * to do.
 */
export class OverdueHandler implements QueueHandler {
  readonly name = 'overdue-service:evaluation';
  readonly topics: readonly string[] = [QueueName.OVERDUE_CHECK, QueueName.OVERDUE_REFRESH];
  readonly #ports: HandlerPorts;
  readonly #catalogs: CatalogProvider;
  readonly #configOf: OverdueConfigOf;
  readonly #own: OwnTransactions;
  readonly #topicsAhead: readonly string[];

  /**
   * @param of `topicsAhead` contains the topics of work that must run before overdue work (§5.2) and for which this
   * engine has handlers.
   */
  constructor(
    ports: HandlerPorts,
    catalogs: CatalogProvider,
    of: {
      readonly configOf: OverdueConfigOf;
      readonly own: OwnTransactions;
      readonly topicsAhead: readonly string[];
    },
  ) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#configOf = of.configOf;
    this.#own = of.own;
    this.#topicsAhead = of.topicsAhead;
  }

  async handle(batch: HandlerBatch): Promise<void> {
    const { storage, clock } = this.#ports;
    const config = await storage.read(batch.tenant, this.#configOf);
    const now = clock.now();
    const cancelling = await this.#run({ batch, config, now, catalogsOf: null }, jobsOf(batch));
    if (cancelling.length === 0) return;
    // Only cancellations need catalogs, so only they wait while catalogs are unavailable.
    const entries = cancelling.map(({ entry }) => entry);
    const part = { tenant: batch.tenant, entries, failed: batch.failed.bind(batch) };
    const catalogsOf = await catalogsOfBatch(this.#catalogs, part, now);
    if (catalogsOf === null) return;
    const work = { batch, config, now, catalogsOf };
    await this.#run(work, cancelling).catch(() => this.#oneByOne(work, cancelling));
  }

  /**
   * Processes the jobs one by one, so that a failed entry does not block other entries and finished entries are not
   * repeated.
   */
  async #oneByOne(work: Work, jobs: readonly ClaimedJob[]) {
    for (const job of jobs)
      await this.#run(work, [job]).catch((error: unknown) => work.batch.failed(job.entry, error));
  }

  /** Runs the jobs. Returns the jobs that need unavailable catalogs. */
  async #run(work: Work, jobs: readonly ClaimedJob[]) {
    if (jobs.length === 0) return [];
    const { batch, now } = work;
    const tokens = new Map<number, Uuid>();
    const batchOf = batchAuthorship(batch.entries, ActingComponent.OVERDUE, now);
    const authorship = authorshipOf(batch, batchOf, tokens);
    const left = await this.#ports.storage.write(batch.tenant, authorship, (session) =>
      this.#own.run(session, () => this.#work(session, jobs, { ...work, tokens })),
    );
    batch.busy(left.busy);
    for (const { entry, delayMs } of left.waiting) batch.busy([entry], delayMs ?? undefined);
    return left.cancelling;
  }

  async #work(
    session: WriteSession,
    jobs: readonly ClaimedJob[],
    { batch, config, catalogsOf, tokens }: Work & { readonly tokens: Map<number, Uuid> },
  ) {
    const { ids, systemClock } = this.#ports;
    const { locked, busy } = await lockJobs(session, jobs);
    const order = { topics: this.#topicsAhead, systemNowMs: systemClock.nowMs() };
    const { first, later, waiting } = await orderChecks(session, locked, order);
    session.schedule(later);
    const cancelling = await evaluateAccounts(session, first, { config, catalogsOf, ids });
    const done = first.filter((job) => !cancelling.includes(job));
    await wakeRelatives(session, done, tokens);
    const held = new Set([...busy, ...[...waiting, ...cancelling].map(({ entry }) => entry)]);
    const ended = jobs.map(({ entry }) => entry).filter((entry) => !held.has(entry));
    if (ended.length > 0) await batch.finish(session, ended);
    return { busy, waiting, cancelling };
  }
}

function jobsOf(batch: HandlerBatch) {
  return batch.entries.flatMap((entry) => {
    try {
      return [{ entry, job: readOverdueJob(entry.payload) }];
    } catch (error) {
      batch.failed(entry, error);
      return [];
    }
  });
}

/**
 * Returns the authorship of a batch. Jobs of parents and children use the user token of the call that caused them.
 * `tokens` receives these tokens during the batch.
 */
function authorshipOf(
  { entries }: HandlerBatch,
  authorship: Authorship,
  tokens: ReadonlyMap<number, Uuid>,
): Authorship {
  const own = new Set(entries.map(({ accountRecordId }) => accountRecordId));
  return {
    ...authorship,
    userTokenOf: (accountRecordId) => {
      const isRelative = accountRecordId !== null && !own.has(accountRecordId);
      const token = isRelative ? tokens.get(accountRecordId) : undefined;
      return token ?? authorship.userTokenOf(accountRecordId);
    },
  };
}

/**
 * Locks the accounts that are free, and reads their paying parents. Never locks an account together with its parent
 * (§8 rule 4).
 */
export async function lockJobs(
  session: WriteSession,
  jobs: readonly ClaimedJob[],
): Promise<{ readonly locked: readonly LockedJob[]; readonly busy: readonly ClaimedEntry[] }> {
  const accounts = await session.tryLockAccounts(jobs.flatMap(({ entry }) => entry.accountRecordId ?? []));
  const paid = accounts.filter(isPaidByParent);
  const parentIds = new Set(paid.flatMap(({ parentAccountId }) => parentAccountId ?? []));
  const parents = parentIds.size === 0 ? [] : await session.accounts.findByIds([...parentIds]);
  const parentOf = new Map(parents.map((parent) => [parent.id, parent]));
  const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
  const locked: LockedJob[] = [];
  const busy: ClaimedEntry[] = [];
  for (const { entry, job } of jobs) {
    const account = accountOf.get(entry.accountRecordId ?? 0);
    if (account === undefined) {
      busy.push(entry);
      continue;
    }
    const payer = isPaidByParent(account) ? account.parentAccountId : null;
    locked.push({ entry, job, account, parent: payer === null ? null : (parentOf.get(payer) ?? null) });
  }
  return { locked, busy };
}

/**
 * Schedules jobs for the paying parents and paid children of changed accounts (§8 rule 1), one per account for all
 * entries. Accounts of this transaction are omitted. Takes one statement.
 * @param tokens receives the user token of each relative's cause.
 */
export async function wakeRelatives(
  session: WriteSession,
  jobs: readonly LockedJob[],
  tokens: Map<number, Uuid>,
): Promise<void> {
  const changed = jobs.filter(({ job }) => job.spreads);
  if (changed.length === 0) return;
  const children = await session.accounts.findChildren(changed.map(({ account }) => account.id));
  const childrenOf = Map.groupBy(children.filter(isPaidByParent), ({ parentAccountId }) => parentAccountId);
  const checkedAccounts = new Set(jobs.map(({ account }) => account.recordId));
  const causeOf = new Map<number, LockedJob>();
  for (const each of changed) {
    const { account, parent } = each;
    for (const { recordId } of [parent ?? [], childrenOf.get(account.id) ?? []].flat()) {
      const other = causeOf.get(recordId);
      if (checkedAccounts.has(recordId) || (other !== undefined && other.job.asked >= each.job.asked))
        continue;
      causeOf.set(recordId, each);
      tokens.set(recordId, each.entry.userToken);
    }
  }
  const causedBy = Math.min(...changed.map(({ entry }) => entry.recordId));
  const refresh = { action: OverdueAction.REFRESH, spreads: false, causedBy };
  session.schedule(
    [...causeOf].map(
      ([
        accountRecordId,
        {
          job: { asked },
        },
      ]) => overdueNotification({ ...refresh, accountRecordId, asked }),
    ),
  );
}

/**
 * The transactions of overdue processing itself. Their events do not cause a refresh, because a condition on a tag that
 * a state sets would otherwise cause an endless loop.
 */
export class OwnTransactions {
  readonly #sessions = new WeakSet<WriteSession>();

  run<T>(session: WriteSession, work: () => Promise<T>): Promise<T> {
    this.#sessions.add(session);
    return work();
  }

  has(session: WriteSession): boolean {
    return this.#sessions.has(session);
  }
}

/** Number of accounts for which one transaction schedules jobs after a configuration has lost its last condition. */
export const ACCOUNTS_PER_OVERDUE_PAGE = 200;

/**
 * Schedules a job for each account that is not clear, after a configuration has lost its last condition (§1.2 rule 5).
 */
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

/**
 * Returns CLEAR jobs for accounts that become exempt while the configuration has no conditions (§7 rule 2). Executes at
 * most one statement.
 */
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
