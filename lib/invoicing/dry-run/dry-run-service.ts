import type { CatalogProvider } from '../../catalog/index.ts';
import { withOverridePlans } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { CallContext } from '../../records/index.ts';
import { planNamesOf, withForeseenPlan } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Instant, localDateOf } from '../../values/time/index.ts';
import { DryRunConsultation, dryRunProperties } from '../consulting/dry-run-consultation.ts';
import type { RegisteredInvoicePlugins } from '../consulting/registered-plugins.ts';
import type { UsageConsultation } from '../consulting/usage-consultation.ts';
import { type DryRunInvoice, undisturbed } from '../evaluation/dry-run-walk.ts';
import { newInvoice } from '../evaluation/invoice-after-run.ts';
import { type InvoiceView, viewInvoices } from '../invoices/invoice-view.ts';
import { raisedTargetDate } from '../invoices/new-invoice.ts';
import type { InvoicingConfigOf } from '../loading/tenant-invoicing-config.ts';
import { checkDryRun, type DryRunRequest } from './dry-run-request.ts';
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
    const wanted = checkDryRun(request);
    const { tenant, createdDate: now } = context;
    const { accountId } = request;
    const catalogsOf = await this.#catalogs.open({ tenant, now, accounts: [accountId] });
    const nextId = (): Uuid => this.#ports.ids.next();
    const input = { accountId, wanted, now, catalogsOf, configOf: this.#configOf, nextId };
    const supplied = this.#usage.isEmpty ? null : await this.#supplied(context, input);
    const loaded = await this.#ports.storage.read(tenant, async (session) => {
      const found = supplied ?? (await loadDryRun(session, input));
      const calls = this.#plugins.of(found.config);
      if (!calls.isEmpty) return { found, calls };
      const invoice = found.walk && undisturbed(found.walk);
      return { view: invoice && (await this.#view(session, found, { invoice, now })) };
    });
    if ('view' in loaded) return loaded.view;
    const { found, calls } = loaded;
    const consultation = new DryRunConsultation(this.#ports, calls, { ...found, context });
    const invoice = found.walk && (await consultation.follow(found.walk));
    if (invoice === null) return null;
    return this.#ports.storage.read(tenant, (session) => this.#view(session, found, { invoice, now }));
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
    return usages === null ? null : { ...found, walk: found.walkWith(usages) };
  }

  async #view(
    session: ReadSession,
    { account, catalogOf, overridePlan, config }: LoadedDryRun,
    { invoice: found, now }: { readonly invoice: DryRunInvoice; readonly now: Instant },
  ): Promise<InvoiceView | null> {
    const { draft } = found.run.invoice;
    const { invoice, items } = newInvoice({
      id: this.#ports.ids.next(),
      account,
      now,
      targetDate: draft === null ? found.targetDate : raisedTargetDate(draft.invoice, found.targetDate),
      // §11 rule 4: what a reused draft holds already, and the new items.
      run: { ...found.run, items: [...(draft?.items ?? []), ...found.run.items] },
    });
    const plansOf = await withOverridePlans(session, {
      catalogOf,
      accountIds: [account.id],
      planNames: planNamesOf(items.filter(({ planName }) => planName !== overridePlan?.name)),
    });
    const [view] = viewInvoices(
      [{ ...invoice, invoiceDate: draft?.invoice.invoiceDate ?? invoice.invoiceDate, recordId: 0 }],
      items.map((item) => ({ ...item, recordId: 0 })),
      {
        catalogOf: (accountId) => withForeseenPlan(plansOf(accountId), { overridePlan }),
        parents: new Map(),
        numberPatterns: [],
        trackingIds: new Map([[invoice.id, await trackingIds(session, found, config.maxTrackingIds)]]),
      },
    );
    return view ?? null;
  }
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
