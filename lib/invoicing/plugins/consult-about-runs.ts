import type { InvoiceForPlugins, Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Account, PluginProperty } from '../../records/index.ts';
import { inParallel } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_INVOICE_CALLS } from '../../values/limits.ts';
import { type Instant, type LocalDate, localDateOf } from '../../values/time/index.ts';
import type { AccountRun } from '../evaluation/evaluate-account.ts';
import type { DueDates } from '../evaluation/run-entries.ts';
import { type EvaluatedRun, hasItems, newInvoice, reusedDraft } from '../evaluation/run-invoice.ts';
import type { UsageSupplies } from '../evaluation/source-usage.ts';
import { invoicingCurrency } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { InvoicingConfig, InvoicingConfigOf } from '../proposals/invoicing-config.ts';
import type { RunsToAsk } from '../runs/call-usage-sources.ts';
import { creditRuns, evaluateRuns, type RunRequest, targetDatesOf } from '../runs/run-accounts.ts';
import type { RunResult } from '../runs/run-results.ts';
import type { ConsultedInvoice } from './additional-items.ts';
import { listDraftItemsAfterRun } from './approved-change.ts';
import {
  type ConsultedCall,
  consultedCall,
  type InvoicePluginCalls,
  loadInvoicesForPlugins,
  type RegisteredInvoicePlugins,
  viewToExtend,
} from './plugin-calls.ts';
import { type Proposal, recordedIds } from './proposal.ts';
import { groupedItems } from './split-and-number.ts';

/** A run that plugins have seen, with the changes they made to it. */
export interface ConsultedProposal {
  readonly proposal: Proposal;
  /** The item ids of the evaluation, in order. */
  readonly ids: readonly Uuid[];
  readonly asked: ConsultedInvoice;
  /** The items of the run by invoice. There is one group unless plugins have split the run. */
  readonly groups: readonly (readonly NewInvoiceItem[])[];
}

export type Consultation =
  | {
      readonly kind: 'go';
      readonly call: ConsultedCall;
      readonly properties: readonly PluginProperty[];
      /** The proposal that plugins have seen, or null if plugins have not seen the run. */
      readonly seen: ConsultedProposal | null;
      /** True if plugins must see the invoice of the run. If the run has no invoice, plugins need not be consulted. */
      readonly needsInvoice: boolean;
      /** The invoice as plugins last saw it, or null if there was no invoice. */
      readonly invoice: InvoiceForPlugins | null;
    }
  | {
      readonly kind: 'stopped';
      readonly call: ConsultedCall;
      /** The time for which a plugin requested another call, or null if the plugin aborted the run. */
      readonly rescheduledTo: Instant | null;
    }
  | {
      readonly kind: 'failed';
      readonly call: ConsultedCall;
      readonly properties: readonly PluginProperty[];
      readonly error: unknown;
      /** The account's due dates and invoice. Set only if the run failed after the evaluation. */
      readonly worked: { readonly due: DueDates; readonly invoice: InvoiceForPlugins } | null;
    };

/** The decisions of a tenant's plugins about the runs of several accounts. */
export interface Consultations {
  readonly calls: InvoicePluginCalls;
  /** Decisions by account id. */
  readonly of: ReadonlyMap<Uuid, Consultation>;
}

interface RunsToConsult extends RunsToAsk {
  /** The usage that sources supplied, or null if there are no sources. */
  readonly supplies: UsageSupplies | null;
}

interface AskingTools {
  readonly ports: Pick<Ports, 'storage' | 'ids'>;
  readonly plugins: RegisteredInvoicePlugins;
  readonly configOf: InvoicingConfigOf;
}

interface ContinuingRun {
  readonly request: RunRequest;
  readonly call: ConsultedCall;
  readonly properties: readonly PluginProperty[];
}

interface Planned {
  readonly runs: RunsToConsult;
  readonly calls: InvoicePluginCalls;
  readonly config: InvoicingConfig;
  readonly continuing: readonly ContinuingRun[];
}

interface Worked extends ContinuingRun {
  readonly evaluated: EvaluatedRun;
  readonly ids: readonly Uuid[];
  readonly credit: readonly NewInvoiceItem[];
}

/**
 * Consults a tenant's invoice plugins about runs, outside transactions and without locks (§8.2 steps 6 to 12). The
 * runs are evaluated from a snapshot, and the decisions apply to these runs only. Returns null for a tenant without
 * plugins.
 */
export async function consultAboutRuns(
  tools: AskingTools,
  runs: RunsToConsult,
): Promise<Consultations | null> {
  if (tools.plugins.isEmpty) return null;
  const { storage } = tools.ports;
  const { planned, workedAtOnce } = await storage.read(runs.tenant, async (session) => {
    const plan = await planRuns(session, runs, tools);
    // If no plugin has a `priorCall`, the runs are evaluated immediately, from the same snapshot.
    const isAtOnce = plan !== null && !plan.calls.has('priorCall');
    return { planned: plan, workedAtOnce: isAtOnce ? await work(session, plan, tools) : null };
  });
  if (planned === null) return null;
  const { calls, refused } = planned;
  const { continuing, over } = await callPriorCalls(calls, planned.continuing);
  const worked =
    workedAtOnce ??
    (await storage.read(runs.tenant, (session) => work(session, { ...planned, continuing }, tools)));
  const asked = await inParallel(worked, MAX_CONCURRENT_INVOICE_CALLS, (each) =>
    consultOne(calls, each, runs),
  );
  const seen = new Set(asked.map(({ call }) => call.accountId));
  // A run that could not be evaluated usually fails under the lock too. If the evaluation under the lock succeeds, the
  // plugins are consulted again.
  const notConsulted = [...refused, ...continuing.filter(({ call }) => !seen.has(call.accountId))].map(
    ({ call, properties }): Consultation => {
      return { kind: 'go', call, properties, seen: null, needsInvoice: seesInvoices(calls), invoice: null };
    },
  );
  const all = [...over, ...asked, ...notConsulted];
  return { calls, of: new Map(all.map((each) => [each.call.accountId, each])) };
}

async function planRuns(session: ReadSession, runs: RunsToConsult, { plugins, configOf }: AskingTools) {
  const config = await configOf(session);
  const calls = plugins.of(config);
  if (calls.isEmpty) return null;
  const { tenant, now, caller, properties } = runs;
  const requests = await runs.plan(session, config);
  const { accepted } = await targetDatesOf(session, requests, { now, config });
  const dateOf = new Map(accepted.map(({ account, targetDate }) => [account.id, targetDate]));
  const all = requests.map((request): ContinuingRun => {
    const { account, requestedDate, isRescheduled: rescheduled = false } = request;
    const targetDate = dateOf.get(account.id) ?? requestedDate;
    const call = consultedCall(account, caller, { tenant, now, targetDate, rescheduled, dryRun: false });
    return { request, properties, call };
  });
  const isDated = ({ call }: ContinuingRun): boolean => dateOf.has(call.accountId);
  return {
    runs,
    calls,
    config,
    continuing: all.filter(isDated),
    refused: all.filter((each) => !isDated(each)),
  };
}

/** Evaluates the runs, with the credit that they would use. */
async function work(
  session: ReadSession,
  { continuing, runs, calls, config }: Planned,
  { ports: { ids } }: AskingTools,
): Promise<readonly Worked[]> {
  if (continuing.length === 0 || !seesInvoices(calls)) return [];
  const { now, supplies } = runs;
  const continuingByAccount = new Map(
    continuing.map((each) => [each.call.accountId, { ...each, ids: recordedIds(ids) }]),
  );
  // A run that fails without the lock fails again under the lock, where the failure is handled.
  const requests = continuing.map(({ request }) => request);
  const catalogOf = await runs.catalogsOf(session, [...continuingByAccount.keys()]);
  const idsOf = (accountId: Uuid) => continuingByAccount.get(accountId)?.ids ?? ids;
  const evaluated = await evaluateRuns(session, requests, { now, config, supplies, catalogOf, idsOf });
  const credited = await creditRuns(session, evaluated.runs, { now, ids });
  const itemsOf = new Map(credited.runs.map(({ billing, run }) => [billing.account.id, run.items]));
  return evaluated.runs.flatMap((each): readonly Worked[] => {
    const { id } = each.billing.account;
    const [known, items] = [continuingByAccount.get(id), itemsOf.get(id)];
    if (known === undefined || items === undefined) return [];
    const credit = items.slice(each.run.items.length);
    return [{ ...known, evaluated: each, ids: known.ids.taken, credit }];
  });
}

async function consultOne(
  calls: InvoicePluginCalls,
  worked: Worked,
  runs: RunsToConsult,
): Promise<Consultation> {
  const { call, evaluated, ids, credit } = worked;
  const { billing, run, invoiceId } = evaluated;
  const { account, targetDate } = billing;
  const proposal = proposalOf(evaluated);
  const shown = { account, targetDate, run, invoiceId, credit };
  const initial = runInvoiceToExtend(shown);
  let { properties } = worked;
  if (!hasItems(evaluated)) {
    const seen = { proposal, ids, asked: initial, groups: [[]] };
    return { kind: 'go', call, properties, seen, needsInvoice: true, invoice: null };
  }
  const see = seeingRun(shown, runs.now);
  let latest = initial;
  try {
    const date = localDateOf(runs.now, account.timeZone);
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
    return { kind: 'go', call, properties, seen, needsInvoice: true, invoice: see(latest) };
  } catch (error) {
    return { kind: 'failed', call, properties, error, worked: { due: run, invoice: see(latest) } };
  }
}

/** Calls `priorCall` of the plugins. Returns the runs that may continue, and the outcomes of all other runs. */
async function callPriorCalls(calls: InvoicePluginCalls, planned: readonly ContinuingRun[]) {
  if (!calls.has('priorCall')) return { continuing: planned, over: [] };
  const continuing: ContinuingRun[] = [];
  const over: Consultation[] = [];
  await inParallel(planned, MAX_CONCURRENT_INVOICE_CALLS, async (each) => {
    const { call, properties } = each;
    try {
      const prior = await calls.prior(call, properties);
      if (prior.kind === 'go') continuing.push({ ...each, properties: prior.properties });
      else over.push({ kind: 'stopped', call, rescheduledTo: prior.kind === 'aborted' ? null : prior.to });
    } catch (error) {
      over.push({ kind: 'failed', call, properties, error, worked: null });
    }
  });
  return { continuing, over };
}

function seesInvoices(calls: InvoicePluginCalls): boolean {
  return calls.has('getAdditionalInvoiceItems') || calls.has('getInvoiceGrouping');
}

/**
 * Returns the part of a run on which plugins based their decisions. This part must be unchanged when the account is
 * locked.
 */
export function proposalOf({ billing, run, invoiceId }: EvaluatedRun): Proposal {
  const { draft, status } = run.invoice;
  return { targetDate: billing.targetDate, invoiceId, status, draft, items: run.items };
}

interface ProposedRun {
  readonly account: Account;
  readonly targetDate: LocalDate;
  readonly run: AccountRun;
  readonly invoiceId: Uuid;
  readonly credit: readonly NewInvoiceItem[];
}

export function runInvoiceToExtend({ account, run, invoiceId, credit }: ProposedRun): ConsultedInvoice {
  return {
    invoiceId,
    currency: invoicingCurrency(account),
    items: run.items,
    existing: listDraftItemsAfterRun(run),
    creditIds: new Set(credit.map(({ id }) => id)),
    elsewhere: [],
    chosenIds: [],
  };
}

/** Returns the run's invoice as plugins see it, with the changes of previous plugins. */
export function seeingRun(
  { account, targetDate, run, invoiceId, credit }: ProposedRun,
  now: Instant,
): (asked: ConsultedInvoice) => InvoiceForPlugins {
  const { draft } = run.invoice;
  const made = { account, targetDate, id: invoiceId, run, now };
  const { invoice } = draft === null ? newInvoice(made) : reusedDraft(draft, made);
  return (asked) => viewToExtend(invoice, asked, asked.items === run.items ? credit : []);
}

/**
 * Reports the committed outcome of runs to the plugins that were consulted (§8.2 steps 9 and 15, §8.6). Reads the
 * stored invoices once if a plugin implements the callback. Never throws (§13 rule 8).
 */
export async function reportOutcomes(
  { storage, logger }: Pick<Ports, 'storage' | 'logger'>,
  consultations: Consultations,
  results: readonly RunResult[],
): Promise<void> {
  const reported = results.filter((result) => hasCallbackFor(consultations.calls, result));
  const [first] = consultations.of.values();
  if (reported.length === 0 || first === undefined) return;
  try {
    const ids = reported.flatMap((result) => (result.kind === 'done' ? result.invoiceIds : []));
    await reportAll(consultations, reported, await loadInvoicesForPlugins(storage, first.call.tenant, ids));
  } catch (error) {
    const accountIds = reported.map(({ account }) => account.id);
    logger.error({ err: error, accountIds }, 'could not notify invoice plugins of the outcome of runs');
  }
}

async function reportAll(
  { calls, of }: Consultations,
  results: readonly RunResult[],
  stored: ReadonlyMap<Uuid, InvoiceForPlugins>,
): Promise<void> {
  await inParallel(results, MAX_CONCURRENT_INVOICE_CALLS, async (result) => {
    const consultation = of.get(result.account.id);
    if (consultation === undefined || consultation.kind === 'stopped') return;
    const { call, properties } = consultation;
    if (result.kind === 'failed') await calls.failed(call, properties, lastConsultedInvoice(consultation));
    const ids = result.kind === 'done' ? result.invoiceIds : null;
    if (ids?.length === 0) await calls.succeeded(call, properties, null);
    for (const id of ids ?? []) await calls.succeeded(call, properties, stored.get(id) ?? null);
  });
}

function lastConsultedInvoice(consultation: Exclude<Consultation, { kind: 'stopped' }>) {
  return consultation.kind === 'go' ? consultation.invoice : (consultation.worked?.invoice ?? null);
}

function hasCallbackFor(calls: InvoicePluginCalls, result: RunResult): boolean {
  if (result.kind === 'done') return calls.has('onSuccessCall');
  return result.kind === 'failed' && result.isWorkedOut && calls.has('onFailureCall');
}
