import { noSuchAccount } from '../accounts/no-such-account.ts';
import type { CatalogProvider } from '../catalog/index.ts';
import type { Ports } from '../ports/index.ts';
import type { CallContext } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { localDateOf } from '../values/time/index.ts';
import { effectiveTargetDate } from './effective-target-date.ts';
import { invoicingCurrency } from './new-invoice.ts';
import type { InvoicingConfigOf } from './tenant-invoicing-config.ts';
import { type CoverageDifference, verifyCoverage } from './verify-coverage.ts';

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

  /**
   * Evaluates the whole history of an account up to today and compares that with what a run of today would make; an empty
   * list is as it should be. Writes nothing and takes no lock; meant for operators, since it costs all that was ever billed.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), CURRENCY_INVALID (3) for an account without currency.
   */
  async verify(context: CallContext, accountId: Uuid): Promise<readonly CoverageDifference[]> {
    const now = context.createdDate;
    const catalogsOf = await this.#catalogs.open({ tenant: context.tenant, now, accounts: [accountId] });
    return this.#ports.storage.read(context.tenant, async (session) => {
      const [account] = await session.accounts.findByIds([accountId]);
      if (!account) throw noSuchAccount(accountId);
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
