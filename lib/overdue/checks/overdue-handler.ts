import type { CatalogProvider, CatalogSource } from '../../catalog/index.ts';
import { catalogsOfBatch } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import { type Account, ActingComponent, type Authorship, QueueName } from '../../records/index.ts';
import type { HandlerBatch, QueueHandler } from '../../runtime/index.ts';
import { batchAuthorship } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { QUEUE_ORDER_WAIT_MS } from '../../values/limits.ts';
import { CancellationPolicy, enterableStates, type OverdueConfig } from '../config/overdue-config.ts';
import type { OverdueConfigOf } from '../loading/overdue-configs.ts';
import { loadOverdueFacts } from '../loading/overdue-facts.ts';
import { type OverdueJob, overdueNotification, readOverdueJob } from '../triggers/overdue-jobs.ts';
import type { OwnTransactions } from '../triggers/own-transactions.ts';
import { applyTransitions } from './apply-transitions.ts';
import { evaluate } from './evaluation.ts';
import { relativesOf } from './relatives.ts';
import { scheduleChecks } from './schedule-checks.ts';
import { aheadOf, comesAgain } from './work-ahead.ts';

type HandlerPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids'>;

/** An entry with what it asks for. */
interface AskedJob {
  readonly entry: ClaimedEntry;
  readonly job: OverdueJob;
}

/** The same, with its account, whose lock is held. */
interface LockedJob extends AskedJob {
  readonly account: Account;
}

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
interface Left {
  readonly busy: readonly ClaimedEntry[];
  /** Those that wait for other work of their account, which is in a pause. */
  readonly waiting: readonly { readonly entry: ClaimedEntry; readonly delayMs: number }[];
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
    const cancels = config.states.some(
      ({ cancellationPolicy }) => cancellationPolicy !== CancellationPolicy.NONE,
    );
    const now = clock.now();
    const catalogsOf = cancels ? await catalogsOfBatch(this.#catalogs, batch, now) : null;
    if (cancels && catalogsOf === null) return;
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
    if (left.busy.length > 0) batch.busy(left.busy);
    for (const { entry, delayMs } of left.waiting) batch.busy([entry], delayMs);
  }

  async #work(session: WriteSession, { batch, jobs, config, catalogsOf, tokens }: Work): Promise<Left> {
    const accounts = await session.tryLockAccounts(jobs.flatMap(({ entry }) => entry.accountRecordId ?? []));
    const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
    const locked: LockedJob[] = [];
    const busy: ClaimedEntry[] = [];
    for (const { entry, job } of jobs) {
      const account = accountOf.get(entry.accountRecordId ?? 0);
      if (account === undefined) busy.push(entry);
      else locked.push({ entry, job, account });
    }
    const { first, later, waiting } = await this.#inOrder(session, locked);
    session.schedule(later);
    await this.#evaluate(session, { jobs: first, config, catalogsOf, tokens });
    const held = new Set([...busy, ...waiting.map(({ entry }) => entry)]);
    await batch.finish(
      session,
      jobs.map(({ entry }) => entry).filter((entry) => !held.has(entry)),
    );
    return { busy, waiting };
  }

  /** Other work of an account's local date goes first (§5.2): an entry that has come before it comes again behind it. */
  async #inOrder(session: WriteSession, jobs: readonly LockedJob[]) {
    const { systemClock } = this.#ports;
    const systemNowMs = systemClock.nowMs();
    const { createdDate: now } = session.authorship;
    const found = await session.notifications.findAhead({
      accounts: jobs.flatMap(({ job, account }) => aheadOf(job, account, now) ?? []),
      topics: this.#topicsAhead,
      availableByMs: systemNowMs + QUEUE_ORDER_WAIT_MS,
    });
    const aheadOfAccount = new Map(found.map((ahead) => [ahead.accountRecordId, ahead]));
    const first: LockedJob[] = [];
    const waiting: { readonly entry: ClaimedEntry; readonly delayMs: number }[] = [];
    const later = jobs.flatMap((each) => {
      const { entry, job, account } = each;
      const ahead = aheadOfAccount.get(account.recordId);
      const again = ahead === undefined ? null : comesAgain(ahead, entry.effectiveDate, systemNowMs);
      if (again?.kind === 'DUE')
        return [overdueNotification({ ...job, accountRecordId: account.recordId, due: again.at })];
      if (again === null) first.push(each);
      else waiting.push({ entry, delayMs: again.delayMs });
      return [];
    });
    return { first, later, waiting };
  }

  async #evaluate(
    session: WriteSession,
    {
      jobs,
      config,
      catalogsOf,
      tokens,
    }: Omit<Work, 'batch' | 'jobs'> & { readonly jobs: readonly LockedJob[] },
  ): Promise<void> {
    const now = session.authorship.createdDate;
    const facts = await loadOverdueFacts(
      session,
      jobs.map(({ account }) => account),
      { at: now, responses: config.states.some(({ condition }) => condition?.responses != null) },
    );
    const known = facts.filter(({ prev }) => prev !== null).map(({ account }) => account.id);
    const owners = new Set(
      (await session.overdue.findAccounts(known)).flatMap(({ accountId, isInvoicingOffOwned }) =>
        isInvoicingOffOwned ? accountId : [],
      ),
    );
    const jobOf = new Map(jobs.map(({ account, job }) => [account.id, job]));
    const evaluations = facts.flatMap((each) => {
      const { id } = each.account;
      const job = jobOf.get(id);
      return job === undefined
        ? []
        : [evaluate(each, { config, job, ownsInvoicingOff: owners.has(id), now })];
    });
    await scheduleChecks(session, evaluations);
    const entered = evaluations.flatMap(({ facts: { account }, transition }) =>
      transition === null ? [] : [{ account, transition }],
    );
    await applyTransitions(session, entered, { ids: this.#ports.ids, catalogsOf });
    const changed = jobs.filter(({ job }) => job.spreads);
    const relatives = await relativesOf(
      session,
      changed.map(({ account, entry, job }) => ({ account, entry, asked: job.asked })),
    );
    for (const { wakeUp, userToken } of relatives) tokens.set(wakeUp.accountRecordId, userToken);
    session.schedule(relatives.map(({ wakeUp }) => overdueNotification(wakeUp)));
  }
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
      const token =
        accountRecordId === null || own.has(accountRecordId) ? undefined : tokens.get(accountRecordId);
      return token ?? authorship.userTokenOf(accountRecordId);
    },
  };
}
