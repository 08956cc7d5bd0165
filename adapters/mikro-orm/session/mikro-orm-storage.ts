import type { MigrationObject } from '@mikro-orm/core';
import type {
  DrawnCounter,
  NodeStore,
  PoolUse,
  PushStore,
  QueueStore,
  QuotaDraw,
  ReadSession,
  Storage,
  StoragePolicy,
  StoredChange,
  WriteSession,
} from '../../../lib/ports/storage/index.ts';
import type { Authorship, TenantRef, UsageSubmission } from '../../../lib/records/index.ts';
import { billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { tenantMoveStore } from '../moves/move-store.ts';
import { entryStore } from '../queue/entry-store.ts';
import { eventStore } from '../queue/event-store.ts';
import { pushStore, sinkStore } from '../queue/push-store.ts';
import { queueStore } from '../queue/queue-store.ts';
import {
  type Connection,
  EVERY_TENANT,
  oneByOne,
  type Reach,
  singleStatementClient,
  type Transaction,
  type TransactionKind,
  type Transactions,
} from '../sql/connection.ts';
import type { Dialect } from '../sql/dialect.ts';
import { Runner, type SystemAccess, systemAccess, type Trace } from '../sql/runner.ts';
import type { Sql } from '../sql/sql.ts';
import { cellStore } from '../stores/cell-store.ts';
import { checkStore } from '../stores/check-store.ts';
import { drawQuota } from '../stores/feature-store.ts';
import { monitoringStore, nodeStore } from '../stores/node-store.ts';
import { secretStore } from '../stores/secret-store.ts';
import { securityStore } from '../stores/security-store.ts';
import { idempotencyStore, systemStore } from '../stores/system-store.ts';
import { takeNumbers } from '../stores/tenant-settings.ts';
import { recordUsage } from '../stores/usage/usage-recording.ts';
import { TenantScope } from '../tables/record-access.ts';
import { readSchemaState, refusal, unboundRoleRefused } from '../tables/schema.ts';
import { violationOf } from '../tables/violations.ts';
import { failureMeaning, withReason } from './failure-meaning.ts';
import { HostTransactions, type SeesLock } from './host-transactions.ts';
import { checkMikroOrmVersion } from './migrator.ts';
import { isConcurrentChange, runAgain } from './retries.ts';
import { defaultPolicy, type Flushed, readSession, type SessionPolicy, writeSession } from './session.ts';
import { SharedNumbers } from './shared-numbers.ts';
import { openTextSpool } from './text-spool.ts';

export interface StorageParts {
  readonly connection: Connection;
  readonly transactions: Transactions;
  readonly dialect: Dialect;
  /** Dialect used in host transactions, because the storage has not prepared their connections. */
  readonly hostDialect: Dialect;
  /** Checks for locks on the database file. The function is null if a database server handles locks. */
  readonly seesLock: SeesLock | null;
  connect(): Promise<void>;
  readonly migrations: readonly MigrationObject[];
  /** Updates the schema. The function is null if the operator must update it. */
  readonly migrate: (() => Promise<unknown>) | null;
  /** If true, `prepare` rejects a database role that bypasses row-level security. */
  readonly requireRowSecurity: boolean;
  /** Releases the locks on the database after a failed start, so that `connect` can be called again. */
  letGo(): Promise<void>;
  close(): Promise<void>;
  poolUse(): Promise<PoolUse | null>;
  /** Name of this node in its notifications about commits. */
  readonly nodeTag: string;
  readonly onSignal: QueueStore['onSignal'];
  readonly reserveName: NodeStore['hold'];
  readonly trace: Trace | undefined;
}

interface Operation<T> {
  readonly tenant: TenantRef;
  readonly authorship: Authorship;
  readonly work: (session: WriteSession) => Promise<T>;
}

/** @param tenantRecordId Null if the tenant is unknown. */
type Listener = (tenantRecordId: number | null) => void;

interface Shared {
  readonly parts: StorageParts;
  /**
   * Functions that are called after a commit has stored due queue entries, pushes to callbacks, or published events.
   */
  readonly listeners: Readonly<Record<'due' | 'pushes' | 'published', Set<Listener>>>;
  /** Functions called after accounts or configurations have changed. */
  readonly changeListeners: Set<(change: StoredChange) => void>;
  readonly hosts: HostTransactions;
  policy: SessionPolicy;
  connected: Promise<void> | undefined;
  isPrepared: boolean;
  /** Calls that are currently using the engine's connections. */
  readonly underWay: Set<Promise<unknown>>;
  closing: Promise<void> | undefined;
}

const systemWrite: TransactionKind = { reach: EVERY_TENANT, mode: 'write' };

/** Storage that uses MikroORM's connection. The differences between databases are in the dialects and their parts. */
export class MikroOrmStorage<Host> implements Storage<Host> {
  readonly singleNode: boolean;
  readonly queue: Storage['queue'];
  readonly entries: Storage['entries'];
  readonly monitoring: Storage['monitoring'];
  readonly events: Storage['events'];
  readonly push: Storage['push'];
  readonly sinks: Storage['sinks'];
  readonly nodes: Storage['nodes'];
  readonly system: Storage['system'];
  readonly security: Storage['security'];
  readonly idempotency: Storage['idempotency'];
  readonly secrets: Storage['secrets'];
  readonly checks: Storage['checks'];
  readonly cells: Storage['cells'];
  readonly moves: Storage['moves'];
  readonly #shared: Shared;
  readonly #access: SystemAccess;
  readonly #host: Host | undefined;
  readonly #paymentNumbers: SharedNumbers;

  private constructor(shared: Shared, host: Host | undefined) {
    this.#shared = shared;
    this.#host = host;
    const { dialect, onSignal } = shared.parts;
    this.singleNode = dialect.kind === 'sqlite';
    const runAs = (reach: Reach) => (statement: Sql) =>
      this.#again(() => this.#alone(reach, (runner) => runner.run(statement)));
    const access = systemAccess(dialect, {
      transact: (work) => this.#again(() => this.#transaction(systemWrite, (runner) => work(runner))),
      run: runAs(EVERY_TENANT),
    });
    this.#paymentNumbers = new SharedNumbers((tenantRecordId, count) =>
      this.#again(() =>
        this.#alone(tenantRecordId, (runner) => takePaymentNumbers(runner, tenantRecordId, count)),
      ),
    );
    const { due, pushes, published } = shared.listeners;
    this.queue = queueStore(access, onSignal);
    this.entries = entryStore(access, {
      nodeTag: shared.parts.nodeTag,
      onReady: () => notify(due, null),
      onPushesReady: () => notify(pushes, null),
    });
    this.#access = access;
    this.events = eventStore(access, subscribeTo(published));
    this.push = pushStore(access, null, subscribeTo(pushes));
    this.sinks = sinkStore(access);
    this.monitoring = monitoringStore(access);
    this.nodes = nodeStore(access, shared.parts.reserveName);
    this.system = systemStore(host ? this.#accessInside(host) : access);
    this.security = securityStore(access);
    this.idempotency = idempotencyStore(access, runAs);
    this.secrets = secretStore(access);
    this.checks = checkStore(access);
    this.cells = cellStore(access);
    this.moves = tenantMoveStore(access);
  }

  static over<Host>(parts: StorageParts): MikroOrmStorage<Host> {
    checkMikroOrmVersion();
    const listeners = {
      due: new Set<Listener>(),
      pushes: new Set<Listener>(),
      published: new Set<Listener>(),
    };
    const changeListeners: Shared['changeListeners'] = new Set();
    const shared: Shared = {
      parts,
      listeners,
      changeListeners,
      hosts: new HostTransactions(parts, (changes) => {
        for (const each of Object.values(listeners)) notify(each, null);
        for (const change of changes) report(changeListeners, change);
      }),
      policy: defaultPolicy,
      connected: undefined,
      isPrepared: false,
      underWay: new Set(),
      closing: undefined,
    };
    return new MikroOrmStorage<Host>(shared, undefined);
  }

  async read<T>(tenant: TenantRef, work: (session: ReadSession) => Promise<T>): Promise<T> {
    const { countThreshold } = this.#shared.policy;
    const host = this.#hostOf(tenant);
    const reach = tenant.recordId;
    const inSession = (runner: Runner) => work(readSession(runner, tenant, countThreshold));
    return host
      ? this.#inHost(host, reach, inSession)
      : this.#transaction({ reach, mode: 'read' }, inSession);
  }

  async readInOneStatement<T>(tenant: TenantRef, work: (session: ReadSession) => Promise<T>): Promise<T> {
    if (this.#hostOf(tenant)) return this.read(tenant, work);
    return this.#runOnConnections(async () => {
      await this.#connect();
      const { transactions } = this.#shared.parts;
      const runner = this.#runnerOn(singleStatementClient(transactions.single(tenant.recordId)));
      return work(readSession(runner, tenant, this.#shared.policy.countThreshold));
    });
  }

  async readText(
    tenant: TenantRef,
    work: (session: ReadSession, write: (text: string) => Promise<void>) => Promise<void>,
  ): Promise<AsyncIterable<string>> {
    const spool = await openTextSpool();
    try {
      await this.read(tenant, (session) => work(session, spool.write));
    } catch (error) {
      await spool.close();
      throw error;
    }
    return spool.read();
  }

  async write<T>(
    tenant: TenantRef,
    authorship: Authorship,
    work: (session: WriteSession) => Promise<T>,
  ): Promise<T> {
    const operation = { tenant, authorship, work };
    const { aroundWrite } = this.#shared.policy;
    return aroundWrite === undefined ? this.#write(operation) : aroundWrite(() => this.#write(operation));
  }

  async #write<T>(operation: Operation<T>): Promise<T> {
    const { tenant } = operation;
    const host = this.#hostOf(tenant);
    if (host) return runAgain(() => this.#joinHost(host, operation), isConcurrentChange);
    const { result, flushed } = await this.#again(() =>
      this.#transaction({ reach: tenant.recordId, mode: 'write' }, (runner) =>
        this.#perform(runner, operation),
      ),
    );
    this.#signal(flushed, tenant);
    if (flushed.published.length > 0) this.#shared.policy.onEvents(flushed.published);
    return result;
  }

  sink(name: string): PushStore {
    return pushStore(this.#access, name, subscribeTo(this.#shared.listeners.published));
  }

  async takePaymentNumber(tenant: TenantRef): Promise<number> {
    const host = this.#hostOf(tenant);
    if (host === undefined) return this.#paymentNumbers.take(tenant.recordId);
    return this.#inHost(host, tenant.recordId, (runner) => takePaymentNumbers(runner, tenant.recordId, 1));
  }

  async drawQuota({ recordId }: TenantRef, draw: QuotaDraw): Promise<DrawnCounter | null> {
    return this.#again(() =>
      this.#alone(recordId, (runner) => drawQuota(new TenantScope(runner, recordId), draw)),
    );
  }

  async recordUsage(
    tenant: TenantRef,
    submissions: readonly UsageSubmission[],
  ): Promise<readonly (string | null)[]> {
    const reach = tenant.recordId;
    const work = (runner: Runner) => recordUsage(runner, reach, submissions);
    const host = this.#hostOf(tenant);
    if (host) return this.#inHost(host, reach, work);
    const { storesUsageAtOnce } = this.#shared.parts.dialect;
    return this.#again(() =>
      storesUsageAtOnce ? this.#alone(reach, work) : this.#transaction({ reach, mode: 'write' }, work),
    );
  }

  within(host: Host): Storage<Host> {
    this.#shared.hosts.check(host);
    return new MikroOrmStorage(this.#shared, host);
  }

  onCommit(listener: () => void): () => void {
    return subscribeTo(this.#shared.listeners.due)(listener);
  }

  onChange(listener: (change: StoredChange) => void): () => void {
    const { changeListeners } = this.#shared;
    changeListeners.add(listener);
    return () => changeListeners.delete(listener);
  }

  async prepare(policy: StoragePolicy = {}): Promise<void> {
    const shared = this.#shared;
    shared.policy = { ...shared.policy, ...policy };
    try {
      await this.#prepareSchema();
      shared.isPrepared = true;
    } catch (error) {
      if (!shared.isPrepared && shared.closing === undefined) {
        shared.connected = undefined;
        await shared.parts.letGo();
      }
      throw withReason(error);
    }
  }

  async #prepareSchema() {
    const { migrate, migrations } = this.#shared.parts;
    const stateNow = () =>
      this.#transaction({ reach: EVERY_TENANT, mode: 'read' }, (runner) =>
        readSchemaState(runner, migrations),
      );
    let state = await stateNow();
    if (state.missing.length > 0 && state.unknown.length === 0 && migrate) {
      // A wrong role would own the tables that it creates, and the right role could not use them.
      await this.#refuseUnboundRole();
      await migrate();
      state = await stateNow();
    }
    const refused = refusal(state);
    if (refused) throw refused;
    await this.#refuseUnboundRole();
  }

  async #refuseUnboundRole() {
    if (!this.#shared.parts.requireRowSecurity) return;
    const unbound = await this.system.unboundRole();
    if (unbound !== null) throw unboundRoleRefused(unbound);
  }

  async poolUse(): Promise<PoolUse | null> {
    return this.#runOnConnections(() => this.#shared.parts.poolUse());
  }

  close(): Promise<void> {
    const shared = this.#shared;
    shared.closing ??= Promise.allSettled([...shared.underWay]).then(() => shared.parts.close());
    return shared.closing;
  }

  /** Runs `work` and writes its changes. The caller then only has to commit. */
  async #perform<T>(runner: Runner, { work, ...call }: Operation<T>) {
    const { parts, policy } = this.#shared;
    const { session, flush } = writeSession({ runner, ...call, policy });
    const result = await work(session);
    const flushed = await flush();
    const notify = flushed.dueNow
      ? parts.dialect.notify(this.#hostOf(call.tenant) ? '' : parts.nodeTag)
      : null;
    if (notify) runner.leaveToCommit(runner.run(notify));
    return { result, flushed };
  }

  /** Runs `work` in a savepoint of the host's transaction, so that a failed operation leaves no changes behind. */
  async #joinHost<T>(host: Host, operation: Operation<T>): Promise<T> {
    const { hosts, parts } = this.#shared;
    const work = async (statements: Transaction) => {
      await hosts.checkLocks(host, statements);
      const runner = this.#runnerOn(statements, parts.hostDialect);
      const { result, flushed } = await this.#perform(runner, operation);
      await runner.last();
      const change = changeOf(flushed, operation.tenant);
      if (change !== null || flushed.dueNow || flushed.hasPushes || flushed.tells) {
        await hosts.expectCommit(host, change);
      }
      return result;
    };
    return this.#reachingHost(async () => {
      const outer = await hosts.transactionOf(host);
      return parts.transactions.join(outer, operation.tenant.recordId, (inside) =>
        hosts.inSavepoint(inside, work),
      );
    });
  }

  async #transaction<T>(kind: TransactionKind, work: (runner: Runner) => Promise<T>): Promise<T> {
    const { dialect, trace, transactions } = this.#shared.parts;
    return this.#runOnConnections(async () => {
      await this.#connect();
      const { hosts } = this.#shared;
      if (kind.mode === 'write' && hosts.isHeld) await hosts.whenFree();
      trace?.('begin', []);
      return transactions.run(kind, async (transaction) => {
        const runner = this.#runnerOn(transaction);
        if (kind.mode === 'write' && dialect.takeWriteLock) await runner.run(dialect.takeWriteLock);
        const result = await work(runner);
        trace?.('commit', []);
        return { result, last: runner.last() };
      });
    });
  }

  /** Runs `work` in the host's transaction with the tenant scope `reach`. */
  async #inHost<T>(host: Host, reach: Reach, work: (runner: Runner) => Promise<T>): Promise<T> {
    const { hosts, parts } = this.#shared;
    return this.#reachingHost(async () => {
      const outer = await hosts.transactionOf(host);
      return parts.transactions.join(outer, reach, (inside) =>
        work(this.#runnerOn(oneByOne(inside), parts.hostDialect)),
      );
    });
  }

  #hostOf({ within }: TenantRef): Host | undefined {
    return within === undefined ? this.#host : (within.host as Host);
  }

  #accessInside(host: Host): SystemAccess {
    return systemAccess(this.#shared.parts.dialect, {
      transact: (work) => this.#inHost(host, EVERY_TENANT, work),
      run: (statement) => this.#inHost(host, EVERY_TENANT, (runner) => runner.run(statement)),
    });
  }

  async #alone<T>(reach: Reach, work: (runner: Runner) => Promise<T>): Promise<T> {
    return this.#runOnConnections(async () => {
      await this.#connect();
      const { hosts, parts } = this.#shared;
      return work(this.#runnerOn(whenWritable(hosts, parts.transactions.single(reach))));
    });
  }

  #runnerOn(transaction: Transaction, dialect = this.#shared.parts.dialect): Runner {
    const { trace } = this.#shared.parts;
    return new Runner({ dialect, trace, violationOf }, transaction);
  }

  /** Runs work on the engine's connections. `close` waits until all such work has ended. */
  async #runOnConnections<T>(work: () => Promise<T>): Promise<T> {
    const { underWay } = this.#shared;
    return this.#reachingHost(async () => {
      const working = work();
      underWay.add(working);
      try {
        return await working;
      } finally {
        underWay.delete(working);
      }
    });
  }

  /**
   * Runs work and translates database errors. Rejects calls after `close`, because they would open the database again.
   */
  async #reachingHost<T>(work: () => Promise<T>): Promise<T> {
    const { closing, parts } = this.#shared;
    if (closing !== undefined)
      throw billingError(ErrorCode.BUSY, 'This storage has been closed; open a new one');
    try {
      return await work();
    } catch (error) {
      throw failureMeaning(parts.dialect, error);
    }
  }

  async #again<T>(attempt: () => Promise<T>): Promise<T> {
    const { dialect } = this.#shared.parts;
    return runAgain(
      attempt,
      (error) => isConcurrentChange(error) || dialect.failureOf(error).kind === 'retry',
    );
  }

  async #connect() {
    const shared = this.#shared;
    shared.connected ??= shared.parts.connect();
    try {
      await shared.connected;
    } catch (error) {
      shared.connected = undefined;
      throw error;
    }
  }

  #signal(flushed: Flushed, tenant: TenantRef) {
    const { dueNow, hasPushes, tells } = flushed;
    const { recordId } = tenant;
    const { due, pushes, published } = this.#shared.listeners;
    const change = changeOf(flushed, tenant);
    if (change !== null) report(this.#shared.changeListeners, change);
    if (dueNow) notify(due, recordId);
    if (hasPushes) notify(pushes, recordId);
    if (tells) notify(published, recordId);
  }
}

function changeOf({ touched }: Flushed, { recordId: tenantRecordId }: TenantRef): StoredChange | null {
  return touched !== null && touched.size === 0 ? null : { tenantRecordId, accountRecordIds: touched };
}

function report(listeners: Shared['changeListeners'], change: StoredChange) {
  for (const listener of listeners) listener(change);
}

function notify(listeners: ReadonlySet<Listener>, tenantRecordId: number | null) {
  for (const listener of listeners) listener(tenantRecordId);
}

/** Makes write statements wait for host transactions that lock the SQLite file. */
function whenWritable(hosts: HostTransactions, single: Transaction): Transaction {
  if (!hosts.isHeld) return single;
  return {
    executeQuery: async (statement) => {
      if (!/^\s*select\b/i.test(statement.sql)) await hosts.whenFree();
      return single.executeQuery(statement);
    },
  };
}

/** Returns a subscribe function. It adds a listener and returns a function that removes this listener. */
function subscribeTo(listeners: Set<Listener>): (listener: Listener) => () => void {
  return (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
}

function takePaymentNumbers(runner: Runner, tenantRecordId: number, count: number) {
  return takeNumbers(new TenantScope(runner, tenantRecordId), 'payment_number', count);
}
