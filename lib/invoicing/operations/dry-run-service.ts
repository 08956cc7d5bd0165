import { loadAccount } from '../../accounts/index.ts';
import { type CatalogProvider, withOverridePlans } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type AddedItem,
  type CallContext,
  InvoiceItemType,
  type ItemBasis,
} from '../../records/index.ts';
import { inParallel, type TimeSlices, timeSlices } from '../../runtime/index.ts';
import { loadBundle, loadSubscription, planNamesOf, withForeseenPlan } from '../../subscriptions/index.ts';
import { openEnds, type UsageSources } from '../../usage/index.ts';
import { assertInvariant, invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { ZERO } from '../../values/money/index.ts';
import { type Instant, type LocalDate, localDateOf, maxDate } from '../../values/time/index.ts';
import {
  checkDryRun,
  type DryRunRequest,
  DryRunType,
  type UpcomingInvoiceRequest,
} from '../dry-run/dry-run-request.ts';
import {
  type DryRunInput,
  type LoadedDryRun,
  loadDryRun,
  loadDryRuns,
  walkTo,
  withSupplies,
} from '../dry-run/load-dry-run.ts';
import { checkPreview, type PreviewRequest } from '../dry-run/preview-request.ts';
import { type InvoicesAfterChange, walkAfterChange } from '../dry-run/upcoming.ts';
import { type DryRunInvoice, type DryRunWalk, unchangedWalk } from '../dry-run/walk.ts';
import { newInvoice } from '../evaluation/run-invoice.ts';
import {
  type ExplainedInvoice,
  type ForeseenInvoice,
  withExplanations,
} from '../explanation/explained-invoice.ts';
import { type InvoiceItemView, type InvoiceView, viewInvoices } from '../invoices/invoice-view.ts';
import { raisedTargetDate } from '../invoices/new-invoice.ts';
import { loadUsageBases } from '../loading/load-invoice-views.ts';
import { loadStreams } from '../loading/load-streams.ts';
import { dryRunProperties, followConsulted } from '../plugins/consult-about-dry-runs.ts';
import type { RegisteredInvoicePlugins } from '../plugins/plugin-calls.ts';
import type { InvoicingConfigOf } from '../proposals/invoicing-config.ts';
import { explainItems } from '../review/explanation-service.ts';
import type { ChangePreview, RatedUsageRequest } from './invoice-operations.ts';

/** Maximum number of accounts whose dry runs are computed at a time if plugins or usage sources are called. */
const MAX_CONCURRENT_NOTICES = 4;

type DryRunPorts = Pick<Ports, 'storage' | 'ids' | 'systemClock' | 'scopes'>;

interface DryRunTools {
  readonly configOf: InvoicingConfigOf;
  readonly plugins: RegisteredInvoicePlugins;
  readonly sources: UsageSources;
}

export class DryRunService {
  readonly #ports: DryRunPorts;
  readonly #catalogs: CatalogProvider;
  readonly #tools: DryRunTools;

  constructor(ports: DryRunPorts, catalogs: CatalogProvider, tools: DryRunTools) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#tools = tools;
  }

  async dryRun(context: CallContext, request: DryRunRequest): Promise<ForeseenInvoice | null> {
    const accountId = request.accountId ?? (await this.#accountOf(context, request));
    const wanted = checkDryRun({ ...request, accountId });
    const explains = request.explain ?? false;
    const [view = null] = await this.#views(context, { accountId, wanted, dates: null, explains });
    return view;
  }

  async #accountOf({ tenant }: CallContext, { subscriptionId, bundleId }: DryRunRequest): Promise<Uuid> {
    const { accountId } = await this.#ports.storage.read(tenant, async (session) => {
      if (subscriptionId) return loadSubscription(session, subscriptionId);
      if (bundleId) return loadBundle(session, bundleId);
      throw invalidField('accountId or subscriptionId needs to be set', { field: 'accountId' });
    });
    return accountId;
  }

  /** Returns the next invoice. Its date is the day of its run. */
  async upcoming(context: CallContext, { accountId }: UpcomingInvoiceRequest): Promise<InvoiceView | null> {
    const wanted = checkDryRun({ accountId, dryRunType: DryRunType.UPCOMING_INVOICE });
    const [invoice = null] = await this.#views(context, { accountId, wanted, dates: null });
    if (invoice === null) return null;
    const invoiceDate = maxDate(invoice.invoiceDate, invoice.targetDate ?? invoice.invoiceDate);
    return { ...invoice, invoiceDate, commitDate: invoice.commitDate && invoiceDate };
  }

  /** Returns the invoices that a subscription change causes, each item with its explanation (§11.1). */
  async preview(context: CallContext, request: PreviewRequest): Promise<ChangePreview> {
    const find = checkPreview(request);
    const { accountId, action } = await this.#ports.storage.read(context.tenant, find);
    const asked: Foreseeing<InvoicesAfterChange, ChangePreview> = {
      accountId,
      wanted: { type: 'PREVIEW', action },
      walksOf: ({ walk, isBilledNow }, nextId) => [
        { targetDate: null, walk: walk && walkAfterChange(walk.input, isBilledNow, nextId) },
      ],
      view: (session, found, [result]) =>
        this.#changeView(session, { found, result, now: context.createdDate }),
    };
    return this.#foresee(context, asked);
  }

  /** Returns the invoices of runs on these dates, like `dryRun` but without tracking ids, from one snapshot. */
  upTo(context: CallContext, { accountId, dates }: DatesOfAccount): Promise<readonly (InvoiceView | null)[]> {
    return this.#views(context, { accountId, wanted: upToLast(dates), dates });
  }

  /**
   * Returns the invoices of many accounts, from one snapshot without plugins and usage sources. A failure for one
   * account does not affect the others. A missing account has no entry in the result.
   */
  async ofAccounts(
    context: CallContext,
    asked: readonly DatesOfAccount[],
  ): Promise<ReadonlyMap<Uuid, ForeseenInvoices>> {
    const { tenant, createdDate: now } = context;
    if (!this.#tools.sources.isEmpty || !this.#tools.plugins.isEmpty) {
      const found = await inParallel(asked, MAX_CONCURRENT_NOTICES, async (each) => {
        const foreseen = this.upTo(context, each).then((views) => ({ views }));
        return [each.accountId, await foreseen.catch((error: unknown) => ({ error }))] as const;
      });
      return new Map(found);
    }
    const accounts = asked.map(({ accountId }) => accountId);
    const catalogsOf = await this.#catalogs.open({ tenant, now, accounts });
    const nextId = (): Uuid => this.#ports.ids.next();
    return this.#ports.storage.read(tenant, async (session) => {
      const wanted = asked.map(({ accountId, dates }) => ({ accountId, wanted: upToLast(dates) }));
      const tools = { now, catalogsOf, configOf: this.#tools.configOf, nextId };
      const { loaded, failures } = await loadDryRuns(session, wanted, tools);
      const foreseen = new Map<Uuid, ForeseenInvoices>([...failures].map(([id, error]) => [id, { error }]));
      const runs: MadeInvoices[] = [];
      const slices = timeSlices(this.#ports);
      for (const { accountId, dates } of asked) {
        const found = loaded.get(accountId);
        if (found === undefined) continue;
        try {
          runs.push({ found, made: await unchangedWalkTo(found, dates, { slices, nextId }) });
        } catch (error) {
          foreseen.set(accountId, { error });
        }
      }
      const views = await this.#view(session, runs, { now, hasTrackingIds: false });
      for (const [index, { found }] of runs.entries())
        foreseen.set(found.account.id, { views: views[index] ?? [] });
      return foreseen;
    });
  }

  #views(context: CallContext, asked: DatedDryRun): Promise<readonly (InvoiceView | null)[]> {
    const { createdDate: now } = context;
    const { accountId, wanted, dates, explains = false } = asked;
    return this.#foresee(context, {
      accountId,
      wanted,
      walksOf: (found, nextId) =>
        (dates ?? [found.targetDate]).map((targetDate) => ({
          targetDate,
          walk: walkTo(found, targetDate, nextId),
        })),
      view: async (session, found, made) => {
        const [views = []] = await this.#view(session, [{ found, made }], {
          now,
          hasTrackingIds: dates === null,
        });
        return explains ? explainedViews(session, { found, views, made }) : views;
      },
    });
  }

  /** Runs the walks, consults invoice plugins outside transactions, and returns the results. */
  async #foresee<R, V>(context: CallContext, asked: Foreseeing<R, V>): Promise<V> {
    const { tenant, createdDate: now } = context;
    const { accountId, wanted } = asked;
    const catalogsOf = await this.#catalogs.open({ tenant, now, accounts: [accountId] });
    const nextId = (): Uuid => this.#ports.ids.next();
    const input = { accountId, wanted, now, catalogsOf, configOf: this.#tools.configOf, nextId };
    const supplied = this.#tools.sources.isEmpty ? null : await this.#loadWithSuppliedUsage(context, input);
    const loaded = await this.#ports.storage.read(tenant, async (session) => {
      const found = supplied ?? (await loadDryRun(session, input));
      const calls = this.#tools.plugins.of(found.config);
      if (!calls.isEmpty) return { found, calls };
      const slices = timeSlices(this.#ports);
      const made: (R | null)[] = [];
      for (const { walk } of asked.walksOf(found, nextId)) {
        made.push(walk && (await slices(unchangedWalk(walk))));
      }
      return { view: await asked.view(session, found, made) };
    });
    if ('view' in loaded) return loaded.view;
    const { found, calls } = loaded;
    const made: (R | null)[] = [];
    for (const { targetDate, walk } of asked.walksOf(found, nextId)) {
      const of = { ports: this.#ports, calls, context, account: found.account, targetDate };
      made.push(walk && (await followConsulted(walk, of)));
    }
    return this.#ports.storage.read(tenant, (session) => asked.view(session, found, made));
  }

  async #changeView(session: ReadSession, { found, result, now }: ChangeToView): Promise<ChangePreview> {
    const { dueNow = null, next = null, credit = ZERO } = result ?? {};
    const { hypothesis } = found;
    assertInvariant(hypothesis?.effective, 'A previewed change has a date');
    const [views = []] = await this.#view(session, [{ found, made: [dueNow, next] }], {
      now,
      hasTrackingIds: false,
    });
    const [shownNow = null, shownNext = null] = await explainedViews(session, {
      found,
      views: views.map((view, index) => {
        const made = index === 0 ? dueNow : next;
        return view && made ? onDateOf(made, view) : null;
      }),
      made: [dueNow, next],
    });
    return { effective: hypothesis.effective, dueNow: shownNow, next: shownNext, credit };
  }

  /**
   * Returns the dry run with usage from sources. Returns null if the sources supply no usage, so that recorded usage is
   * billed.
   */
  async #loadWithSuppliedUsage(context: CallContext, input: DryRunInput): Promise<LoadedDryRun | null> {
    const { tenant, createdDate: now, pluginProperties = [] } = context;
    const { accountId, wanted } = input;
    const found = await this.#ports.storage.read(tenant, (session) =>
      loadDryRun(session, { ...input, asksSources: true }),
    );
    const { question, targetDate, account } = found;
    if (question === null) return found;
    const usages = await this.#tools.sources.ofAccount(
      question,
      {
        tenantId: tenant.id,
        accountId,
        dryRunType: wanted.type === 'PREVIEW' ? DryRunType.SUBSCRIPTION_ACTION : wanted.type,
        inputTargetDate: targetDate,
        now,
      },
      [...(pluginProperties ?? []), ...dryRunProperties(localDateOf(now, account.timeZone), targetDate)],
    );
    return usages === null ? null : withSupplies(found, usages);
  }

  /** Returns the views of each account's invoices. Accounts of one tenant share catalogs and settings. */
  async #view(
    session: ReadSession,
    runs: readonly MadeInvoices[],
    { now, hasTrackingIds }: { readonly now: Instant; readonly hasTrackingIds: boolean },
  ): Promise<readonly (readonly (InvoiceView | null)[])[]> {
    const built = runs.map(({ found, made }) => ({
      found,
      invoices: made.map((one) => one && this.#buildInvoice(found.account, one, now)),
    }));
    const [first] = runs;
    if (first === undefined) return [];
    const { catalogOf, config } = first.found;
    const plansOf = await withOverridePlans(session, {
      catalogOf,
      accountIds: runs.map(({ found }) => found.account.id),
      planNames: planNamesOf(
        built.flatMap(({ found: { hypothesis }, invoices }) => {
          const items = invoices.flatMap((one) => one?.items ?? []);
          return items.filter(({ planName }) => planName !== hypothesis?.overridePlan?.name);
        }),
      ),
    });
    const [only = null] = hasTrackingIds ? built.flatMap(({ invoices }) => invoices) : [];
    const ids = only === null ? [] : await foreseenTrackingIds(session, only.made, config.maxTrackingIds);
    const usageBases = await loadUsageBases(
      session,
      built.flatMap(({ invoices }) => invoices.flatMap((one) => withRecordIds(one?.items ?? []))),
    );
    return built.map(({ found: { hypothesis }, invoices }) =>
      invoices.map((one) => {
        if (one === null) return null;
        const { invoice } = one;
        const items = withRecordIds(one.items).map(({ basis: _, ...item }) => item);
        const [view] = viewInvoices([{ ...invoice, recordId: 0 }], items, {
          catalogOf: (accountId) => withForeseenPlan(plansOf(accountId), hypothesis),
          parents: new Map(),
          numberPatterns: [],
          trackingIds: new Map([[invoice.id, ids]]),
          usageBases,
        });
        return view ?? null;
      }),
    );
  }

  #buildInvoice(account: Account, made: DryRunInvoice, now: Instant) {
    const { draft } = made.run.invoice;
    const { invoice, items } = newInvoice({
      id: this.#ports.ids.next(),
      account,
      now,
      targetDate: draft === null ? made.targetDate : raisedTargetDate(draft.invoice, made.targetDate),
      // The result contains the items of a reused draft and the new items (§11 rule 4).
      run: { ...made.run, items: [...(draft?.items ?? []), ...made.run.items] },
    });
    const invoiceDate = draft?.invoice.invoiceDate ?? invoice.invoiceDate;
    const { note = draft?.invoice.note ?? null } = made.run;
    return { made, items, invoice: { ...invoice, note, invoiceDate } };
  }
}

function withRecordIds(items: readonly AddedItem[]) {
  return items.map((item) => ({ ...item, recordId: 0 }));
}

interface DatedDryRun extends Pick<DryRunInput, 'accountId' | 'wanted'> {
  /** Dates of the requested invoices. If null, the date in `wanted` applies. */
  readonly dates: readonly LocalDate[] | null;
  /** If true, each item contains its explanation. Defaults to false. */
  readonly explains?: boolean;
}

interface ChangeToView {
  readonly found: LoadedDryRun;
  /** Result of the walk, if there is anything to bill. */
  readonly result: InvoicesAfterChange | null | undefined;
  readonly now: Instant;
}

/** A dry run with its walks and a function that converts their results to views. */
interface Foreseeing<R, V> extends Pick<DryRunInput, 'accountId' | 'wanted'> {
  walksOf(
    found: LoadedDryRun,
    nextId: () => Uuid,
  ): readonly { readonly targetDate: LocalDate | null; readonly walk: DryRunWalk<R> | null }[];
  view(session: ReadSession, found: LoadedDryRun, made: readonly (R | null)[]): Promise<V>;
}

interface DatesOfAccount {
  readonly accountId: Uuid;
  /** At least one date. */
  readonly dates: readonly LocalDate[];
}

/** The invoices of an account by requested date, or the error that prevented them. */
type ForeseenInvoices = { readonly views: readonly (InvoiceView | null)[] } | { readonly error: unknown };

interface MadeInvoices {
  readonly found: LoadedDryRun;
  readonly made: readonly (DryRunInvoice | null)[];
}

function upToLast(dates: readonly LocalDate[]) {
  const targetDate = dates.reduce<LocalDate | null>((last, date) => maxDate(last ?? date, date), null);
  return { type: DryRunType.TARGET_DATE, targetDate };
}

/** Returns the views with an explanation of each item. */
async function explainedViews(
  session: ReadSession,
  { found: { hypothesis }, views, made }: ViewsToExplain,
): Promise<readonly (ExplainedInvoice | null)[]> {
  const basisOf = new Map(made.flatMap(basesOf));
  const items = views.flatMap((view) => view?.items ?? []);
  const explained = items.map((item) => ({ ...item, basis: basisOf.get(item.id) }));
  const explanations = await explainItems(session, explained, hypothesis);
  return views.map((view) => view && withExplanations(view, explanations));
}

interface ViewsToExplain extends MadeInvoices {
  readonly views: readonly (InvoiceView | null)[];
}

function basesOf(made: DryRunInvoice | null) {
  if (made === null) return [];
  const { items, invoice } = made.run;
  const all: readonly { readonly id: Uuid; readonly basis?: ItemBasis }[] = [
    ...(invoice.draft?.items ?? []),
    ...items,
  ];
  return all.flatMap(({ id, basis }) => (basis === undefined ? [] : [[id, basis] as const]));
}

/** Returns the invoice, dated on the day of its run. A draft keeps its original date. */
function onDateOf({ run, runDate }: DryRunInvoice, view: InvoiceView): InvoiceView {
  const invoiceDate = run.invoice.draft === null ? runDate : view.invoiceDate;
  return { ...view, invoiceDate, commitDate: view.commitDate && runDate };
}

async function unchangedWalkTo(
  found: LoadedDryRun,
  dates: readonly (LocalDate | null)[],
  { slices, nextId }: { readonly slices: TimeSlices; readonly nextId: () => Uuid },
) {
  const made: (DryRunInvoice | null)[] = [];
  for (const date of dates) {
    const walk = walkTo(found, date, nextId);
    made.push(walk && (await slices(unchangedWalk(walk))));
  }
  return made;
}

/**
 * Returns the ids of the usage records that the invoice would be the first to bill. The tracking ids of a reused draft
 * come first (usage §7.6).
 */
async function foreseenTrackingIds(session: ReadSession, { run }: DryRunInvoice, limit: number) {
  const points = run.evaluations.flatMap(({ subscriptionId, usage }) =>
    usage === null ? [] : { subscriptionId, ranges: usage.intervals.flatMap(({ consumed }) => consumed) },
  );
  const supplied = run.evaluations.flatMap(({ usage }) =>
    (usage?.intervals ?? []).flatMap((interval) => interval.supplied?.trackingIds ?? []),
  );
  const draftId = run.invoice.draft?.invoice.id;
  const drafted =
    draftId === undefined ? [] : (await session.usage.trackingIds([draftId], () => limit)).get(draftId);
  const recorded = points.length === 0 ? [] : await session.usage.trackingIdsOfPoints(points, limit);
  return [...new Set([...(drafted ?? []), ...recorded, ...supplied])].slice(0, limit);
}

/** Returns the cost of the current usage (usage §3.3). */
export function ratedUsage(
  { storage }: Pick<Ports, 'storage'>,
  catalogs: CatalogProvider,
  { configOf, dryRuns }: { readonly configOf: InvoicingConfigOf; readonly dryRuns: DryRunService },
) {
  /** Returns the current day of the account and the end dates of its current usage periods. */
  async function loadCurrentPeriods({ tenant, createdDate: now }: CallContext, subscriptionId: Uuid) {
    const { accountId } = await storage.read(tenant, (session) => loadSubscription(session, subscriptionId));
    const catalogsOf = await catalogs.open({ tenant, now, accounts: [accountId] });
    return storage.read(tenant, async (session) => {
      const account = await loadAccount(session, accountId);
      const { timeZone: zone } = account;
      const today = localDateOf(now, zone);
      const config = await configOf(session);
      const catalogOf = await catalogsOf(session, [accountId]);
      const requests = [{ account, targetDate: today }];
      const { streams } = await loadStreams(session, { requests, catalogOf, config, choice: 'all' });
      const events = streams[0]?.bySubscription.get(subscriptionId) ?? [];
      return { accountId, today, ends: openEnds(events, now, zone) };
    });
  }

  return {
    rated: async (
      context: CallContext,
      subscriptionId: Uuid,
      { targetDate: asked = null }: RatedUsageRequest = {},
    ): Promise<readonly InvoiceItemView[]> => {
      const { accountId, today, ends } = await loadCurrentPeriods(context, subscriptionId);
      const dates = asked !== null ? [asked] : ends.length > 0 ? ends : [today];
      const invoices = await dryRuns.upTo(context, { accountId, dates });
      return dates.flatMap((end, index) => {
        const items = (invoices[index]?.items ?? []).filter(
          (item) => item.itemType === InvoiceItemType.USAGE && item.subscriptionId === subscriptionId,
        );
        // Each invoice contributes only the periods that are running now and end on the invoice's date.
        const isRunning = ({ startDate, endDate }: InvoiceItemView): boolean =>
          startDate !== null && startDate <= today && endDate === end;
        return index === 0 ? items : items.filter(isRunning);
      });
    },
  };
}
