import { Billing } from '../../lib/billing.ts';
import type { LateEntryView, QueueEntryView, QueueKind, QueueLookRequest } from '../../lib/index.ts';
import type { Plain } from '../../lib/values/host-values/index.ts';
import { onServerDatabase, type ServerDatabase } from './server-database.ts';
import { UsageError } from './usage-error.ts';

export type QueueLook = 'late' | 'busy' | 'failed' | QueueChange;
type QueueChange = 'put-back' | 'free';

export interface QueueOptions extends ServerDatabase {
  readonly look: QueueLook;
  /** Tenant id or API key. Undefined means all tenants. */
  readonly tenant?: string | undefined;
  readonly account?: string | undefined;
  readonly kind?: string | undefined;
  readonly limit?: string | undefined;
  /** Record ids of the entries to retry or free. */
  readonly records: readonly string[];
}

export type QueueAnswer = { readonly entries: readonly ListedEntry[] } | ChangedEntries;
/** A queue entry. If there are cells, it contains the name of its cell. */
type ListedEntry = Plain<QueueEntryView | LateEntryView> & { readonly cell?: string };
type ChangedEntries = { readonly putBack: number } | { readonly freed: number };

const kinds: Readonly<Record<string, QueueKind>> = { bus: 'BUS', notification: 'NOTIFICATION' };

/** Lists queue entries, retries failed entries, or frees stuck entries. Never processes entries itself. */
export async function lookAtQueues(options: QueueOptions): Promise<QueueAnswer> {
  const { look, kind, account, limit } = options;
  if (kind !== undefined && !Object.hasOwn(kinds, kind))
    throw new UsageError(`--kind ${kind} must be bus or notification`);
  const records = options.records.map((text) => numberOf('--record', text));
  if (isChange(look) && (kind === undefined || records.length === 0))
    throw new UsageError(`queues ${look} needs --kind and at least one --record`);
  const bounds = {
    ...(account !== undefined && { accountId: account }),
    ...(limit !== undefined && !isChange(look) && { limit: numberOf('--limit', limit) }),
  };
  const access = { readOnly: !isChange(look), tenant: options.tenant };
  const answers = await onServerDatabase<QueueAnswer>(options, access, async (parts) => {
    const { tenant, cell, ...ports } = parts;
    const backlog = await Billing.openBacklog<never>(ports);
    await ports.clock.refresh();
    const ofTenant = tenant === null ? {} : { tenantId: tenant.id };
    if (isChange(look)) {
      const chosen = { ...ofTenant, kind: kinds[kind ?? ''] as QueueKind, recordIds: records };
      return look === 'free'
        ? { freed: await backlog.free(chosen) }
        : { putBack: await backlog.putBack(chosen) };
    }
    const request = { ...ofTenant, ...(kind !== undefined && { kind: kinds[kind] }), ...bounds };
    const entries = await backlog[look](request as QueueLookRequest);
    return { entries: cell === null ? entries : entries.map((entry) => ({ ...entry, cell })) };
  });
  return answers.reduce(together);
}

/** Combines the answers of two cells. */
function together(one: QueueAnswer, other: QueueAnswer): QueueAnswer {
  if ('entries' in one && 'entries' in other)
    return {
      entries: [...one.entries, ...other.entries].toSorted(
        (first, second) => first.dueDate.getTime() - second.dueDate.getTime(),
      ),
    };
  if ('freed' in one && 'freed' in other) return { freed: one.freed + other.freed };
  if ('putBack' in one && 'putBack' in other) return { putBack: one.putBack + other.putBack };
  return one;
}

function isChange(look: QueueLook): look is QueueChange {
  return look === 'put-back' || look === 'free';
}

export function changedText(changed: ChangedEntries): string {
  return 'freed' in changed ? `${changed.freed} freed.` : `${changed.putBack} put back.`;
}

export function entryText(entry: ListedEntry): string {
  const { kind, recordId, topic, dueDate, tenantId, accountId, errorCount, reason, processingOwner } = entry;
  const whose = `tenant ${tenantId ?? 'none'}${accountId === null ? '' : ` account ${accountId}`}`;
  const head = `${entry.cell === undefined ? '' : `cell ${entry.cell} `}${kind} ${recordId} ${topic} due ${dueDate.toISOString()} ${whose}`;
  if ('why' in entry) return `${head}: ${entry.cause}, ${entry.why}`;
  if (entry.state === 'IN_PROCESSING') return `${head}: being processed by ${processingOwner ?? 'a node'}`;
  return `${head}: ${entry.state} after ${errorCount} retries${reason === null ? '' : `, ${reason}`}`;
}

function numberOf(option: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`${option} ${text} is not a positive whole number`);
}
