import { lockAccount } from '../../accounts/index.ts';
import type { CatalogProvider, CatalogSource } from '../../catalog/index.ts';
import { effectsOnAccounts } from '../../control-tags/index.ts';
import type { IdGenerator, Ports } from '../../ports/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import type { Account, CallContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { formatLocalDate } from '../../values/time/index.ts';
import { type Drafting, draftingOf } from '../invoices/drafting.ts';
import type { InvoiceReader, InvoiceView } from '../invoices/invoice-view.ts';
import type { InvoicingConfigOf } from '../loading/tenant-invoicing-config.ts';
import type { GenerateRequest } from '../operations/invoice-operations.ts';
import { giveBillCycleDays } from './give-bill-cycle-days.ts';
import { alwaysParks, type ParkedAccount, parkAccounts, reasonOf, unparkAccount } from './parking.ts';
import { type RunRequest, type RunResult, runAccounts, warnOfSkipped } from './run-accounts.ts';

/** Invoice runs (§8): those that people ask for, and what automatic runs share with them. */
export class InvoiceRunService {
  readonly #ports: Pick<Ports, 'storage' | 'ids' | 'logger'>;
  readonly #catalogs: CatalogProvider;
  readonly #invoices: InvoiceReader;
  /** Gives the invoicing settings of a session's tenant. */
  readonly configOf: InvoicingConfigOf;

  constructor(
    ports: Pick<Ports, 'storage' | 'ids' | 'logger'>,
    catalogs: CatalogProvider,
    { configOf, invoices }: { readonly configOf: InvoicingConfigOf; readonly invoices: InvoiceReader },
  ) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#invoices = invoices;
    this.configOf = configOf;
  }

  async generate(context: CallContext, request: GenerateRequest): Promise<InvoiceView> {
    const requestedDate = request.targetDate ?? null;
    const catalogsOf = await this.#catalogs.open({
      tenant: context.tenant,
      now: context.createdDate,
      accounts: [request.accountId],
    });
    const outcome = await this.#ports.storage.write(
      context.tenant,
      authorshipOf(context),
      async (session): Promise<GenerateOutcome> => {
        const account = await lockAccount(session, request.accountId);
        const drafting = await draftingAsked(session, request);
        const acceptsBounds = request.acceptBounds === true;
        const asked = { account, requestedDate, drafting, acceptsBounds };
        const [result] = await this.run(session, [asked], catalogsOf);
        if (result?.kind === 'failed') return parkOrThrow(session, result, this.#ports.ids);
        await unparkAccount(session, account);
        return { kind: 'done', invoiceId: result?.invoiceId ?? null, results: result ? [result] : [] };
      },
    );
    if (outcome.kind === 'parked') throw outcome.error;
    warnOfSkipped(this.#ports.logger, outcome.results);
    const { invoiceId } = outcome;
    // An account with nothing to invoice is unparked nevertheless (§8.2 step 16), so this error is thrown after the
    // commit.
    if (invoiceId === null) throw nothingToDo(request);
    return this.#invoices.get(context, invoiceId);
  }

  /** Marks locked accounts that an automatic run could not invoice. */
  async park(session: WriteSession, parked: readonly ParkedAccount[]): Promise<void> {
    await parkAccounts(session, parked, this.#ports.ids);
  }

  /** Gives locked accounts their bill cycle days without invoicing them (ruling R51). */
  async giveBillCycleDays(
    session: WriteSession,
    accounts: readonly Account[],
    catalogsOf: CatalogSource,
  ): Promise<void> {
    if (accounts.length === 0) return;
    const ids = accounts.map(({ id }) => id);
    const [catalogOf, config] = [await catalogsOf(session, ids), await this.configOf(session)];
    await giveBillCycleDays(session, accounts, { catalogOf, config });
  }

  /** Runs locked accounts in the session's transaction; automatic runs and `generate` share this. */
  async run(
    session: WriteSession,
    requests: readonly RunRequest[],
    catalogsOf: CatalogSource,
  ): Promise<readonly RunResult[]> {
    if (requests.length === 0) return [];
    const catalogOf = await catalogsOf(
      session,
      requests.map(({ account }) => account.id),
    );
    const config = await this.configOf(session);
    return runAccounts(session, requests, { ids: this.#ports.ids, config, catalogOf });
  }
}

/** What the account's tags and the call say about drafts. */
async function draftingAsked(
  session: ReadSession,
  { accountId, reuseDraft = false, draftId = null }: GenerateRequest,
): Promise<Drafting> {
  const tagged = draftingOf(await effectsOnAccounts(session, [accountId]), accountId);
  return { ...tagged, reusesDraft: tagged.reusesDraft || reuseDraft, draftId };
}

type GenerateOutcome =
  | { readonly kind: 'done'; readonly invoiceId: Uuid | null; readonly results: readonly RunResult[] }
  | { readonly kind: 'parked'; readonly error: BillingError };

/**
 * An explicit run that meets a safety bound or an illegal state parks the account and says why; other errors only say why
 * (§8.6).
 */
async function parkOrThrow(
  session: WriteSession,
  { account, error }: Extract<RunResult, { kind: 'failed' }>,
  ids: IdGenerator,
): Promise<GenerateOutcome> {
  if (!alwaysParks(error)) throw error;
  await parkAccounts(session, [{ account, reason: reasonOf(error) }], ids);
  return { kind: 'parked', error: error instanceof BillingError ? error : illegalState(account, error) };
}

function illegalState(account: Account, cause: unknown): BillingError {
  return new BillingError({
    code: ErrorCode.UNEXPECTED_ERROR,
    message: `Account ${account.id} is parked, since it cannot be invoiced: ${reasonOf(cause)}`,
    facts: { accountId: account.id },
    cause,
  });
}

function nothingToDo({ accountId, targetDate }: GenerateRequest): BillingError {
  const upTo = targetDate == null ? 'today' : formatLocalDate(targetDate);
  return new BillingError({
    code: ErrorCode.INVOICE_NOTHING_TO_DO,
    message: `Account ${accountId} has nothing to invoice up to ${upTo}`,
    facts: { accountId },
  });
}
