import type { CatalogProvider, CatalogSource } from '../../catalog/index.ts';
import { catalogsOfBatch } from '../../catalog/index.ts';
import { effectsOnAccounts, TagEffect } from '../../control-tags/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { ActingComponent, QueueName } from '../../records/index.ts';
import type { HandlerBatch, QueueHandler } from '../../runtime/index.ts';
import { batchAuthorship } from '../../runtime/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import { RUN_TOPICS, runTrigger } from '../evaluation/run-trigger.ts';
import { draftingOf } from '../invoices/drafting.ts';
import { alwaysParks, reasonOf } from './parking.ts';
import type { RunRequest, RunResult } from './run-accounts.ts';
import { warnOfSkipped } from './run-accounts.ts';
import type { InvoiceRunService } from './run-service.ts';

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

/** Automatic invoice runs (§8.1, §8.2): a batch of due accounts is one transaction, which also ends their queue entries. */
export class InvoiceRunHandler implements QueueHandler {
  readonly name = 'invoice-service:run';
  readonly topics = RUN_TOPICS;
  readonly #ports: Pick<Ports, 'storage' | 'clock' | 'logger'>;
  readonly #invoicing: InvoiceRunService;
  readonly #catalogs: CatalogProvider;

  constructor(
    ports: Pick<Ports, 'storage' | 'clock' | 'logger'>,
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
    const { busy, parked, unparked, results } = await this.#ports.storage.write(
      batch.tenant,
      authorship,
      (session) => this.#runAll(session, batch, catalogsOf),
    );
    if (busy.length > 0) batch.busy(busy);
    for (const failure of parked) this.#logParked(failure);
    warnOfSkipped(this.#ports.logger, results);
    for (const { entry, error } of unparked) batch.failed(entry, error);
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
    for (const { id } of accounts)
      logger.error({ accountId: id }, 'account was busy whenever its invoice run came; it is parked');
  }

  async #runAll(session: WriteSession, batch: HandlerBatch, catalogsOf: CatalogSource) {
    const { isAutomatic, parksOnAllErrors } = await this.#invoicing.configOf(session);
    const planned = await plan(session, batch.entries, isAutomatic);
    if (!isAutomatic) {
      // §8.2 step 1: how a tenant without automatic invoicing treats due accounts.
      const reason = 'Automatic invoicing is off: org.service.invoice.enabled';
      await this.#invoicing.park(
        session,
        planned.requests.map(({ account }) => ({ account, reason })),
      );
      await batch.finish(session, [...planned.runs, ...planned.idle]);
      return { busy: planned.busy, parked: [], unparked: [], results: [] };
    }
    await this.#invoicing.giveBillCycleDays(session, planned.heldBack, catalogsOf);
    const results = await this.#invoicing.run(session, planned.requests, catalogsOf);
    const failures = results.filter((result) => result.kind === 'failed');
    const parked = failures.filter(({ error }) => parksOnAllErrors || alwaysParks(error));
    await this.#invoicing.park(
      session,
      parked.map(({ account, error }) => ({ account, reason: reasonOf(error) })),
    );
    const unparked = failures
      .filter((failure) => !parked.includes(failure))
      .flatMap(({ account, error }) =>
        planned.runs
          .filter(({ accountRecordId }) => accountRecordId === account.recordId)
          .map((entry) => ({ entry, error })),
      );
    const left = new Set(unparked.map(({ entry }) => entry));
    await batch.finish(
      session,
      [...planned.runs, ...planned.idle].filter((entry) => !left.has(entry)),
    );
    return { busy: planned.busy, parked, unparked, results };
  }

  /** §8.6: an automatic run that fails parks its account and is not repeated. */
  #logParked({ account, error }: Failure): void {
    const illegalState = error instanceof InvariantError;
    this.#ports.logger.error(
      { err: error, accountId: account.id, illegalState },
      'invoice run failed; account is parked',
    );
  }
}

/** Locks the accounts that can be locked now and leaves out those whose tags stop automatic runs (§8.2 steps 2 and 3). */
async function plan(
  session: WriteSession,
  entries: readonly ClaimedEntry[],
  isAutomatic: boolean,
): Promise<PlannedBatch> {
  const asking = entries.filter((entry) => runTrigger(entry).kind === 'run');
  const silent = entries.filter((entry) => runTrigger(entry).kind === 'none');
  const accounts = await session.tryLockAccounts(asking.flatMap((entry) => entry.accountRecordId ?? []));
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
      requests.push({ ...requestOf(account, trigger.targetDate), drafting: draftingOf(tags, account.id) });
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
