import { type CatalogProvider, type CatalogSource, catalogsOfBatch } from '../../catalog/index.ts';
import { effectsOnAccounts, TagEffect } from '../../control-tags/index.ts';
import { type Ports, retryLaterOf } from '../../ports/index.ts';
import type { ClaimedEntry, ReadSession, WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  ActingComponent,
  type Authorship,
  type NewNotification,
  type QueueEntry,
  QueueName,
} from '../../records/index.ts';
import {
  type ActivityPorts,
  batchAuthorship,
  type HandlerBatch,
  isPassing,
  ofAccount,
  type QueueHandler,
} from '../../runtime/index.ts';
import { BillingError, InvariantError } from '../../values/errors/index.ts';
import { MAX_BUSY_ENTRIES_COUNTED, MAX_INVOICE_CONSULTATIONS } from '../../values/limits.ts';
import { type Instant, type LocalDate, parseWireInstant } from '../../values/time/index.ts';
import { noticeEntries, RUN_TOPICS, runOfChange, runTrigger } from '../evaluation/run-entries.ts';
import { draftingOf } from '../invoices/drafting.ts';
import { tellOutcomes } from '../plugins/ask-about-runs.ts';
import type { RunRequest } from '../runs/evaluate-runs.ts';
import { alwaysParks, reasonOf } from '../runs/parking.ts';
import { type RunResult, warnOfSkipped } from '../runs/run-accounts.ts';
import { showInvoices } from '../runs/run-results.ts';
import type { Asked, InvoiceRunService } from './run-service.ts';

/** The entries of one batch, and the accounts that they ask to run. */
interface PlannedBatch {
  readonly runs: readonly ClaimedEntry[];
  /** Entries that ask for nothing, or whose account is parked or must not be invoiced. */
  readonly idle: readonly ClaimedEntry[];
  readonly busy: readonly ClaimedEntry[];
  readonly requests: readonly RunRequest[];
  /** Accounts that AUTO_INVOICING_OFF keeps from being invoiced and that may need a bill cycle day nevertheless. */
  readonly heldBack: readonly Account[];
}

/** A run that threw an error. */
type Failure = Extract<RunResult, { kind: 'failed' }>;

interface RunningBatch {
  readonly batch: HandlerBatch;
  readonly entries: readonly ClaimedEntry[];
  readonly catalogsOf: CatalogSource;
  readonly asked: Asked;
}

interface BatchResult extends Pick<PlannedBatch, 'busy'> {
  readonly results: readonly RunResult[];
  readonly parked: readonly Failure[];
  /** Entries that come again by the rules for errors. */
  readonly left: readonly { readonly entry: ClaimedEntry; readonly error: unknown }[];
  /** Entries of accounts about which plugins have to be asked again. */
  readonly changed: readonly ClaimedEntry[];
  readonly finished: readonly ClaimedEntry[];
}

/** Automatic invoice runs (§8.1, §8.2): a batch of due accounts is one transaction, which also ends their queue entries. */
export class InvoiceRunHandler implements QueueHandler {
  readonly name = 'invoice-service:run';
  readonly topics = RUN_TOPICS;
  readonly #ports: Pick<Ports, 'storage' | 'clock' | 'logger'> & ActivityPorts;
  readonly #invoicing: InvoiceRunService;
  readonly #catalogs: CatalogProvider;
  readonly #retries = new PluginRetries();

  constructor(
    ports: Pick<Ports, 'storage' | 'clock' | 'logger'> & ActivityPorts,
    invoicing: InvoiceRunService,
    catalogs: CatalogProvider,
  ) {
    this.#ports = ports;
    this.#invoicing = invoicing;
    this.#catalogs = catalogs;
  }

  async handle(batch: HandlerBatch): Promise<void> {
    const now = this.#ports.clock.now();
    const authorship = batchAuthorship(batch.entries, actorOf(batch.entries), now);
    const catalogsOf = await catalogsOfBatch(this.#catalogs, batch, now);
    if (catalogsOf === null) return;
    let entries = batch.entries;
    for (let times = 0; entries.length > 0 && times < MAX_INVOICE_CONSULTATIONS; times += 1) {
      const asked = await this.#ask(batch, entries, { authorship, catalogsOf });
      const running = { batch, entries, catalogsOf, asked };
      const outcome = await this.#ports.storage
        .write(batch.tenant, authorship, (session) => this.#runAll(session, running))
        .catch((error: unknown) => this.#parkUnstored(running, authorship, error));
      this.#settle(batch, outcome);
      const { consulted } = asked;
      if (consulted !== null) await tellOutcomes(this.#ports, consulted, outcome.results);
      entries = outcome.changed;
    }
    if (entries.length > 0) batch.busy(entries);
  }

  /** What usage sources and invoice plugins say about the runs that the entries ask for, as things are now. */
  #ask(
    { tenant }: HandlerBatch,
    entries: readonly ClaimedEntry[],
    { authorship, catalogsOf }: { readonly authorship: Authorship; readonly catalogsOf: CatalogSource },
  ): Promise<Asked> {
    const recordIds = entries.flatMap((entry) => entry.accountRecordId ?? []);
    return this.#invoicing.ask({
      tenant,
      now: authorship.createdDate,
      caller: authorship,
      properties: [],
      maySplit: true,
      catalogsOf,
      plan: async (session, { isAutomatic }) => {
        if (!isAutomatic) return [];
        const accounts = await session.accounts.findByRecordIds(recordIds);
        return (await plan(session, entries, { isAutomatic, accounts })).requests;
      },
    });
  }

  /** Says what has become of the entries and accounts, once it is committed. */
  #settle(batch: HandlerBatch, { busy, parked, left, results, finished }: BatchResult): void {
    this.#invoicing.counts.add(results, parked);
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

  /** §8.6: an account that could never be locked is parked, without a lock: that would have to be waited for as well. */
  async giveUp(batch: HandlerBatch): Promise<void> {
    const { clock, logger, storage } = this.#ports;
    const authorship = batchAuthorship(batch.entries, actorOf(batch.entries), clock.now());
    const accounts = await storage.write(batch.tenant, authorship, async (session) => {
      const recordIds = batch.entries.flatMap((entry) => entry.accountRecordId ?? []);
      const found = await session.accounts.findByRecordIds(recordIds);
      const tags = await effectsOnAccounts(
        session,
        found.map(({ id }) => id),
      );
      const run = found.filter(({ id }) => !tags.has(id, TagEffect.PARKS, TagEffect.STOPS_INVOICING));
      const reason = 'It was busy whenever its invoice run came';
      await this.#invoicing.park(
        session,
        run.map((account) => ({ account, reason })),
      );
      await batch.finish(session, batch.entries);
      return run;
    });
    for (const { id, recordId } of accounts) {
      const entry = batch.entries.find(({ accountRecordId }) => accountRecordId === recordId);
      const facts = { requestId: entry?.userToken, accountId: id };
      logger.error(facts, 'account was busy whenever its invoice run came; it is parked');
    }
  }

  async #runAll(
    session: WriteSession,
    { batch, entries, catalogsOf, asked }: RunningBatch,
  ): Promise<BatchResult> {
    const { isAutomatic, parksOnAllErrors, noticeLeadMs } = await this.#invoicing.configOf(session);
    const now = session.authorship.createdDate;
    session.schedule(await noticesOfRequests(session, entries, { leadMs: noticeLeadMs, now }));
    const recordIds = entriesThatRun(entries).flatMap((entry) => entry.accountRecordId ?? []);
    const accounts = await session.tryLockAccounts(recordIds);
    const planned = await plan(session, entries, { isAutomatic, accounts });
    const { busy } = planned;
    if (!isAutomatic) {
      // §8.2 step 1: how a tenant without automatic invoicing treats due accounts.
      const reason = 'Automatic invoicing is off: org.service.invoice.enabled';
      await this.#invoicing.park(
        session,
        planned.requests.map(({ account }) => ({ account, reason })),
      );
      const finished = [...planned.runs, ...planned.idle];
      await batch.finish(session, finished);
      return { busy, parked: [], left: [], results: [], changed: [], finished };
    }
    await this.#invoicing.giveBillCycleDays(session, planned.heldBack, catalogsOf);
    const results = await this.#invoicing.run(session, planned.requests, { catalogsOf, ...asked });
    const entryOf = new Map(planned.runs.map((entry) => [entry.accountRecordId, entry]));
    const failures = results.filter((result) => result.kind === 'failed');
    const parked = failures.filter(({ account, error, isRetried = false }) => {
      if (isRetried) return false;
      // A plugin that asks for time gets it, until it has had enough (§8.6).
      if (retryLaterOf(error) !== undefined) return this.#retries.isExhausted(entryOf.get(account.recordId));
      return parksOnAllErrors || alwaysParks(error);
    });
    await this.#invoicing.park(
      session,
      parked.map(({ account, error }) => ({ account, reason: reasonOf(error) })),
    );
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

  /** §8.6: a run that fails while it is stored parks its account too, when it runs alone: all that it wrote is undone. */
  async #parkUnstored(
    { batch, entries }: RunningBatch,
    authorship: Authorship,
    error: unknown,
  ): Promise<BatchResult> {
    const isLasting = alwaysParks(error) || (error instanceof BillingError && !isPassing(error));
    if (entries.length > 1 || !isLasting) throw error;
    return this.#ports.storage.write(batch.tenant, authorship, async (session) => {
      const { parksOnAllErrors } = await this.#invoicing.configOf(session);
      if (!parksOnAllErrors && !alwaysParks(error)) throw error;
      const accounts = await session.tryLockAccounts(entries.flatMap((entry) => entry.accountRecordId ?? []));
      const nothing = { parked: [], left: [], results: [], changed: [], finished: [], busy: [] };
      if (accounts.length === 0) return { ...nothing, busy: entries };
      const reason = reasonOf(error);
      await this.#invoicing.park(
        session,
        accounts.map((account) => ({ account, reason })),
      );
      await batch.finish(session, entries);
      const parked = accounts.map(
        (account): Failure => ({ account, kind: 'failed', error, isWorkedOut: true }),
      );
      return { ...nothing, parked, results: parked, finished: entries };
    });
  }

  /** §8.6: an automatic run that fails parks its account and is not repeated. */
  #logParked({ account, error }: Failure): void {
    const illegalState = error instanceof InvariantError;
    ofAccount(this.#ports, account.recordId, () =>
      this.#ports.logger.error(
        { err: error, accountId: account.id, illegalState },
        'invoice run failed; account is parked',
      ),
    );
  }
}

function entriesThatRun(entries: readonly ClaimedEntry[]): readonly ClaimedEntry[] {
  return entries.filter((entry) => runTrigger(entry).kind === 'run');
}

/**
 * What the entries ask for; leaves out accounts whose tags stop automatic runs (§8.2 steps 2 and 3).
 * @param accounts those of the entries that can be had; the others are busy.
 */
async function plan(
  session: ReadSession,
  entries: readonly ClaimedEntry[],
  { isAutomatic, accounts }: { readonly isAutomatic: boolean; readonly accounts: readonly Account[] },
): Promise<PlannedBatch> {
  const asking = entriesThatRun(entries);
  const silent = entries.filter((entry) => runTrigger(entry).kind === 'none');
  const tags = await effectsOnAccounts(
    session,
    accounts.map(({ id }) => id),
  );
  // Where nothing is automatic, every account that falls due is parked, whatever its tags.
  const stops = isAutomatic ? [TagEffect.PARKS, TagEffect.STOPS_INVOICING] : [TagEffect.PARKS];
  const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
  const runs: ClaimedEntry[] = [];
  const requests: RunRequest[] = [];
  const idle = [...silent];
  const busy: ClaimedEntry[] = [];
  const heldBack = accounts.filter(
    ({ id, billCycleDayLocal, currency }) =>
      billCycleDayLocal === 0 &&
      currency !== null &&
      tags.has(id, TagEffect.STOPS_INVOICING) &&
      !tags.has(id, TagEffect.PARKS),
  );
  for (const entry of asking) {
    const account = entry.accountRecordId === null ? undefined : accountOf.get(entry.accountRecordId);
    const trigger = runTrigger(entry);
    if (!account) busy.push(entry);
    else if (trigger.kind === 'none' || tags.has(account.id, ...stops)) idle.push(entry);
    else if (trigger.targetDate === null && account.currency === null) idle.push(entry);
    else {
      runs.push(entry);
      requests.push({
        ...requestOf(account, trigger.targetDate),
        drafting: draftingOf(tags, account.id),
        isRescheduled: entry.payload.isRescheduled === true,
      });
    }
  }
  return { runs, idle, busy, requests, heldBack };
}

/** A run at the due date, or one that is asked for now. */
function requestOf(account: Account, targetDate: LocalDate | null): RunRequest {
  const request = { account, requestedDate: targetDate };
  return targetDate === null ? request : { ...request, dueDate: targetDate };
}

/** platform §5.3: a billing run after a subscription event, or a scheduled one. */
function actorOf(entries: readonly ClaimedEntry[]): ActingComponent {
  const scheduled = entries.every((entry) => entry.topic === QueueName.NEXT_BILLING_DATE);
  return scheduled ? ActingComponent.NEXT_BILLING_DATE : ActingComponent.SUBSCRIPTION_TRANSITION;
}

/** How often in a row a plugin may put a queued run off with `RetryLater` before its account is parked. */
export const MAX_INVOICE_RETRIES = 50;

/** Counts how often in a row plugins have put an entry off on this node. */
export class PluginRetries {
  readonly #times = new Map<number, number>();

  /** Whether the entry has been put off as often as it may be. */
  isExhausted(entry: ClaimedEntry | undefined): boolean {
    return entry !== undefined && (this.#times.get(entry.recordId) ?? 0) >= MAX_INVOICE_RETRIES;
  }

  add({ recordId }: ClaimedEntry): void {
    const times = (this.#times.get(recordId) ?? 0) + 1;
    // Moves the entry behind the others: entries that another node has taken are forgotten first.
    this.#times.delete(recordId);
    this.#times.set(recordId, times);
    const [oldest] = this.#times.keys();
    if (this.#times.size > MAX_BUSY_ENTRIES_COUNTED && oldest !== undefined) this.#times.delete(oldest);
  }

  forget({ recordId }: ClaimedEntry): void {
    this.#times.delete(recordId);
  }
}

/**
 * A change of a subscription that takes effect later asks for no run yet, but its invoice is told of (§8.1).
 * @param leadMs how long before the run; 0 = never.
 */
export async function noticesOfRequests(
  session: ReadSession,
  entries: readonly Pick<QueueEntry, 'payload' | 'accountRecordId'>[],
  { leadMs, now }: { readonly leadMs: number; readonly now: Instant },
): Promise<readonly NewNotification[]> {
  if (leadMs === 0) return [];
  const changes = entries.flatMap(({ payload, accountRecordId }) => {
    const { actionType, effectiveDate } = payload;
    if (actionType !== 'REQUESTED' || typeof effectiveDate !== 'string' || accountRecordId === null)
      return [];
    const at = parseWireInstant(effectiveDate);
    return at === undefined || at <= now ? [] : [{ accountRecordId, at }];
  });
  if (changes.length === 0) return [];
  const accounts = await session.accounts.findByRecordIds(
    changes.map(({ accountRecordId }) => accountRecordId),
  );
  const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
  return changes.flatMap(({ accountRecordId, at }) => {
    const account = accountOf.get(accountRecordId);
    return account === undefined ? [] : noticeEntries(account, runOfChange(account, at), { leadMs, now });
  });
}
