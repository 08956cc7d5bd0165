import { loadAccount, lockAccount } from '../../accounts/index.ts';
import type { CatalogProvider, CatalogSource } from '../../catalog/index.ts';
import { effectsOnAccounts } from '../../control-tags/index.ts';
import type { IdGenerator, Ports } from '../../ports/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import type { Account, CallContext } from '../../records/index.ts';
import { type ActivityPorts, authorshipOf } from '../../runtime/index.ts';
import type { UsageSources } from '../../usage/index.ts';
import { BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_INVOICE_CONSULTATIONS } from '../../values/limits.ts';
import { formatLocalDate } from '../../values/time/index.ts';
import type { UsageSupplies } from '../evaluation/source-usage.ts';
import type { InvoiceReader, InvoiceView } from '../invoices/invoice-view.ts';
import { decideDrafting } from '../invoices/new-invoice.ts';
import type { GenerateRequest } from '../invoices/requests.ts';
import { type Consultations, consultAboutRuns, reportOutcomes } from '../plugins/consult-about-runs.ts';
import type { RegisteredInvoicePlugins } from '../plugins/plugin-calls.ts';
import { alwaysChanged } from '../plugins/proposal.ts';
import { runConsultedAccounts } from '../plugins/run-consulted-accounts.ts';
import type { InvoicingConfigOf } from '../proposals/invoicing-config.ts';
import { callUsageSources, type RunsToAsk } from '../runs/call-usage-sources.ts';
import { alwaysParks, parkAccounts, reasonOf, unparkAccount } from '../runs/parking.ts';
import { type RunRequest, runAccounts } from '../runs/run-accounts.ts';
import {
  type FailedRun,
  RunCounts,
  type RunResult,
  showInvoices,
  warnOfSkipped,
} from '../runs/run-results.ts';

type RunPorts = Pick<Ports, 'storage' | 'ids' | 'logger'> & ActivityPorts;

interface RunTools {
  readonly configOf: InvoicingConfigOf;
  readonly invoices: InvoiceReader;
  readonly plugins: RegisteredInvoicePlugins;
  readonly sources: UsageSources;
}

/**
 * The decisions of plugins and the usage from sources, collected before the runs. `consulted` is null if the tenant has
 * no invoice plugins, and `supplies` is null if it has no usage sources.
 */
export interface ConsultedSources {
  readonly supplies: UsageSupplies | null;
  readonly consulted: Consultations | null;
}

/** Executes the invoice runs that users request (§8), and the steps that automatic runs share with these runs. */
export class InvoiceRunService {
  readonly #ports: RunPorts;
  readonly #catalogs: CatalogProvider;
  readonly #tools: RunTools;
  readonly counts = new RunCounts();

  constructor(ports: RunPorts, catalogs: CatalogProvider, tools: RunTools) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#tools = tools;
  }

  async generate(context: CallContext, request: GenerateRequest): Promise<InvoiceView> {
    const [invoiceId] = await this.#generate(context, request, false);
    return this.#tools.invoices.get(context, invoiceId);
  }

  async generateGroup(context: CallContext, request: GenerateRequest): Promise<readonly InvoiceView[]> {
    const [invoiceId] = await this.#generate(context, request, true);
    // A reused draft may belong to an earlier group.
    const { groupId } = await this.#tools.invoices.get(context, invoiceId);
    return this.#tools.invoices.listGroup(context, { accountId: request.accountId, groupId });
  }

  async #generate(
    context: CallContext,
    request: GenerateRequest,
    maySplit: boolean,
  ): Promise<readonly [Uuid, ...Uuid[]]> {
    const { tenant, createdDate: now } = context;
    const catalogsOf = await this.#catalogs.open({ tenant, now, accounts: [request.accountId] });
    for (let times = 0; times < MAX_INVOICE_CONSULTATIONS; times += 1) {
      const asked = await this.ask({
        tenant,
        now,
        caller: { ...context, userTokenOf: () => context.userToken },
        properties: context.pluginProperties ?? [],
        maySplit,
        catalogsOf,
        plan: async (session) => [
          await requestedRun(session, await loadAccount(session, request.accountId), request),
        ],
      });
      const { results, refusal } = await this.#runOnce(context, request, { catalogsOf, ...asked });
      this.counts.add(results, refusal?.isParked === true ? results : []);
      if (asked.consulted !== null) await reportOutcomes(this.#ports, asked.consulted, results);
      if (refusal !== null) throw refusal.error;
      if (results.some(({ kind }) => kind === 'changed')) continue;
      warnOfSkipped(this.#ports, results);
      showInvoices(this.#ports, results);
      const ids = results.flatMap((result) => (result.kind === 'done' ? result.invoiceIds : []));
      const [first, ...others] = ids;
      // The error is thrown after the commit, because an account with nothing to invoice is unparked too (§8.2 step 16).
      if (first === undefined) throw nothingToInvoiceError(request);
      return [first, ...others];
    }
    throw alwaysChanged(request.accountId);
  }

  #runOnce(
    context: CallContext,
    request: GenerateRequest,
    of: ConsultedSources & { readonly catalogsOf: CatalogSource },
  ): Promise<{ readonly results: readonly RunResult[]; readonly refusal: Refusal | null }> {
    return this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, request.accountId);
      const results = await this.run(session, [await requestedRun(session, account, request)], of);
      const failed = results.find((result) => result.kind === 'failed');
      if (failed !== undefined)
        return { results, refusal: await refusalOf(session, failed, this.#ports.ids) };
      if (results.every(({ kind }) => kind === 'done')) await unparkAccount(session, account);
      return { results, refusal: null };
    });
  }

  /**
   * Calls usage sources, then invoice plugins, outside transactions. Does nothing if there are no sources or plugins.
   */
  async ask(runs: RunsToAsk): Promise<ConsultedSources> {
    const supplies = await callUsageSources(this.#ports, this.#tools, runs);
    const consulted = await consultAboutRuns({ ports: this.#ports, ...this.#tools }, { ...runs, supplies });
    return { supplies, consulted };
  }

  /** Executes the invoice runs of locked accounts in the session's transaction, for automatic runs and `generate`. */
  async run(
    session: WriteSession,
    requests: readonly RunRequest[],
    { catalogsOf, supplies, consulted }: ConsultedSources & { readonly catalogsOf: CatalogSource },
  ): Promise<readonly RunResult[]> {
    if (requests.length === 0) return [];
    const accountIds = requests.map(({ account }) => account.id);
    const catalogOf = await catalogsOf(session, accountIds);
    const config = await this.#tools.configOf(session);
    const input = { ids: this.#ports.ids, config, catalogOf, supplies };
    if (consulted === null) return runAccounts(session, requests, input);
    return runConsultedAccounts(session, requests, { ...input, consulted: consulted.of });
  }
}

/** Returns the requested run. The account's tags determine the invoice that gets the items. */
async function requestedRun(
  session: ReadSession,
  account: Account,
  { targetDate = null, reuseDraft = false, draftId = null, acceptBounds = false }: GenerateRequest,
) {
  const tagged = decideDrafting(await effectsOnAccounts(session, [account.id]), account.id);
  const drafting = { ...tagged, reusesDraft: tagged.reusesDraft || reuseDraft, draftId };
  return { account, requestedDate: targetDate, drafting, acceptsBounds: acceptBounds };
}

interface Refusal {
  readonly error: unknown;
  readonly isParked: boolean;
}

/**
 * Returns the error for a failed explicit run. A safety bound or an illegal state also parks the account (§8.6). Other
 * changes, such as due entries, are committed before the caller throws the error.
 */
async function refusalOf(
  session: WriteSession,
  { account, error, isWorkedOut }: FailedRun,
  ids: IdGenerator,
): Promise<Refusal> {
  if (!alwaysParks(error)) {
    if (isWorkedOut) return { error, isParked: false };
    throw error;
  }
  await parkAccounts(session, [{ account, reason: reasonOf(error) }], ids);
  return { error: error instanceof BillingError ? error : illegalState(account, error), isParked: true };
}

function illegalState(account: Account, cause: unknown): BillingError {
  return new BillingError({
    code: ErrorCode.UNEXPECTED_ERROR,
    message: `Account ${account.id} is parked because it cannot be invoiced: ${reasonOf(cause)}`,
    facts: { accountId: account.id },
    cause,
  });
}

function nothingToInvoiceError({ accountId, targetDate }: GenerateRequest): BillingError {
  const upTo = targetDate == null ? 'today' : formatLocalDate(targetDate);
  const message = `Account ${accountId} has nothing to invoice up to ${upTo}`;
  return billingError(ErrorCode.INVOICE_NOTHING_TO_DO, message, { accountId });
}
