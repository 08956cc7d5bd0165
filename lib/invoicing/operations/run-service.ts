import { lockAccount, noSuchAccount } from '../../accounts/index.ts';
import type { CatalogProvider, CatalogSource } from '../../catalog/index.ts';
import { effectsOnAccounts } from '../../control-tags/index.ts';
import type { IdGenerator, Ports } from '../../ports/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import type { Account, CallContext } from '../../records/index.ts';
import { type ActivityPorts, authorshipOf } from '../../runtime/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_INVOICE_CONSULTATIONS } from '../../values/limits.ts';
import { formatLocalDate } from '../../values/time/index.ts';
import type { UsageSupplies } from '../evaluation/source-usage.ts';
import { type Drafting, draftingOf } from '../invoices/drafting.ts';
import type { InvoiceReader, InvoiceView } from '../invoices/invoice-view.ts';
import { type Consultations, type RunConsultation, tellOutcomes } from '../plugins/ask-about-runs.ts';
import { alwaysChanged } from '../plugins/proposal.ts';
import type { InvoicingConfigOf } from '../proposals/invoicing-config.ts';
import type { RunsToAsk, UsageConsultation } from '../runs/ask-usage-sources.ts';
import type { RunRequest } from '../runs/evaluate-runs.ts';
import { alwaysParks, type ParkedAccount, parkAccounts, reasonOf, unparkAccount } from '../runs/parking.ts';
import { type RunResult, runAccounts, warnOfSkipped } from '../runs/run-accounts.ts';
import { RunCounts, showInvoices } from '../runs/run-results.ts';
import { giveBillCycleDays } from '../saving/save-runs.ts';
import type { GenerateRequest } from './invoice-operations.ts';

type RunPorts = Pick<Ports, 'storage' | 'ids' | 'logger'> & ActivityPorts;

/** What was said of runs before they are made; null where nobody is asked. */
export interface Asked {
  readonly supplies: UsageSupplies | null;
  readonly consulted: Consultations | null;
}

/** Invoice runs (§8): those that people ask for, and what automatic runs share with them. */
export class InvoiceRunService {
  readonly #ports: RunPorts;
  readonly #catalogs: CatalogProvider;
  readonly #invoices: InvoiceReader;
  readonly #consultation: RunConsultation;
  readonly #usage: UsageConsultation;
  /** What the runs of this node came to. */
  readonly counts = new RunCounts();
  /** Gives the invoicing settings of a session's tenant. */
  readonly configOf: InvoicingConfigOf;

  constructor(
    ports: RunPorts,
    catalogs: CatalogProvider,
    {
      configOf,
      invoices,
      consultation,
      usage,
    }: {
      readonly configOf: InvoicingConfigOf;
      readonly invoices: InvoiceReader;
      /** Asks the invoice plugins of tenants. */
      readonly consultation: RunConsultation;
      /** Asks the usage sources. */
      readonly usage: UsageConsultation;
    },
  ) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#invoices = invoices;
    this.#consultation = consultation;
    this.#usage = usage;
    this.configOf = configOf;
  }

  async generate(context: CallContext, request: GenerateRequest): Promise<InvoiceView> {
    const [invoiceId] = await this.#generate(context, request, false);
    return this.#invoices.get(context, invoiceId);
  }

  async generateGroup(context: CallContext, request: GenerateRequest): Promise<readonly InvoiceView[]> {
    const [invoiceId] = await this.#generate(context, request, true);
    // A draft that is reused may be of an earlier group.
    const { groupId } = await this.#invoices.get(context, invoiceId);
    return this.#invoices.listGroup(context, { accountId: request.accountId, groupId });
  }

  async #generate(
    context: CallContext,
    request: GenerateRequest,
    maySplit: boolean,
  ): Promise<readonly [Uuid, ...Uuid[]]> {
    const catalogsOf = await this.#catalogs.open({
      tenant: context.tenant,
      now: context.createdDate,
      accounts: [request.accountId],
    });
    for (let times = 0; times < MAX_INVOICE_CONSULTATIONS; times += 1) {
      const asked = await this.ask({
        tenant: context.tenant,
        now: context.createdDate,
        caller: { ...context, userTokenOf: () => context.userToken },
        properties: context.pluginProperties ?? [],
        maySplit,
        catalogsOf,
        plan: async (session) => [await runAsked(session, await accountOf(session, request), request)],
      });
      const outcome = await this.#runOnce(context, request, { catalogsOf, ...asked });
      this.counts.add(outcome.results, outcome.kind === 'refused' && outcome.isParked ? outcome.results : []);
      const { consulted } = asked;
      if (consulted !== null) await tellOutcomes(this.#ports, consulted, outcome.results);
      if (outcome.kind === 'refused') throw outcome.error;
      if (outcome.kind === 'changed') continue;
      warnOfSkipped(this.#ports, outcome.results);
      showInvoices(this.#ports, outcome.results);
      const [first, ...others] = outcome.invoiceIds;
      // An account with nothing to invoice is unparked nevertheless (§8.2 step 16), so this error is thrown after the
      // commit.
      if (first === undefined) throw nothingToDo(request);
      return [first, ...others];
    }
    throw alwaysChanged(request.accountId);
  }

  #runOnce(
    context: CallContext,
    request: GenerateRequest,
    of: Asked & { readonly catalogsOf: CatalogSource },
  ): Promise<GenerateOutcome> {
    return this.#ports.storage.write(
      context.tenant,
      authorshipOf(context),
      async (session): Promise<GenerateOutcome> => {
        const account = await lockAccount(session, request.accountId);
        const asked = await runAsked(session, account, request);
        const results = await this.run(session, [asked], of);
        const [result] = results;
        switch (result?.kind) {
          case 'failed':
            return parkOrThrow(session, result, this.#ports.ids);
          case 'changed':
            return { kind: 'changed', results };
          case 'stopped':
            return { kind: 'done', invoiceIds: [], results };
          default:
            await unparkAccount(session, account);
            return { kind: 'done', invoiceIds: result?.invoiceIds ?? [], results };
        }
      },
    );
  }

  /**
   * What usage sources tell of the runs, and then what invoice plugins say about them; outside any transaction. It costs
   * nothing where there are none.
   */
  async ask(runs: RunsToAsk): Promise<Asked> {
    const supplies = await this.#usage.consult(runs);
    return { supplies, consulted: await this.#consultation.consult({ ...runs, supplies }) };
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
    of: Asked & { readonly catalogsOf: CatalogSource },
  ): Promise<readonly RunResult[]> {
    if (requests.length === 0) return [];
    const catalogOf = await of.catalogsOf(
      session,
      requests.map(({ account }) => account.id),
    );
    const config = await this.configOf(session);
    const consulted = of.consulted?.of ?? null;
    return runAccounts(session, requests, {
      ids: this.#ports.ids,
      config,
      catalogOf,
      consulted,
      supplies: of.supplies,
    });
  }
}

async function accountOf(session: ReadSession, { accountId }: GenerateRequest): Promise<Account> {
  const [account] = await session.accounts.findByIds([accountId]);
  if (account === undefined) throw noSuchAccount(accountId);
  return account;
}

/** The run that the call asks for. */
async function runAsked(
  session: ReadSession,
  account: Account,
  request: GenerateRequest,
): Promise<RunRequest> {
  return {
    account,
    requestedDate: request.targetDate ?? null,
    drafting: await draftingAsked(session, request),
    acceptsBounds: request.acceptBounds === true,
  };
}

/** What the account's tags and the call say about drafts. */
async function draftingAsked(
  session: ReadSession,
  { accountId, reuseDraft = false, draftId = null }: GenerateRequest,
): Promise<Drafting> {
  const tagged = draftingOf(await effectsOnAccounts(session, [accountId]), accountId);
  return { ...tagged, reusesDraft: tagged.reusesDraft || reuseDraft, draftId };
}

type GenerateOutcome = { readonly results: readonly RunResult[] } & (
  | { readonly kind: 'done'; readonly invoiceIds: readonly Uuid[] }
  | { readonly kind: 'changed' }
  | { readonly kind: 'refused'; readonly error: unknown; readonly isParked: boolean }
);

/**
 * An explicit run that meets a safety bound or an illegal state parks the account and says why; other errors only say why
 * (§8.6). What is to be kept nevertheless, such as due entries, is committed before the error is thrown.
 */
async function parkOrThrow(
  session: WriteSession,
  result: Extract<RunResult, { kind: 'failed' }>,
  ids: IdGenerator,
): Promise<GenerateOutcome> {
  const { account, error, isWorkedOut } = result;
  const results = [result];
  if (!alwaysParks(error)) {
    if (isWorkedOut) return { kind: 'refused', error, isParked: false, results };
    throw error;
  }
  await parkAccounts(session, [{ account, reason: reasonOf(error) }], ids);
  return {
    kind: 'refused',
    error: error instanceof BillingError ? error : illegalState(account, error),
    isParked: true,
    results,
  };
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
