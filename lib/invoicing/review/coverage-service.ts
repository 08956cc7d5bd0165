import { loadAccount } from '../../accounts/index.ts';
import type { CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { CallContext } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import { invoicingCurrency } from '../invoices/new-invoice.ts';
import type { CoverageDifference } from '../invoices/requests.ts';
import type { InvoicingConfigOf } from '../proposals/invoicing-config.ts';
import { effectiveTargetDate } from '../proposals/target-date.ts';
import { verifyCoverage } from './verify-coverage.ts';

/** Checks of what is billed against what there is to bill (§7.3). */
export class CoverageService {
  readonly #ports: Pick<Ports, 'storage'>;
  readonly #catalogs: CatalogProvider;
  readonly #configOf: InvoicingConfigOf;

  constructor(ports: Pick<Ports, 'storage'>, catalogs: CatalogProvider, configOf: InvoicingConfigOf) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#configOf = configOf;
  }

  async verifyCoverage(context: CallContext, accountId: Uuid): Promise<readonly CoverageDifference[]> {
    const now = context.createdDate;
    const catalogsOf = await this.#catalogs.open({ tenant: context.tenant, now, accounts: [accountId] });
    return this.#ports.storage.read(context.tenant, async (session) => {
      const account = await loadAccount(session, accountId);
      invoicingCurrency(account);
      const config = await this.#configOf(session);
      const [state] = await session.invoices.loadStates([accountId]);
      const targetDate = effectiveTargetDate({
        requested: null,
        today: localDateOf(now, account.timeZone),
        maxTargetDate: state?.maxTargetDate ?? null,
        maxMonthsInFuture: config.maxMonthsInFuture,
      });
      return verifyCoverage(session, {
        account,
        state: state ?? null,
        targetDate,
        catalogOf: await catalogsOf(session, [accountId]),
        config,
      });
    });
  }
}
