import type { Ports, SeenInvoice } from '../../ports/index.ts';
import type { ReadSession, Storage } from '../../ports/storage/index.ts';
import type { Account, PluginProperty } from '../../records/index.ts';
import { inParallel } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_INVOICE_CALLS } from '../../values/limits.ts';
import { type Instant, type LocalDate, localDateOf } from '../../values/time/index.ts';
import type { DueDates } from '../evaluation/run-entries.ts';
import { countedRun, creditRun } from '../evaluation/run-invoice.ts';
import type { UsageSupplies } from '../evaluation/source-usage.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { loadCreditInputs } from '../loading/load-credit-inputs.ts';
import type { InvoicingConfig, InvoicingConfigOf } from '../proposals/invoicing-config.ts';
import type { RunsToAsk } from '../runs/ask-usage-sources.ts';
import { type EvaluatedRun, evaluateRuns, type RunRequest, targetDatesOf } from '../runs/evaluate-runs.ts';
import type { RunResult } from '../runs/run-accounts.ts';
import { type AskedRun, askedOfRun, seeingRun } from './asked-run.ts';
import type { DecidedInvoice } from './decided-run.ts';
import type { ConsultedCall, InvoicePluginCalls, RegisteredInvoicePlugins } from './plugin-calls.ts';
import { type Proposal, recordedIds } from './proposal.ts';
import { loadSeenInvoices } from './seen-invoices.ts';
import { groupedItems } from './split-runs.ts';

export interface RunsToConsult extends RunsToAsk {
  /** What usage sources have told; null = there are none. */
  readonly supplies: UsageSupplies | null;
}

interface Consulting {
  readonly runs: RunsToConsult;
  readonly calls: InvoicePluginCalls;
  readonly config: InvoicingConfig;
}

/** A run that no plugin keeps from being looked at. */
interface Going {
  readonly request: RunRequest;
  readonly call: ConsultedCall;
  readonly properties: readonly PluginProperty[];
}

/** A run that was worked out, with what plugins need to see of it. */
interface Worked extends Going {
  readonly evaluated: EvaluatedRun;
  readonly ids: readonly Uuid[];
  readonly credit: readonly NewInvoiceItem[];
}

/**
 * Asks the invoice plugins of a tenant about runs, outside any transaction and without a lock (§8.2 steps 6 to 12): the runs
 * are worked out from a snapshot, and what the plugins say holds for these runs only.
 */
export class RunConsultation {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;
  readonly #plugins: RegisteredInvoicePlugins;
  readonly #configOf: InvoicingConfigOf;

  constructor(
    ports: Pick<Ports, 'storage' | 'ids'>,
    plugins: RegisteredInvoicePlugins,
    configOf: InvoicingConfigOf,
  ) {
    this.#ports = ports;
    this.#plugins = plugins;
    this.#configOf = configOf;
  }

  /** What the plugins say; null where the tenant has none. Costs nothing where no tenant has any. */
  async consult(runs: RunsToConsult): Promise<Consultations | null> {
    if (this.#plugins.isEmpty) return null;
    const { storage } = this.#ports;
    const { planned, workedAtOnce } = await storage.read(runs.tenant, async (session) => {
      const plan = await this.#plan(session, runs);
      // Where nobody has to be asked before, the runs are worked out from the same snapshot.
      const isAtOnce = plan !== null && !plan.calls.has('priorCall');
      return { planned: plan, workedAtOnce: isAtOnce ? await this.#work(session, plan.going, plan) : null };
    });
    if (planned === null) return null;
    const { calls, stopped } = planned;
    const { going, over } = await askBefore(calls, planned.going);
    const worked =
      workedAtOnce ?? (await storage.read(runs.tenant, (session) => this.#work(session, going, planned)));
    const asked = await inParallel(worked, MAX_CONCURRENT_INVOICE_CALLS, (each) =>
      this.#ask(calls, each, runs),
    );
    const seen = new Set(asked.map(({ call }) => call.accountId));
    // What could not be worked out fails under the lock too, or is worked out there and has to be seen then.
    const isToBeSeen = seesInvoices(calls);
    const unseen = going
      .filter(({ call }) => !seen.has(call.accountId))
      .map((each) => unseenRun(each, isToBeSeen));
    const all = [...stopped, ...over, ...asked, ...unseen];
    return { calls, of: new Map(all.map((each) => [each.call.accountId, each])) };
  }

  async #plan(session: ReadSession, runs: RunsToConsult) {
    const config = await this.#configOf(session);
    const calls = this.#plugins.of(config);
    if (calls.isEmpty) return null;
    const requests = await runs.plan(session, config);
    const { tenant, now, caller, properties } = runs;
    const { accepted } = await targetDatesOf(session, requests, { now, config });
    const dateOf = new Map(accepted.map(({ account, targetDate }) => [account.id, targetDate]));
    const callOf = (request: RunRequest, targetDate: LocalDate | null): ConsultedCall =>
      consultedCall(request.account, caller, {
        tenant,
        now,
        targetDate,
        rescheduled: request.isRescheduled === true,
        dryRun: false,
      });
    // A run that cannot even have a date fails without plugins.
    const isRefused = ({ account }: RunRequest): boolean => !dateOf.has(account.id);
    return {
      runs,
      calls,
      config,
      stopped: requests
        .filter(isRefused)
        .map((request) =>
          unseenRun(
            { request, properties, call: callOf(request, request.requestedDate) },
            seesInvoices(calls),
          ),
        ),
      going: requests
        .filter((request) => !isRefused(request))
        .map(
          (request): Going => ({
            request,
            properties,
            call: callOf(request, dateOf.get(request.account.id) ?? null),
          }),
        ),
    };
  }

  /** Works the runs out as they would be now, with the credit that they would use. */
  async #work(
    session: ReadSession,
    going: readonly Going[],
    { runs, calls, config }: Consulting,
  ): Promise<readonly Worked[]> {
    if (going.length === 0 || !seesInvoices(calls)) return [];
    const { now, supplies } = runs;
    const recorded = new Map(going.map(({ call }) => [call.accountId, recordedIds(this.#ports.ids)]));
    const idsOf = (accountId: Uuid) => recorded.get(accountId) ?? this.#ports.ids;
    const accountIds = going.map(({ call }) => call.accountId);
    const catalogOf = await runs.catalogsOf(session, accountIds);
    const requests = going.map(({ request }) => request);
    // A run that fails here fails again under the lock, where it is dealt with.
    const evaluated = await evaluateRuns(session, requests, { now, config, catalogOf, idsOf, supplies });
    const invoiced = evaluated.runs.filter(({ run }) => run.items.length > 0);
    const dayOf = ({ billing }: EvaluatedRun): LocalDate => localDateOf(now, billing.account.timeZone);
    const inputs = await loadCreditInputs(
      session,
      invoiced.map((each) => countedRun(each.run, each.invoiceId, dayOf(each))),
    );
    const goingOf = new Map(going.map((each) => [each.call.accountId, each]));
    return evaluated.runs.flatMap((each): readonly Worked[] => {
      const { id } = each.billing.account;
      const known = goingOf.get(id);
      if (known === undefined) return [];
      const input = each.run.items.length === 0 ? undefined : inputs.get(id);
      const nextItemId = (): Uuid => this.#ports.ids.next();
      const credited = input && creditRun(each.run, input, { today: dayOf(each), nextItemId });
      const credit = credited?.run.items.slice(each.run.items.length) ?? [];
      return [{ ...known, evaluated: each, ids: recorded.get(id)?.taken ?? [], credit }];
    });
  }

  async #ask(calls: InvoicePluginCalls, worked: Worked, runs: RunsToConsult): Promise<Consultation> {
    const { call, evaluated, ids, credit } = worked;
    const { run } = evaluated;
    const proposal = proposalOf(evaluated);
    const shown = askedRun(evaluated, credit);
    const initial = askedOfRun(shown);
    if (run.items.length === 0) {
      const seen = { proposal, ids, asked: initial, groups: [[]] };
      return { kind: 'go', call, properties: worked.properties, seen, isToBeSeen: true, invoice: null };
    }
    const see = seeingRun(shown, runs.now);
    let { properties } = worked;
    let latest = initial;
    try {
      const date = localDateOf(runs.now, evaluated.billing.account.timeZone);
      const items = await calls.additionalItems(call, { invoice: initial, properties }, { see, date });
      ({ properties } = items);
      latest = items.invoice;
      let groups: readonly (readonly NewInvoiceItem[])[] = [latest.items];
      if (runs.maySplit && run.invoice.draft === null) {
        const grouping = await calls.grouping(call, { invoice: see(latest), properties }, (named) =>
          groupedItems(latest.items, named, latest.creditIds),
        );
        ({ properties } = grouping);
        groups = grouping.groups ?? groups;
      }
      const seen = { proposal, ids, asked: latest, groups };
      return { kind: 'go', call, properties, seen, isToBeSeen: true, invoice: see(latest) };
    } catch (error) {
      const { dueDates, usageDates, collectionInterval, noticeLeadMs } = run;
      const failed = { dueDates, usageDates, collectionInterval, noticeLeadMs, invoice: see(latest) };
      return { kind: 'failed', call, properties, error, worked: failed };
    }
  }
}

/** Those that go on after `priorCall`, and what becomes of the others. */
async function askBefore(
  calls: InvoicePluginCalls,
  planned: readonly Going[],
): Promise<{ readonly going: readonly Going[]; readonly over: readonly Consultation[] }> {
  if (!calls.has('priorCall')) return { going: planned, over: [] };
  const going: Going[] = [];
  const over: Consultation[] = [];
  await inParallel(planned, MAX_CONCURRENT_INVOICE_CALLS, async (each) => {
    const { call, properties } = each;
    try {
      const prior = await calls.prior(call, properties);
      if (prior.kind === 'go') going.push({ ...each, properties: prior.properties });
      else if (prior.kind === 'aborted') over.push({ kind: 'stopped', call, rescheduledTo: null });
      else over.push({ kind: 'stopped', call, rescheduledTo: prior.to });
    } catch (error) {
      over.push({ kind: 'failed', call, properties, error, worked: null });
    }
  });
  return { going, over };
}

function unseenRun({ call, properties }: Going, isToBeSeen: boolean): Consultation {
  return { kind: 'go', call, properties, seen: null, isToBeSeen, invoice: null };
}

function seesInvoices(calls: InvoicePluginCalls): boolean {
  return calls.has('getAdditionalInvoiceItems') || calls.has('getInvoiceGrouping');
}

/** What plugins are asked about, as it has to be under the lock too. */
export function proposalOf({ billing, run, invoiceId }: EvaluatedRun) {
  const { draft, status } = run.invoice;
  return { targetDate: billing.targetDate, invoiceId, status, draft, items: run.items };
}

function askedRun({ billing, run, invoiceId }: EvaluatedRun, credit: readonly NewInvoiceItem[]): AskedRun {
  const { account, targetDate } = billing;
  return { account, targetDate, run, invoiceId, credit };
}

/** A run that plugins have been asked about, and what they have made of it. */
export interface SeenRun extends DecidedInvoice {
  readonly proposal: Proposal;
  /** The ids that its evaluation has used, in order. */
  readonly ids: readonly Uuid[];
}

/** What the plugins say about the run of one account. */
export type Consultation =
  | {
      /** It goes on. */
      readonly kind: 'go';
      readonly call: ConsultedCall;
      readonly properties: readonly PluginProperty[];
      /** null: nobody has seen the run. */
      readonly seen: SeenRun | null;
      /** Whether a plugin wants to see the invoice, if there is one. */
      readonly isToBeSeen: boolean;
      /** The invoice as plugins saw it last; null = none. */
      readonly invoice: SeenInvoice | null;
    }
  | {
      readonly kind: 'stopped';
      readonly call: ConsultedCall;
      /** When a plugin wants to be asked again; null = it has aborted the run. */
      readonly rescheduledTo: Instant | null;
    }
  | {
      readonly kind: 'failed';
      readonly call: ConsultedCall;
      readonly properties: readonly PluginProperty[];
      readonly error: unknown;
      /** Of a failure after the invoice was worked out: the dates at which the account is due, and the invoice. */
      readonly worked: (DueDates & { readonly invoice: SeenInvoice }) | null;
    };

/** What the plugins of a tenant say about the runs of some accounts. */
export interface Consultations {
  readonly calls: InvoicePluginCalls;
  /** By account id. */
  readonly of: ReadonlyMap<Uuid, Consultation>;
}

/** Who or what causes the runs that plugins are asked about. */
export interface RunCaller {
  readonly userName: string;
  readonly reasonCode: string | null;
  readonly comments: string | null;
  userTokenOf(accountRecordId: number): Uuid;
}

/** The call that plugins are told of. */
export function consultedCall(
  { id: accountId, recordId }: Account,
  { userName, reasonCode, comments, userTokenOf }: RunCaller,
  of: Pick<ConsultedCall, 'tenant' | 'now' | 'targetDate' | 'rescheduled' | 'dryRun'>,
): ConsultedCall {
  return { ...of, accountId, userName, reasonCode, comments, userToken: userTokenOf(recordId) };
}

/**
 * Tells the plugins what has become of the runs that they were asked about, once it is committed (§8.2 steps 9 and 15, §8.6).
 * Reads the stored invoices once for all of them, and only if a plugin wants to know. Never throws: what is done is done.
 */
export async function tellOutcomes(
  { storage, logger }: Pick<Ports, 'storage' | 'logger'>,
  consultations: Consultations,
  results: readonly RunResult[],
): Promise<void> {
  const told = results.filter((result) => wantsToKnow(consultations.calls, result));
  if (told.length === 0) return;
  try {
    await tell(consultations, told, await loadSeen(storage, consultations.of, told));
  } catch (error) {
    const accountIds = told.map(({ account }) => account.id);
    logger.error({ err: error, accountIds }, 'invoice plugins could not be told the outcome of runs');
  }
}

async function tell(
  { calls, of }: Consultations,
  told: readonly RunResult[],
  stored: ReadonlyMap<Uuid, SeenInvoice>,
): Promise<void> {
  await inParallel(told, MAX_CONCURRENT_INVOICE_CALLS, async (result) => {
    const consultation = of.get(result.account.id);
    if (consultation === undefined || consultation.kind === 'stopped') return;
    const { call, properties } = consultation;
    if (result.kind === 'failed') await calls.failed(call, properties, invoiceOf(consultation));
    const ids = result.kind === 'done' ? result.invoiceIds : null;
    if (ids?.length === 0) await calls.succeeded(call, properties, null);
    for (const id of ids ?? []) await calls.succeeded(call, properties, stored.get(id) ?? null);
  });
}

function invoiceOf(consultation: Exclude<Consultation, { kind: 'stopped' }>): SeenInvoice | null {
  return consultation.kind === 'go' ? consultation.invoice : (consultation.worked?.invoice ?? null);
}

function wantsToKnow(calls: InvoicePluginCalls, result: RunResult): boolean {
  if (result.kind === 'done') return calls.has('onSuccessCall');
  return result.kind === 'failed' && result.isWorkedOut && calls.has('onFailureCall');
}

async function loadSeen(
  storage: Pick<Storage, 'read'>,
  of: Consultations['of'],
  results: readonly RunResult[],
): Promise<ReadonlyMap<Uuid, SeenInvoice>> {
  const ids = results.flatMap((result) => (result.kind === 'done' ? result.invoiceIds : []));
  const [first] = of.values();
  return first === undefined ? new Map() : loadSeenInvoices(storage, first.call.tenant, ids);
}
