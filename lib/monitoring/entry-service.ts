import type { Ports } from '../ports/index.ts';
import { type CallContext, QueueKind, type WithContext } from '../records/index.ts';
import { invalidField, invalidParameter } from '../values/errors/index.ts';
import { MAX_FAILED_RANGE_MS, MAX_NAMED_ENTRIES, MAX_SHOWN_ENTRIES } from '../values/limits.ts';
import { addMilliseconds } from '../values/time/index.ts';
import type { ChosenEntriesRequest, EntryOperations, FailedEntriesRequest } from './entry-operations.ts';
import { type MonitoredEntry, monitoredDelivery, monitoredEntry, toldApart } from './monitored-entry.ts';

/** Record id of the system among those of tenants. */
const SYSTEM = 0;

type EntryPorts = Pick<Ports, 'storage' | 'systemClock' | 'logger'>;

/** Entries that were given up or are stuck: shown, and put back to work (platform §12.4, platform §12.5). */
export class EntryService implements EntryOperations<WithContext> {
  readonly #ports: EntryPorts;
  readonly #lateThresholdMs: number;

  constructor(ports: EntryPorts, settings: { readonly lateThresholdMs: number }) {
    this.#ports = ports;
    this.#lateThresholdMs = settings.lateThresholdMs;
  }

  async failedEntries(
    context: CallContext,
    request: FailedEntriesRequest,
  ): Promise<readonly MonitoredEntry[]> {
    const { kind, limit = MAX_SHOWN_ENTRIES } = request;
    const to = request.to ?? addMilliseconds(context.createdDate, 1);
    const from = request.from ?? addMilliseconds(to, -MAX_FAILED_RANGE_MS);
    if (to - from > MAX_FAILED_RANGE_MS)
      throw invalidParameter('At most 90 days are looked at', { from, to });
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_NAMED_ENTRIES)
      throw invalidParameter(`From 1 to ${MAX_NAMED_ENTRIES} entries are shown, not ${limit}`);
    const { entries } = this.#ports.storage;
    const looked = { kind, tenants: tenantsOf(context), from, to, limit };
    const [failed, pushes] = await Promise.all([
      entries.failed(looked),
      kind === QueueKind.BUS ? [] : entries.failedDeliveries(looked),
    ]);
    return [...failed.map(monitoredEntry), ...pushes.map(monitoredDelivery)]
      .sort(oldestFirst)
      .slice(0, limit);
  }

  async reinsertEntries(context: CallContext, request: ChosenEntriesRequest): Promise<number> {
    const { kind } = request;
    const chosen = toldApart(checked(request));
    const { entries } = this.#ports.storage;
    const of = { kind, tenants: tenantsOf(context), now: context.createdDate };
    const again = await entries.reinsert({ ...of, recordIds: chosen.entries });
    const sent =
      kind === QueueKind.BUS ? 0 : await entries.resendDeliveries({ ...of, recordIds: chosen.deliveries });
    this.#tell(context, 'failed queue entries were put back', { ...request, count: again + sent });
    return again + sent;
  }

  async clearEntries(context: CallContext, request: ChosenEntriesRequest): Promise<number> {
    const { kind } = request;
    const chosen = toldApart(checked(request));
    const { storage, systemClock } = this.#ports;
    const before = addMilliseconds(context.createdDate, -this.#lateThresholdMs);
    const of = { kind, tenants: tenantsOf(context), before };
    const systemNowMs = systemClock.nowMs();
    const cleared = await storage.entries.clear({ ...of, recordIds: chosen.entries, systemNowMs });
    const freed =
      kind === QueueKind.BUS
        ? 0
        : await storage.entries.clearDeliveries({ ...of, recordIds: chosen.deliveries });
    const count = cleared.length + freed;
    this.#tell(context, 'stuck queue entries were cleared', { ...request, count });
    return count;
  }

  #tell({ userName, principal, tenant }: CallContext, what: string, facts: object): void {
    this.#ports.logger.info({ ...facts, userName, principal, tenantId: tenant.id }, what);
  }
}

/** Whose entries a caller sees (platform §12.1 rule 6). */
export function tenantsOf({ tenant }: Pick<CallContext, 'tenant'>): readonly number[] {
  return [tenant.recordId, SYSTEM];
}

export function oldestFirst(one: MonitoredEntry, other: MonitoredEntry): number {
  return dueOf(one) - dueOf(other) || one.recordId - other.recordId;
}

function dueOf({ kind, createdDate, effectiveDate }: MonitoredEntry): number {
  return kind === QueueKind.BUS ? createdDate : (effectiveDate ?? createdDate);
}

function checked({ recordIds }: ChosenEntriesRequest): readonly number[] {
  if (recordIds.length < 1 || recordIds.length > MAX_NAMED_ENTRIES)
    throw invalidField(`1 to ${MAX_NAMED_ENTRIES} record ids are taken, not ${recordIds.length}`);
  const wrong = recordIds.find((id) => !Number.isSafeInteger(id) || id < 1);
  if (wrong !== undefined) throw invalidField('A record id is a whole number from 1 on', { recordId: wrong });
  return [...new Set(recordIds)];
}
