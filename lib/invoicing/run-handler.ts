import { catalogsOfBatch } from '../catalog/batch-catalogs.ts';
import type { CatalogProvider, CatalogSource } from '../catalog/catalog-source.ts';
import { ActingComponent } from '../context.ts';
import { InvariantError } from '../errors/index.ts';
import type { Ports } from '../ports/index.ts';
import type { ClaimedEntry, WriteSession } from '../ports/storage/index.ts';
import { batchAuthorship } from '../queue/batch-authorship.ts';
import type { HandlerBatch, QueueHandler } from '../queue/handler.ts';
import { QueueName } from '../queue/model.ts';
import { initialState } from './load-billing-state.ts';
import type { RunRequest, RunResult } from './run-accounts.ts';
import { RUN_TOPICS, runTrigger } from './run-trigger.ts';
import type { InvoicingService } from './service.ts';

/** Entries of one batch and the accounts that they want to be run. */
interface PlannedBatch {
  readonly runs: readonly ClaimedEntry[];
  /** Entries that ask for nothing, or whose account is parked. */
  readonly idle: readonly ClaimedEntry[];
  readonly busy: readonly ClaimedEntry[];
  readonly requests: readonly RunRequest[];
}

/** A run that has thrown. */
type Failure = Extract<RunResult, { kind: 'failed' }>;

/**
 * Automatic invoice runs (invoicing.md §8.1, §8.2): a batch of due accounts is one transaction, which also ends their
 * queue entries.
 */
export class InvoiceRunHandler implements QueueHandler {
  readonly name = 'invoice-service:run';
  readonly topics = RUN_TOPICS;
  readonly #ports: Pick<Ports, 'storage' | 'clock' | 'logger'>;
  readonly #invoicing: InvoicingService;
  readonly #catalogs: CatalogProvider;

  constructor(
    ports: Pick<Ports, 'storage' | 'clock' | 'logger'>,
    invoicing: InvoicingService,
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
    const { busy, parked, unparked } = await this.#ports.storage.write(batch.tenant, authorship, (session) =>
      this.#runAll(session, batch, catalogsOf),
    );
    if (busy.length > 0) batch.busy(busy);
    for (const failure of parked) this.#logParked(failure);
    for (const { entry, error } of unparked) batch.failed(entry, error);
  }

  async #runAll(session: WriteSession, batch: HandlerBatch, catalogsOf: CatalogSource) {
    const { isAutomatic, parksOnAllErrors } = await this.#invoicing.configOf(session);
    const planned = await plan(session, batch.entries);
    if (!isAutomatic) {
      await parkAccounts(session, planned.requests);
      await batch.finish(session, [...planned.runs, ...planned.idle]);
      return { busy: planned.busy, parked: [], unparked: [] };
    }
    const results = await this.#invoicing.run(session, planned.requests, catalogsOf);
    const failures = results.filter((result) => result.kind === 'failed');
    const parked = failures.filter(({ error }) => parksOnAllErrors || error instanceof InvariantError);
    await session.invoices.saveStates(parked.map(({ state }) => ({ ...state, parked: true })));
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
    return { busy: planned.busy, parked, unparked };
  }

  /** invoicing.md §8.6: an automatic run that fails parks its account and does not come again. */
  #logParked({ account, error }: Failure): void {
    const illegalState = error instanceof InvariantError;
    this.#ports.logger.error(
      { err: error, accountId: account.id, illegalState },
      'invoice run failed; account is parked',
    );
  }
}

/** Locks what can be locked now and leaves out parked accounts (invoicing.md §8.2 steps 2 and 3). */
async function plan(session: WriteSession, entries: readonly ClaimedEntry[]): Promise<PlannedBatch> {
  const asking = entries.filter((entry) => runTrigger(entry).kind === 'run');
  const silent = entries.filter((entry) => runTrigger(entry).kind === 'none');
  const accounts = await session.tryLockAccounts(asking.flatMap((entry) => entry.accountRecordId ?? []));
  const states = await session.invoices.loadStates(accounts.map((account) => account.id));
  const parked = new Set(states.filter((state) => state.parked).map((state) => state.accountRecordId));
  const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
  const runs: ClaimedEntry[] = [];
  const requests: RunRequest[] = [];
  const idle = [...silent];
  const busy: ClaimedEntry[] = [];
  for (const entry of asking) {
    const account = entry.accountRecordId === null ? undefined : accountOf.get(entry.accountRecordId);
    const trigger = runTrigger(entry);
    if (!account) busy.push(entry);
    else if (parked.has(account.recordId) || trigger.kind === 'none') idle.push(entry);
    else {
      runs.push(entry);
      requests.push({ account, requestedDate: trigger.targetDate, dueDate: trigger.targetDate });
    }
  }
  return { runs, idle, busy, requests };
}

/** invoicing.md §8.2 step 1: what a tenant without automatic invoicing does with due accounts. */
async function parkAccounts(session: WriteSession, requests: readonly RunRequest[]): Promise<void> {
  const states = await session.invoices.loadStates(requests.map(({ account }) => account.id));
  const stateOf = new Map(states.map((state) => [state.accountId, state]));
  const parked = requests.map(({ account }) => ({
    ...(stateOf.get(account.id) ?? initialState(account)),
    parked: true,
  }));
  await session.invoices.saveStates(parked);
}

/** platform.md §5.3: a billing run after a subscription event, or a scheduled one. */
function actorOf(entries: readonly ClaimedEntry[]): ActingComponent {
  const scheduled = entries.every((entry) => entry.topic === QueueName.NEXT_BILLING_DATE);
  return scheduled ? ActingComponent.NEXT_BILLING_DATE : ActingComponent.SUBSCRIPTION_TRANSITION;
}
