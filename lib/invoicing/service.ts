import { lockAccount } from '../accounts/lock-account.ts';
import { noSuchAccount } from '../accounts/no-such-account.ts';
import type { CatalogProvider, CatalogRequest, CatalogSource } from '../catalog/index.ts';
import { withOverridePlans } from '../catalog/index.ts';
import type { IdGenerator, Ports } from '../ports/index.ts';
import type { InvoiceFilter, ReadSession, WriteSession } from '../ports/storage/index.ts';
import type { Account, CallContext, Invoice, Page, PageRequest } from '../records/index.ts';
import { authorshipOf, SharedCalls } from '../runtime/index.ts';
import { withForeseenPlan } from '../subscriptions/hypothesis.ts';
import { planNamesOf } from '../subscriptions/lifecycle-order.ts';
import { tagsOfAccounts } from '../tags/control-tags.ts';
import { BillingError, ErrorCode } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { formatLocalDate, type LocalDate } from '../values/time/index.ts';
import { catalogsForNames } from './catalogs-for-names.ts';
import { type Drafting, draftingOf } from './drafting.ts';
import { dryRun } from './dry-run.ts';
import { checkDryRun, type DryRunRequest } from './dry-run-request.ts';
import { giveBillCycleDays } from './give-bill-cycle-days.ts';
import { type InvoiceView, viewInvoices } from './invoice-view.ts';
import { loadInvoiceViews, withChildItems } from './load-invoice-views.ts';
import { onlyUnpaid } from './load-open-invoices.ts';
import { newInvoice, raisedTargetDate } from './new-invoice.ts';
import { loadParentInvoices } from './parent-standing.ts';
import { alwaysParks, type ParkedAccount, parkAccounts, reasonOf, unparkAccount } from './parking.ts';
import { type RunRequest, type RunResult, runAccounts } from './run-accounts.ts';
import { warnOfSkipped } from './skipped-subscriptions.ts';
import type { InvoicingConfigOf } from './tenant-invoicing-config.ts';

export interface GenerateRequest {
  readonly accountId: Uuid;
  /** Local date in the account's zone up to which to invoice; default today. */
  readonly targetDate?: LocalDate | null;
  /** Adds the items to the account's oldest DRAFT if there is one, as the tag AUTO_INVOICING_REUSE_DRAFT does. */
  readonly reuseDraft?: boolean;
  /** Adds the items to this DRAFT. */
  readonly draftId?: Uuid | null;
  /** Goes past the safety bounds this once (invoicing.md §8.4). Default false. */
  readonly acceptBounds?: boolean;
}

/** Which invoices of an account to list, and whether with their items. */
export interface AccountInvoicesRequest extends Partial<Omit<InvoiceFilter, 'openOnly'>> {
  readonly accountId: Uuid;
  /** Default false. */
  readonly unpaidOnly?: boolean;
  /** Default false. */
  readonly withItems?: boolean;
  /** Default false. */
  readonly includeVoided?: boolean;
}

/** Invoices of a tenant's accounts: runs, dry runs and reads (invoicing.md). */
export class InvoicingService {
  readonly #ports: Pick<Ports, 'storage' | 'ids' | 'logger'>;
  readonly #catalogs: CatalogProvider;
  /** Gives the invoicing settings of a session's tenant. */
  readonly configOf: InvoicingConfigOf;
  readonly #reads: SharedCalls<Uuid, InvoiceView | undefined>;

  constructor(
    ports: Pick<Ports, 'storage' | 'ids' | 'logger' | 'systemClock'>,
    catalogs: CatalogProvider,
    configOf: InvoicingConfigOf,
  ) {
    this.#ports = ports;
    this.#reads = new SharedCalls(ports.systemClock);
    this.#catalogs = catalogs;
    this.configOf = configOf;
  }

  /**
   * Runs the account up to the target date now and returns the invoice (invoicing.md §8). Works on a parked account and
   * unparks it.
   * @throws BillingError INVOICE_NOTHING_TO_DO (4007), INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005),
   * ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), CURRENCY_INVALID (3) for an account without currency, ACCOUNT_BUSY (60018),
   * INVOICE_NOT_FOUND (4006), INVOICE_ALREADY_COMMITTED (4024), INVOICE_INVALID_STATUS (4023) of a draft that is named,
   * INVOICE_BOUND_EXCEEDED (4040) past a safety bound and UNEXPECTED_ERROR (4) for an illegal state, which both park the
   * account.
   */
  async generate(context: CallContext, request: GenerateRequest): Promise<InvoiceView> {
    const requestedDate = request.targetDate ?? null;
    const catalogsOf = await this.#open(context, [request.accountId]);
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
    // An account with nothing to invoice is unparked all the same (§8.2 step 16), so this is told after the commit.
    if (invoiceId === null) throw nothingToDo(request);
    return this.get(context, invoiceId);
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

  /** Runs locked accounts in the session's transaction; what the automatic runs and `generate` share. */
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

  /**
   * The invoice that a run would make, or null (invoicing.md §11): at the target date once all earlier due dates and events
   * have happened (TARGET_DATE), the next one that comes (UPCOMING_INVOICE), or as TARGET_DATE if a subscription were
   * started, changed or stopped (SUBSCRIPTION_ACTION). Nothing is stored and no lock is taken; the invoice has a fresh id and
   * number 0.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005),
   * CURRENCY_INVALID (3), MISSING_OR_INVALID_FIELD (60003), those of the action's own operation, and for ids that are not
   * the account's 1081, 1082, 1020.
   */
  async dryRun(context: CallContext, request: DryRunRequest): Promise<InvoiceView | null> {
    const wanted = checkDryRun(request);
    const catalogsOf = await this.#open(context, [request.accountId]);
    return this.#ports.storage.read(context.tenant, async (session) => {
      const nextId = (): Uuid => this.#ports.ids.next();
      const now = context.createdDate;
      const { accountId } = request;
      const run = await dryRun(session, {
        accountId,
        wanted,
        now,
        catalogsOf,
        configOf: this.configOf,
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
        // invoicing.md §11 rule 4: what a reused draft holds already, and the new items.
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

  /**
   * The invoice with its items; `withChildrenItems` fills those of a parent's summary with what they stand for (§12 rule 8).
   * @throws BillingError INVOICE_NOT_FOUND (4006).
   */
  async get(
    context: CallContext,
    invoiceId: Uuid,
    { withChildrenItems = false }: { readonly withChildrenItems?: boolean } = {},
  ): Promise<InvoiceView> {
    // The catalogs are those of the moment of the call, which plugins are told.
    const { tenant, createdDate } = context;
    const alike = tenant.within ? null : `${tenant.id} ${createdDate} ${withChildrenItems}`;
    const view = await this.#reads.run(alike, invoiceId, (ids) =>
      this.#views(context, ids, withChildrenItems),
    );
    if (view) return view;
    throw new BillingError({
      code: ErrorCode.INVOICE_NOT_FOUND,
      message: `Invoice does not exist for id ${invoiceId}`,
      facts: { invoiceId },
    });
  }

  async #views(
    context: CallContext,
    invoiceIds: readonly Uuid[],
    withChildrenItems: boolean,
  ): Promise<readonly (InvoiceView | undefined)[]> {
    const find = async (session: ReadSession) => {
      const found = await session.invoices.findByIds(invoiceIds);
      const summaries = withChildrenItems ? found.filter(({ isParentInvoice }) => isParentInvoice) : [];
      return { found, children: await session.invoices.findLinked(summaries.map(({ id }) => id)) };
    };
    const catalogsOf = await this.#openForNames(context, async (session) => {
      const { found, children } = await find(session);
      return [...new Set([...found, ...children].map((invoice) => invoice.accountId))];
    });
    return this.#ports.storage.read(context.tenant, async (session) => {
      const { found, children } = await find(session);
      const views = await loadInvoiceViews(session, found, catalogsOf);
      const complete = withChildrenItems
        ? withChildItems(views, await loadInvoiceViews(session, children, catalogsOf))
        : views;
      const viewOf = new Map(complete.map((view) => [view.id, view]));
      return invoiceIds.map((id) => viewOf.get(id));
    });
  }

  /**
   * Invoices of an account by target date, then number (http-api.md §8 rule 6). Migration, voided and paid ones are
   * included as the request says. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  async ofAccount(context: CallContext, request: AccountInvoicesRequest): Promise<readonly InvoiceView[]> {
    const { accountId, withItems = false, includeVoided = false, unpaidOnly = false, ...filter } = request;
    const catalogsOf = withItems ? await this.#openForNames(context, [accountId]) : null;
    return this.#ports.storage.read(context.tenant, async (session) => {
      await requireAccount(session, accountId);
      const listed = await session.invoices.listOfAccount(accountId, {
        withMigration: false,
        openOnly: unpaidOnly,
        ...(includeVoided ? {} : { statuses: ['DRAFT', 'COMMITTED'] as const }),
        ...filter,
      });
      const invoices = unpaidOnly ? await onlyUnpaid(session, listed) : listed;
      if (!withItems) return plainViews(session, invoices);
      return loadInvoiceViews(session, invoices, catalogsOf);
    });
  }

  /** A window of the tenant's invoices in creation order, without items. */
  async page(context: CallContext, request: PageRequest): Promise<Page<InvoiceView>> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      const page = await session.invoices.page(request);
      return { ...page, rows: await plainViews(session, page.rows) };
    });
  }

  /** A window of the account's invoices, without items. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002). */
  async pageOfAccount(
    context: CallContext,
    accountId: Uuid,
    request: PageRequest,
  ): Promise<Page<InvoiceView>> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      await requireAccount(session, accountId);
      const page = await session.invoices.pageOfAccount(accountId, request);
      return { ...page, rows: await plainViews(session, page.rows) };
    });
  }

  #open(context: CallContext, accounts: CatalogRequest['accounts']): Promise<CatalogSource> {
    return this.#catalogs.open({ tenant: context.tenant, now: context.createdDate, accounts });
  }

  #openForNames(context: CallContext, accounts: CatalogRequest['accounts']): Promise<CatalogSource | null> {
    const request = { tenant: context.tenant, now: context.createdDate, accounts };
    return catalogsForNames(this.#ports, this.#catalogs, request);
  }
}

/** Without items and names. */
async function plainViews(
  session: ReadSession,
  invoices: readonly Invoice[],
): Promise<readonly InvoiceView[]> {
  return viewInvoices(invoices, [], {
    catalogOf: null,
    parents: await loadParentInvoices(session, invoices),
  });
}

async function requireAccount(session: ReadSession, accountId: Uuid): Promise<void> {
  const [account] = await session.accounts.findByIds([accountId]);
  if (!account) throw noSuchAccount(accountId);
}

/** What the account's tags and the call say about drafts. */
async function draftingAsked(
  session: ReadSession,
  { accountId, reuseDraft = false, draftId = null }: GenerateRequest,
): Promise<Drafting> {
  const tagged = draftingOf(await tagsOfAccounts(session, [accountId]), accountId);
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
