import type { CatalogSource } from '../../catalog/index.ts';
import type { Ports, UsageSourceContext } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { PluginProperty, TenantRef } from '../../records/index.ts';
import { inParallel } from '../../runtime/index.ts';
import type { SourceQuestion, SuppliedBySubscription, UsageSources } from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_USAGE_CALLS } from '../../values/limits.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import { questionOf, type UsageSupplies, type UsageSupply } from '../evaluation/source-usage.ts';
import { loadBillingState } from '../loading/load-billing-state.ts';
import { choiceOfRun } from '../loading/load-streams.ts';
import type { RunCaller } from '../plugins/ask-about-runs.ts';
import type { InvoicingConfig, InvoicingConfigOf } from '../proposals/invoicing-config.ts';
import { type RunRequest, targetDatesOf } from './evaluate-runs.ts';

export interface RunsToAsk {
  readonly tenant: TenantRef;
  readonly now: Instant;
  readonly caller: RunCaller;
  /** What the caller tells plugins. */
  readonly properties: readonly PluginProperty[];
  /** Whether plugins may split invoices. */
  readonly maySplit: boolean;
  readonly catalogsOf: CatalogSource;
  /** The runs that would be made now; the accounts are not locked. */
  plan(session: ReadSession, config: InvoicingConfig): Promise<readonly RunRequest[]>;
}

/** A question about an account, on behalf of a tenant. */
export interface AskedAccount extends Omit<UsageSourceContext, 'tenantId'> {
  readonly tenant: TenantRef;
  readonly question: SourceQuestion;
  readonly properties: readonly PluginProperty[];
}

/**
 * Asks usage sources what was used (usage §9), outside any transaction and without a lock: what is to be asked is worked out
 * from a snapshot, and what they tell holds for runs that have the same question under the lock.
 */
export class UsageConsultation {
  readonly #storage: Ports['storage'];
  readonly #sources: UsageSources;
  readonly #configOf: InvoicingConfigOf;

  constructor({ storage }: Pick<Ports, 'storage'>, sources: UsageSources, configOf: InvoicingConfigOf) {
    this.#storage = storage;
    this.#sources = sources;
    this.#configOf = configOf;
  }

  /** True: there is nobody to ask. */
  get isEmpty(): boolean {
    return this.#sources.isEmpty;
  }

  /** What the sources tell of the accounts whose runs rate usage; null where there are none. */
  async consult(runs: RunsToAsk): Promise<UsageSupplies | null> {
    if (this.isEmpty) return null;
    const { tenant, now, properties } = runs;
    const asked = await this.#storage.read(tenant, (session) => this.#questions(session, runs));
    const supplies = await inParallel(asked, MAX_CONCURRENT_USAGE_CALLS, async (each) => {
      const context = { tenant, now, properties, dryRunType: null, inputTargetDate: each.targetDate };
      return [each.accountId, await this.#supplyOf({ ...each, ...context })] as const;
    });
    return new Map(supplies);
  }

  /**
   * What the sources tell of one account; null = none has it.
   * @throws BillingError UNEXPECTED (60000) for a source that fails.
   */
  ofAccount({
    question,
    properties,
    tenant,
    ...context
  }: AskedAccount): Promise<SuppliedBySubscription | null> {
    const { accountId, dryRunType, inputTargetDate, now } = context;
    return this.#sources.ofAccount(
      question,
      { tenantId: tenant.id, accountId, dryRunType, inputTargetDate, now },
      properties,
    );
  }

  async #supplyOf(asked: AskedAccount): Promise<UsageSupply> {
    try {
      return { kind: 'TOLD', question: asked.question.text, usages: await this.ofAccount(asked) };
    } catch (error) {
      return { kind: 'FAILED', error };
    }
  }

  async #questions(
    session: ReadSession,
    { plan, catalogsOf, now }: RunsToAsk,
  ): Promise<readonly { accountId: Uuid; targetDate: LocalDate; question: SourceQuestion }[]> {
    const config = await this.#configOf(session);
    const { accepted } = await targetDatesOf(session, await plan(session, config), { now, config });
    if (accepted.length === 0) return [];
    const { billings } = await loadBillingState(session, {
      requests: accepted,
      catalogOf: await catalogsOf(
        session,
        accepted.map(({ account }) => account.id),
      ),
      choice: choiceOfRun(config),
      alignPriceChanges: config.alignPriceChanges,
      usageConfig: config.usage,
      usageOriginOf: () => 'OPEN',
    });
    return billings.flatMap((billing) => {
      const question = questionOf(billing, config);
      const { account, targetDate } = billing;
      return question === null ? [] : [{ accountId: account.id, targetDate, question }];
    });
  }
}
