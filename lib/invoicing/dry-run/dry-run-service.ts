import type { CatalogProvider } from '../../catalog/index.ts';
import { withOverridePlans } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { CallContext } from '../../records/index.ts';
import { planNamesOf, withForeseenPlan } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Instant, type LocalDate, localDateOf, maxDate } from '../../values/time/index.ts';
import { DryRunConsultation, dryRunProperties } from '../consulting/dry-run-consultation.ts';
import type { RegisteredInvoicePlugins } from '../consulting/registered-plugins.ts';
import type { UsageConsultation } from '../consulting/usage-consultation.ts';
import { type DryRunInvoice, undisturbed } from '../evaluation/dry-run-walk.ts';
import { newInvoice } from '../evaluation/invoice-after-run.ts';
import { type InvoiceView, viewInvoices } from '../invoices/invoice-view.ts';
import { raisedTargetDate } from '../invoices/new-invoice.ts';
import type { InvoicingConfigOf } from '../loading/tenant-invoicing-config.ts';
import { checkDryRun, type DryRunRequest, DryRunType } from './dry-run-request.ts';
import { type DryRunInput, type LoadedDryRun, loadDryRun } from './load-dry-run.ts';

/** Invoices that runs would make (§11). */
export class DryRunService {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;
  readonly #catalogs: CatalogProvider;
  readonly #configOf: InvoicingConfigOf;
  readonly #plugins: RegisteredInvoicePlugins;
  readonly #usage: UsageConsultation;

  constructor(
    ports: Pick<Ports, 'storage' | 'ids'>,
    catalogs: CatalogProvider,
    {
      configOf,
      plugins,
      usage,
    }: {
      readonly configOf: InvoicingConfigOf;
      readonly plugins: RegisteredInvoicePlugins;
      readonly usage: UsageConsultation;
    },
  ) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#configOf = configOf;
    this.#plugins = plugins;
    this.#usage = usage;
  }

  async dryRun(context: CallContext, request: DryRunRequest): Promise<InvoiceView | null> {
    const { accountId } = request;
    const [view = null] = await this.#views(context, {
      accountId,
      wanted: checkDryRun(request),
      dates: null,
    });
    return view;
  }

  /** The invoices that runs at these dates would make, each as `dryRun` has it but for its tracking ids; one reading for all. */
  upTo(context: CallContext, { accountId, dates }: DatesOfAccount): Promise<readonly (InvoiceView | null)[]> {
    const targetDate = dates.reduce<LocalDate | null>((last, date) => maxDate(last ?? date, date), null);
    return this.#views(context, { accountId, wanted: { type: DryRunType.TARGET_DATE, targetDate }, dates });
  }

  async #views(context: CallContext, asked: AskedDryRun): Promise<readonly (InvoiceView | null)[]> {
    const { tenant, createdDate: now } = context;
    const { accountId } = asked;
    const catalogsOf = await this.#catalogs.open({ tenant, now, accounts: [accountId] });
    const nextId = (): Uuid => this.#ports.ids.next();
    const input = { ...asked, now, catalogsOf, configOf: this.#configOf, nextId };
    const supplied = this.#usage.isEmpty ? null : await this.#supplied(context, input);
    const loaded = await this.#ports.storage.read(tenant, async (session) => {
      const found = supplied ?? (await loadDryRun(session, input));
      const calls = this.#plugins.of(found.config);
      const dates = asked.dates ?? [found.targetDate];
      if (!calls.isEmpty) return { found, calls, dates };
      const made = dates.map((date) => {
        const walk = found.walkTo(date);
        return walk && undisturbed(walk);
      });
      return { views: await this.#view(session, found, { made, asked, now }) };
    });
    if ('views' in loaded) return loaded.views;
    const { found, calls, dates } = loaded;
    const made: (DryRunInvoice | null)[] = [];
    for (const targetDate of dates) {
      const consultation = new DryRunConsultation(this.#ports, calls, { ...found, targetDate, context });
      const walk = found.walkTo(targetDate);
      made.push(walk && (await consultation.follow(walk)));
    }
    if (made.every((invoice) => invoice === null)) return made.map(() => null);
    return this.#ports.storage.read(tenant, (session) => this.#view(session, found, { made, asked, now }));
  }

  /** The dry run with what usage sources tell; null where they have nothing to tell, so that what is recorded counts. */
  async #supplied(context: CallContext, input: DryRunInput): Promise<LoadedDryRun | null> {
    const { tenant, createdDate: now, pluginProperties = [] } = context;
    const { accountId, wanted } = input;
    const found = await this.#ports.storage.read(tenant, (session) =>
      loadDryRun(session, { ...input, asksSources: true }),
    );
    const { question, targetDate, account } = found;
    if (question === null) return found;
    const usages = await this.#usage.ofAccount({
      tenant,
      accountId,
      now,
      question,
      dryRunType: wanted.type,
      inputTargetDate: targetDate,
      properties: [
        ...(pluginProperties ?? []),
        ...dryRunProperties(localDateOf(now, account.timeZone), targetDate),
      ],
    });
    return usages === null ? null : { ...found, walkTo: (date) => found.walkWith(usages, date) };
  }

  async #view(
    session: ReadSession,
    { account, catalogOf, overridePlan, config }: LoadedDryRun,
    { made, asked, now }: MadeInvoices,
  ): Promise<readonly (InvoiceView | null)[]> {
    const built = made.map((found) => {
      if (found === null) return null;
      const { draft } = found.run.invoice;
      const { invoice, items } = newInvoice({
        id: this.#ports.ids.next(),
        account,
        now,
        targetDate: draft === null ? found.targetDate : raisedTargetDate(draft.invoice, found.targetDate),
        // §11 rule 4: what a reused draft holds already, and the new items.
        run: { ...found.run, items: [...(draft?.items ?? []), ...found.run.items] },
      });
      return {
        found,
        items,
        invoice: { ...invoice, invoiceDate: draft?.invoice.invoiceDate ?? invoice.invoiceDate },
      };
    });
    const plansOf = await withOverridePlans(session, {
      catalogOf,
      accountIds: [account.id],
      planNames: planNamesOf(
        built.flatMap((one) => one?.items ?? []).filter(({ planName }) => planName !== overridePlan?.name),
      ),
    });
    const [only = null] = asked.dates === null ? built : [];
    const ids = only === null ? [] : await trackingIds(session, only.found, config.maxTrackingIds);
    return built.map((one) => {
      if (one === null) return null;
      const { invoice, items } = one;
      const [view] = viewInvoices(
        [{ ...invoice, recordId: 0 }],
        items.map((item) => ({ ...item, recordId: 0 })),
        {
          catalogOf: (accountId) => withForeseenPlan(plansOf(accountId), { overridePlan }),
          parents: new Map(),
          numberPatterns: [],
          trackingIds: new Map([[invoice.id, ids]]),
        },
      );
      return view ?? null;
    });
  }
}

/** A dry run that passed the checks, or several that differ by their dates. */
interface AskedDryRun extends Pick<DryRunInput, 'accountId' | 'wanted'> {
  /** null = the one that `wanted` says. */
  readonly dates: readonly LocalDate[] | null;
}

interface DatesOfAccount {
  readonly accountId: Uuid;
  /** At least one. */
  readonly dates: readonly LocalDate[];
}

interface MadeInvoices {
  readonly made: readonly (DryRunInvoice | null)[];
  readonly asked: AskedDryRun;
  readonly now: Instant;
}

/** Of the usage that the invoice would be the first to bill, after those of a reused draft; computed, not stored (usage §7.6). */
async function trackingIds(
  session: ReadSession,
  { run }: DryRunInvoice,
  limit: number,
): Promise<readonly string[]> {
  const points = run.evaluations.flatMap(({ subscriptionId, usage }) =>
    usage === null ? [] : { subscriptionId, ranges: usage.intervals.flatMap(({ consumed }) => consumed) },
  );
  const supplied = run.evaluations.flatMap(({ usage }) =>
    (usage?.intervals ?? []).flatMap((interval) => interval.supplied?.trackingIds ?? []),
  );
  const draftId = run.invoice.draft?.invoice.id;
  const drafted =
    draftId === undefined ? [] : (await session.usage.trackingIds([draftId], limit)).get(draftId);
  const recorded = points.length === 0 ? [] : await session.usage.trackingIdsOfPoints(points, limit);
  return [...new Set([...(drafted ?? []), ...recorded, ...supplied])].slice(0, limit);
}
