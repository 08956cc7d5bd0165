import type { CatalogProvider } from '../../catalog/index.ts';
import { withOverridePlans } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { CallContext } from '../../records/index.ts';
import { planNamesOf, withForeseenPlan } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { newInvoice } from '../evaluation/invoice-after-run.ts';
import { type InvoiceView, viewInvoices } from '../invoices/invoice-view.ts';
import { raisedTargetDate } from '../invoices/new-invoice.ts';
import type { InvoicingConfigOf } from '../loading/tenant-invoicing-config.ts';
import { dryRun } from './dry-run.ts';
import { checkDryRun, type DryRunRequest } from './dry-run-request.ts';

/** Invoices that runs would make (§11). */
export class DryRunService {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;
  readonly #catalogs: CatalogProvider;
  readonly #configOf: InvoicingConfigOf;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>, catalogs: CatalogProvider, configOf: InvoicingConfigOf) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#configOf = configOf;
  }

  async dryRun(context: CallContext, request: DryRunRequest): Promise<InvoiceView | null> {
    const wanted = checkDryRun(request);
    const catalogsOf = await this.#catalogs.open({
      tenant: context.tenant,
      now: context.createdDate,
      accounts: [request.accountId],
    });
    return this.#ports.storage.read(context.tenant, async (session) => {
      const nextId = (): Uuid => this.#ports.ids.next();
      const now = context.createdDate;
      const { accountId } = request;
      const run = await dryRun(session, {
        accountId,
        wanted,
        now,
        catalogsOf,
        configOf: this.#configOf,
        nextId,
      });
      const { account, invoice: found, catalogOf } = run;
      if (found === null) return null;
      const { draft } = found.run.invoice;
      const { invoice, items } = newInvoice({
        id: nextId(),
        account,
        now,
        targetDate: draft === null ? found.targetDate : raisedTargetDate(draft.invoice, found.targetDate),
        // §11 rule 4: what a reused draft holds already, and the new items.
        run: { ...found.run, items: [...(draft?.items ?? []), ...found.run.items] },
      });
      const plansOf = await withOverridePlans(session, {
        catalogOf,
        accountIds: [account.id],
        planNames: planNamesOf(items.filter(({ planName }) => planName !== run.overridePlan?.name)),
      });
      const [view] = viewInvoices(
        [{ ...invoice, invoiceDate: draft?.invoice.invoiceDate ?? invoice.invoiceDate, recordId: 0 }],
        items.map((item) => ({ ...item, recordId: 0 })),
        { catalogOf: (accountId) => withForeseenPlan(plansOf(accountId), run), parents: new Map() },
      );
      return view ?? null;
    });
  }
}
