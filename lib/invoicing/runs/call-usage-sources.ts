import type { CatalogSource } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { PluginProperty, TenantRef } from '../../records/index.ts';
import { inParallel } from '../../runtime/index.ts';
import type { UsageSources } from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_USAGE_CALLS } from '../../values/limits.ts';
import type { Instant } from '../../values/time/index.ts';
import { questionOf, type UsageSupplies, type UsageSupply } from '../evaluation/source-usage.ts';
import { loadBillingState } from '../loading/load-billing-state.ts';
import type { InvoicingConfig, InvoicingConfigOf } from '../proposals/invoicing-config.ts';
import { type RunRequest, targetDatesOf } from './run-accounts.ts';

/** The caller or component that causes the runs. */
export interface RunCaller {
  readonly userName: string;
  readonly reasonCode: string | null;
  readonly comments: string | null;
  userTokenOf(accountRecordId: number): Uuid;
}

export interface RunsToAsk {
  readonly tenant: TenantRef;
  readonly now: Instant;
  readonly caller: RunCaller;
  readonly properties: readonly PluginProperty[];
  readonly maySplit: boolean;
  readonly catalogsOf: CatalogSource;
  /** Returns the runs that are due now. Does not lock their accounts. */
  plan(session: ReadSession, config: InvoicingConfig): Promise<readonly RunRequest[]>;
}

/**
 * Requests usage from the usage sources, outside transactions and without locks (usage §9). The questions are based on
 * a snapshot. The results can be used only if the run still has the same question when the account is locked. Returns
 * null if there are no sources.
 */
export async function callUsageSources(
  { storage }: Pick<Ports, 'storage'>,
  { sources, configOf }: { readonly sources: UsageSources; readonly configOf: InvoicingConfigOf },
  runs: RunsToAsk,
): Promise<UsageSupplies | null> {
  if (sources.isEmpty) return null;
  const { tenant, now, properties } = runs;
  const asked = await storage.read(tenant, (session) => questionsOf(session, runs, configOf));
  const supplies = await inParallel(
    asked,
    MAX_CONCURRENT_USAGE_CALLS,
    async ({ accountId, targetDate, question }): Promise<readonly [Uuid, UsageSupply]> => {
      const context = { tenantId: tenant.id, accountId, dryRunType: null, inputTargetDate: targetDate, now };
      try {
        const usages = await sources.ofAccount(question, context, properties);
        return [accountId, { kind: 'TOLD', question: question.text, usages }];
      } catch (error) {
        return [accountId, { kind: 'FAILED', error }];
      }
    },
  );
  return new Map(supplies);
}

async function questionsOf(
  session: ReadSession,
  { plan, catalogsOf, now }: RunsToAsk,
  configOf: InvoicingConfigOf,
) {
  const config = await configOf(session);
  const { accepted } = await targetDatesOf(session, await plan(session, config), { now, config });
  if (accepted.length === 0) return [];
  const accountIds = accepted.map(({ account }) => account.id);
  const catalogOf = await catalogsOf(session, accountIds);
  const loaded = await loadBillingState(session, { requests: accepted, catalogOf, config, supplies: 'OPEN' });
  return loaded.billings.flatMap((billing) => {
    const question = questionOf(billing, config);
    const { account, targetDate } = billing;
    return question === null ? [] : [{ accountId: account.id, targetDate, question }];
  });
}
