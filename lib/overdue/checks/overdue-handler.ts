import type { CatalogProvider, CatalogSource } from '../../catalog/index.ts';
import { catalogsOfBatch } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import { ActingComponent, type Authorship, QueueName } from '../../records/index.ts';
import type { HandlerBatch, QueueHandler } from '../../runtime/index.ts';
import { batchAuthorship } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { CancellationPolicy, enterableStates, type OverdueConfig } from '../config/overdue-config.ts';
import type { OverdueConfigOf } from '../loading/overdue-configs.ts';
import { readOverdueJob } from '../triggers/overdue-jobs.ts';
import { evaluateAccounts } from './evaluate-accounts.ts';
import { type AskedJob, inOrder, type OrderedJobs } from './in-order.ts';
import { lockJobs } from './lock-jobs.ts';
import type { OwnTransactions } from './own-transactions.ts';
import { wakeRelatives } from './relatives.ts';

type HandlerPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids'>;

/** What holds for all entries of a batch. */
interface Work {
  readonly batch: HandlerBatch;
  readonly jobs: readonly AskedJob[];
  readonly config: OverdueConfig;
  readonly catalogsOf: CatalogSource | null;
  /** Whose doing it is that a relative is looked at next. */
  readonly tokens: Map<number, Uuid>;
}

/** Entries that were not worked on. */
interface Left extends Pick<OrderedJobs, 'waiting'> {
  readonly busy: readonly ClaimedEntry[];
}

/**
 * Looks at accounts whose check is due or about which something has changed (§5, §11): a batch is one transaction, which
 * also ends its entries and takes a constant number of statements. It reads everything anew, so that an entry that comes
 * again finds nothing left to do.
 */
export class OverdueHandler implements QueueHandler {
  readonly name = 'overdue-service:evaluation';
  readonly topics: readonly string[] = [QueueName.OVERDUE_CHECK, QueueName.OVERDUE_REFRESH];
  readonly #ports: HandlerPorts;
  readonly #catalogs: CatalogProvider;
  readonly #configOf: OverdueConfigOf;
  readonly #own: OwnTransactions;
  readonly #topicsAhead: readonly string[];

  /** @param of `topicsAhead`: topics of the work that goes before overdue's (§5.2), all of which this engine does. */
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
    // §5.1 step 2: then there is nothing to look at, and the entries end.
    if (enterableStates(config).length === 0) return;
    const now = clock.now();
    const catalogsOf = cancels(config) ? await catalogsOfBatch(this.#catalogs, batch, now) : null;
    if (cancels(config) && catalogsOf === null) return;
    const jobs = jobsOf(batch);
    if (jobs.length === 0) return;
    const tokens = new Map<number, Uuid>();
    const authorship = authorshipOf(
      batch,
      batchAuthorship(batch.entries, ActingComponent.OVERDUE, now),
      tokens,
    );
    const left = await storage.write(batch.tenant, authorship, (session) =>
      this.#own.run(session, () => this.#work(session, { batch, jobs, config, catalogsOf, tokens })),
    );
    batch.busy(left.busy);
    for (const { entry, delayMs } of left.waiting) batch.busy([entry], delayMs ?? undefined);
  }

  async #work(session: WriteSession, { batch, jobs, config, catalogsOf, tokens }: Work): Promise<Left> {
    const { ids, systemClock } = this.#ports;
    const { locked, busy } = await lockJobs(session, jobs);
    const { first, later, waiting } = await inOrder(session, locked, {
      topics: this.#topicsAhead,
      systemNowMs: systemClock.nowMs(),
    });
    session.schedule(later);
    await evaluateAccounts(session, first, { config, catalogsOf, ids });
    await wakeRelatives(session, first, tokens);
    const held = new Set([...busy, ...waiting.map(({ entry }) => entry)]);
    const done = jobs.map(({ entry }) => entry).filter((entry) => !held.has(entry));
    if (done.length > 0) await batch.finish(session, done);
    return { busy, waiting };
  }
}

function cancels({ states }: OverdueConfig): boolean {
  return states.some(({ cancellationPolicy }) => cancellationPolicy !== CancellationPolicy.NONE);
}

function jobsOf(batch: HandlerBatch): readonly AskedJob[] {
  return batch.entries.flatMap((entry) => {
    try {
      return [{ entry, job: readOverdueJob(entry.payload) }];
    } catch (error) {
      batch.failed(entry, error);
      return [];
    }
  });
}

/** Relatives are looked at in the name of the call that has caused it; `tokens` is filled while the batch is worked on. */
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
