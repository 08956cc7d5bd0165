import { type CatalogProvider, type CatalogSource, catalogsOfBatch } from '../../catalog/index.ts';
import {
  type AccountEffects,
  effectsOnAccountRecords,
  effectsOnAccounts,
  TagEffect,
} from '../../control-tags/index.ts';
import { type Ports, retryLaterOf } from '../../ports/index.ts';
import type { ClaimedEntry, ReadSession, WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  ActingComponent,
  type Authorship,
  type EventPayload,
  type NewBusEvent,
  type QueueEntry,
  QueueName,
} from '../../records/index.ts';
import {
  type ActivityPorts,
  allEnded,
  batchAuthorship,
  type HandlerBatch,
  isPassing,
  ofAccount,
  type QueueHandler,
} from '../../runtime/index.ts';
import { BillingError, InvariantError } from '../../values/errors/index.ts';
import { MAX_BUSY_ENTRIES_COUNTED, MAX_INVOICE_CONSULTATIONS } from '../../values/limits.ts';
import { type Instant, parseWireInstant } from '../../values/time/index.ts';
import { noticeEntries, RUN_TOPICS, runOfChange, runTrigger } from '../evaluation/run-entries.ts';
import { decideDrafting } from '../invoices/new-invoice.ts';
import { reportOutcomes } from '../plugins/consult-about-runs.ts';
import type { InvoicingConfig, InvoicingConfigOf } from '../proposals/invoicing-config.ts';
import { alwaysParks, parkAccounts, reasonOf } from '../runs/parking.ts';
import type { RunRequest } from '../runs/run-accounts.ts';
import { type FailedRun, type RunResult, showInvoices, warnOfSkipped } from '../runs/run-results.ts';
import { giveBillCycleDays } from '../saving/save-runs.ts';
import type { ConsultedSources, InvoiceRunService } from './run-service.ts';

interface PlannedBatch {
  readonly runs: readonly ClaimedEntry[];
  /** Entries that need no run, and entries whose account is parked or excluded from invoicing. */
  readonly idle: readonly ClaimedEntry[];
  readonly busy: readonly ClaimedEntry[];
  readonly requests: readonly RunRequest[];
  /** Accounts tagged AUTO_INVOICING_OFF that may still need a bill cycle day. */
  readonly heldBack: readonly Account[];
}

interface RunningBatch {
  readonly batch: HandlerBatch;
  readonly entries: readonly ClaimedEntry[];
  readonly catalogsOf: CatalogSource;
  readonly asked: ConsultedSources;
}

interface BatchResult extends Pick<PlannedBatch, 'busy'> {
  readonly results: readonly RunResult[];
  readonly parked: readonly FailedRun[];
  /** Entries whose run failed without parking the account, each with its error. */
  readonly left: readonly { readonly entry: ClaimedEntry; readonly error: unknown }[];
  /**
   * Entries whose run must be repeated, because it differs from the run for which plugins or usage sources were called.
   */
  readonly changed: readonly ClaimedEntry[];
  readonly finished: readonly ClaimedEntry[];
}

const NOTHING_DONE: BatchResult = { busy: [], results: [], parked: [], left: [], changed: [], finished: [] };

type HandlerPorts = Pick<Ports, 'storage' | 'clock' | 'logger' | 'ids'> & ActivityPorts;

interface HandlerTools {
  readonly runs: InvoiceRunService;
  readonly catalogs: CatalogProvider;
  readonly configOf: InvoicingConfigOf;
}

/**
 * Executes the automatic invoice runs of due accounts (§8.1, §8.2). A batch is one transaction, which also ends the
 * queue entries of the accounts.
 */
export class InvoiceRunHandler implements QueueHandler {
  readonly name = 'invoice-service:run';
  readonly topics = RUN_TOPICS;
  readonly #ports: HandlerPorts;
  readonly #tools: HandlerTools;
  readonly #retries = new PluginRetries();

  constructor(ports: HandlerPorts, tools: HandlerTools) {
    this.#ports = ports;
    this.#tools = tools;
  }

  needs({ type: topic, payload }: Pick<NewBusEvent, 'type' | 'payload'>, now: Instant): boolean {
    return runTrigger({ topic, payload }).kind === 'run' || requestedLater(payload, now) !== null;
  }

  async handle(batch: HandlerBatch): Promise<void> {
    const now = this.#ports.clock.now();
    const authorship = batchAuthorship(batch.entries, actorOf(batch.entries), now);
    const catalogsOf = await catalogsOfBatch(this.#tools.catalogs, batch, now);
    if (catalogsOf === null) return;
    let entries = batch.entries;
    for (let times = 0; entries.length > 0 && times < MAX_INVOICE_CONSULTATIONS; times += 1) {
      const asked = await this.#ask(batch, entries, { authorship, catalogsOf });
      const running = { batch, entries, catalogsOf, asked };
      const outcome = await this.#ports.storage
        .write(batch.tenant, authorship, (session) => this.#runAll(session, running))
        .catch((error: unknown) => this.#parkUnstored(running, authorship, error));
      this.#settle(batch, outcome);
      if (asked.consulted !== null) await reportOutcomes(this.#ports, asked.consulted, outcome.results);
      entries = outcome.changed;
    }
    if (entries.length > 0) batch.busy(entries);
  }

  /** Calls usage sources and invoice plugins for the runs of the entries. */
  #ask(
    { tenant }: HandlerBatch,
    entries: readonly ClaimedEntry[],
    { authorship, catalogsOf }: { readonly authorship: Authorship; readonly catalogsOf: CatalogSource },
  ): Promise<ConsultedSources> {
    return this.#tools.runs.ask({
      tenant,
      now: authorship.createdDate,
      caller: authorship,
      properties: [],
      maySplit: true,
      catalogsOf,
      plan: async (session, { isAutomatic }) => {
        if (!isAutomatic) return [];
        const recordIds = accountsOf(entries);
        const [accounts, tags] = await Promise.all([
          session.accounts.findByRecordIds(recordIds),
          effectsOnAccountRecords(session, recordIds),
        ]);
        return plan(entries, { isAutomatic, accounts, tags }).requests;
      },
    });
  }

  /** Reports the committed outcome. */
  #settle(batch: HandlerBatch, { busy, parked, left, results, finished }: BatchResult): void {
    this.#tools.runs.counts.add(results, parked);
    showInvoices(this.#ports, results);
    if (busy.length > 0) batch.busy(busy);
    for (const failure of parked) this.#logParked(failure);
    warnOfSkipped(this.#ports, results);
    for (const entry of finished) this.#retries.forget(entry);
    for (const { entry, error } of left) {
      if (retryLaterOf(error) !== undefined) this.#retries.add(entry);
      batch.failed(entry, error);
    }
  }

  /**
   * Parks an account that could not be locked on any attempt (§8.6). Takes no lock, because a lock attempt could fail
   * again.
   */
  async giveUp(batch: HandlerBatch): Promise<void> {
    const { clock, logger, storage } = this.#ports;
    const authorship = batchAuthorship(batch.entries, actorOf(batch.entries), clock.now());
    const accounts = await storage.write(batch.tenant, authorship, async (session) => {
      const found = await session.accounts.findByRecordIds(accountsOf(batch.entries));
      const ids = found.map(({ id }) => id);
      const tags = await effectsOnAccounts(session, ids);
      const run = found.filter(({ id }) => !tags.has(id, TagEffect.PARKS, TagEffect.STOPS_INVOICING));
      await this.#park(session, run, 'It was busy each time its invoice run was due');
      await batch.finish(session, batch.entries);
      return run;
    });
    for (const { id, recordId } of accounts) {
      const entry = batch.entries.find(({ accountRecordId }) => accountRecordId === recordId);
      const facts = { requestId: entry?.userToken, accountId: id };
      logger.error(facts, 'account was busy each time its invoice run was due; account is parked');
    }
  }

  #park(session: WriteSession, accounts: readonly Account[], reason: string): Promise<void> {
    const parked = accounts.map((account) => ({ account, reason }));
    return parkAccounts(session, parked, this.#ports.ids);
  }

  async #runAll(
    session: WriteSession,
    { batch, entries, catalogsOf, asked }: RunningBatch,
  ): Promise<BatchResult> {
    const due = accountsOf(entriesThatRun(entries));
    const [accounts, tags, config] = await allEnded([
      session.tryLockAccounts(due),
      effectsOnAccountRecords(session, due),
      this.#tools.configOf(session),
    ]);
    const { isAutomatic, noticeLeadMs: leadMs } = config;
    const now = session.authorship.createdDate;
    session.schedule(await noticesOfRequests(session, entries, { leadMs, now }));
    const planned = plan(entries, { isAutomatic, accounts, tags });
    const { busy } = planned;
    if (!isAutomatic) {
      // Without automatic invoicing, due accounts are parked (§8.2 step 1).
      const stopped = planned.requests.map(({ account }) => account);
      await this.#park(session, stopped, 'Automatic invoicing is off: org.service.invoice.enabled');
      const finished = [...planned.runs, ...planned.idle];
      await batch.finish(session, finished);
      return { ...NOTHING_DONE, busy, finished };
    }
    await this.#giveBillCycleDays(session, planned.heldBack, { catalogsOf, config });
    const results = await this.#tools.runs.run(session, planned.requests, { catalogsOf, ...asked });
    const entryOf = new Map(planned.runs.map((entry) => [entry.accountRecordId, entry]));
    const failures = results.filter((result) => result.kind === 'failed');
    const parked = failures.filter((failure) =>
      this.#isParkedFor(failure, entryOf.get(failure.account.recordId), config),
    );
    const withReasons = parked.map(({ account, error }) => ({ account, reason: reasonOf(error) }));
    await parkAccounts(session, withReasons, this.#ports.ids);
    const left = failures
      .filter((failure) => !parked.includes(failure))
      .flatMap(({ account, error }) => {
        const entry = entryOf.get(account.recordId);
        return entry === undefined ? [] : [{ entry, error }];
      });
    const changed = results.flatMap(({ kind, account }) =>
      kind === 'changed' ? (entryOf.get(account.recordId) ?? []) : [],
    );
    const open = new Set([...left.map(({ entry }) => entry), ...changed]);
    const finished = [...planned.runs, ...planned.idle].filter((entry) => !open.has(entry));
    await batch.finish(session, finished);
    return { busy, parked, left, results, changed, finished };
  }

  #isParkedFor(
    { error, isRetried = false }: FailedRun,
    entry: ClaimedEntry | undefined,
    { parksOnAllErrors }: InvoicingConfig,
  ): boolean {
    if (isRetried) return false;
    // A plugin may postpone the run a limited number of times (§8.6).
    if (retryLaterOf(error) !== undefined) return this.#retries.isExhausted(entry);
    return parksOnAllErrors || alwaysParks(error);
  }

  async #giveBillCycleDays(
    session: WriteSession,
    accounts: readonly Account[],
    { catalogsOf, config }: { readonly catalogsOf: CatalogSource; readonly config: InvoicingConfig },
  ): Promise<void> {
    if (accounts.length === 0) return;
    const ids = accounts.map(({ id }) => id);
    await giveBillCycleDays(session, accounts, { catalogOf: await catalogsOf(session, ids), config });
  }

  /**
   * Parks the account if its run cannot be stored even when it is the only run in its batch (§8.6). All changes of the
   * run are rolled back.
   */
  async #parkUnstored(
    { batch, entries }: RunningBatch,
    authorship: Authorship,
    error: unknown,
  ): Promise<BatchResult> {
    const isLasting = alwaysParks(error) || (error instanceof BillingError && !isPassing(error));
    if (entries.length > 1 || !isLasting) throw error;
    return this.#ports.storage.write(batch.tenant, authorship, async (session) => {
      const { parksOnAllErrors } = await this.#tools.configOf(session);
      if (!parksOnAllErrors && !alwaysParks(error)) throw error;
      const accounts = await session.tryLockAccounts(accountsOf(entries));
      if (accounts.length === 0) return { ...NOTHING_DONE, busy: entries };
      await this.#park(session, accounts, reasonOf(error));
      await batch.finish(session, entries);
      const parked = accounts.map(
        (account): FailedRun => ({ account, kind: 'failed', error, isWorkedOut: true }),
      );
      return { ...NOTHING_DONE, parked, results: parked, finished: entries };
    });
  }

  /** Logs that an account is parked. A failed automatic run parks its account and is not repeated (§8.6). */
  #logParked({ account, error }: FailedRun): void {
    const facts = { err: error, accountId: account.id, illegalState: error instanceof InvariantError };
    ofAccount(this.#ports, account.recordId, () =>
      this.#ports.logger.error(facts, 'invoice run failed; account is parked'),
    );
  }
}

function accountsOf(entries: readonly ClaimedEntry[]) {
  return entries.flatMap(({ accountRecordId }) => accountRecordId ?? []);
}

function entriesThatRun(entries: readonly ClaimedEntry[]) {
  return entries.filter((entry) => runTrigger(entry).kind === 'run');
}

/**
 * Returns the runs of the entries. Omits accounts whose tags stop automatic runs (§8.2 steps 2 and 3).
 * @param accounts The accounts that could be locked. All other accounts are busy.
 */
function plan(
  entries: readonly ClaimedEntry[],
  {
    isAutomatic,
    accounts,
    tags,
  }: {
    readonly isAutomatic: boolean;
    readonly accounts: readonly Account[];
    readonly tags: AccountEffects;
  },
): PlannedBatch {
  // Without automatic invoicing, every due account is parked, regardless of its tags.
  const stops = isAutomatic ? [TagEffect.PARKS, TagEffect.STOPS_INVOICING] : [TagEffect.PARKS];
  const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
  const runs: ClaimedEntry[] = [];
  const requests: RunRequest[] = [];
  const idle: ClaimedEntry[] = [];
  const busy: ClaimedEntry[] = [];
  const heldBack = accounts.filter(
    ({ id, billCycleDayLocal, currency }) =>
      billCycleDayLocal === 0 &&
      currency !== null &&
      tags.has(id, TagEffect.STOPS_INVOICING) &&
      !tags.has(id, TagEffect.PARKS),
  );
  for (const entry of entries) {
    const account = entry.accountRecordId === null ? undefined : accountOf.get(entry.accountRecordId);
    const trigger = runTrigger(entry);
    const isRun = trigger.kind === 'run';
    if (isRun && !account) busy.push(entry);
    else if (!isRun || !account || tags.has(account.id, ...stops)) idle.push(entry);
    else if (trigger.targetDate === null && account.currency === null) idle.push(entry);
    else {
      runs.push(entry);
      requests.push({
        account,
        requestedDate: trigger.targetDate,
        dueDate: trigger.targetDate,
        drafting: decideDrafting(tags, account.id),
        isRescheduled: entry.payload.isRescheduled === true,
      });
    }
  }
  return { runs, idle, busy, requests, heldBack };
}

/**
 * Returns the component that is recorded as the author of the runs (platform §5.3). Scheduled runs and runs after
 * subscription events have different authors.
 */
function actorOf(entries: readonly ClaimedEntry[]): ActingComponent {
  const scheduled = entries.every((entry) => entry.topic === QueueName.NEXT_BILLING_DATE);
  return scheduled ? ActingComponent.NEXT_BILLING_DATE : ActingComponent.SUBSCRIPTION_TRANSITION;
}

/**
 * Maximum number of consecutive times that plugins can postpone a queued run with `RetryLater`. After that, the
 * account is parked.
 */
export const MAX_INVOICE_RETRIES = 50;

/** Counts the consecutive times that plugins have postponed an entry on this node. */
export class PluginRetries {
  readonly #times = new Map<number, number>();

  /** Returns true if the entry was postponed the maximum number of times. */
  isExhausted(entry: ClaimedEntry | undefined): boolean {
    return entry !== undefined && (this.#times.get(entry.recordId) ?? 0) >= MAX_INVOICE_RETRIES;
  }

  add({ recordId }: ClaimedEntry): void {
    const times = (this.#times.get(recordId) ?? 0) + 1;
    // Move the entry to the end, so that entries that another node has claimed are removed first.
    this.#times.delete(recordId);
    this.#times.set(recordId, times);
    const [oldest] = this.#times.keys();
    if (this.#times.size > MAX_BUSY_ENTRIES_COUNTED && oldest !== undefined) this.#times.delete(oldest);
  }

  forget({ recordId }: ClaimedEntry): void {
    this.#times.delete(recordId);
  }
}

/** Returns the future instant of the change that an event requests, or null if the change is not in the future. */
function requestedLater({ actionType, effectiveDate }: EventPayload, now: Instant): Instant | null {
  if (actionType !== 'REQUESTED' || typeof effectiveDate !== 'string') return null;
  const at = parseWireInstant(effectiveDate);
  return at === undefined || at <= now ? null : at;
}

/**
 * Returns the invoice announcements for subscription changes that take effect later (§8.1). These changes do not
 * start a run yet.
 * @param leadMs milliseconds between the announcement of an invoice and its run; 0 means no announcements.
 */
async function noticesOfRequests(
  session: ReadSession,
  entries: readonly Pick<QueueEntry, 'payload' | 'accountRecordId'>[],
  { leadMs, now }: { readonly leadMs: number; readonly now: Instant },
) {
  if (leadMs === 0) return [];
  const changes = entries.flatMap(({ payload, accountRecordId }) => {
    const at = requestedLater(payload, now);
    return at === null || accountRecordId === null ? [] : [{ accountRecordId, at }];
  });
  if (changes.length === 0) return [];
  const ids = changes.map(({ accountRecordId }) => accountRecordId);
  const accounts = await session.accounts.findByRecordIds(ids);
  const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
  return changes.flatMap(({ accountRecordId, at }) => {
    const account = accountOf.get(accountRecordId);
    return account === undefined ? [] : noticeEntries(account, runOfChange(account, at), { leadMs, now });
  });
}
