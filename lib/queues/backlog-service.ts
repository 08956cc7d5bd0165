import type { Ports } from '../ports/index.ts';
import type { EntryLook, EntryPart, EntryStore, PositionedEntry } from '../ports/storage/index.ts';
import { QueueKind } from '../records/index.ts';
import { invalidField, invalidParameter } from '../values/errors/index.ts';
import {
  DAY_MS,
  DEFAULT_PAGE_SIZE,
  MAX_NAMED_ENTRIES,
  MAX_QUEUE_LOOK,
  NODE_LISTED_MS,
} from '../values/limits.ts';
import { addMilliseconds, instantWithinCalendar } from '../values/time/index.ts';
import { lateCause } from './late-cause.ts';
import {
  type ChosenEntriesRequest,
  dueDateOf,
  type FailedWorkRequest,
  type LateEntryView,
  oldestFirst,
  type QueueEntryView,
  type QueueLookRequest,
  separatedIds,
  viewOfDelivery,
  viewOfEntry,
} from './queue-operations.ts';

/** Maximum date range for reading failed entries. */
const MAX_FAILED_RANGE_MS = 90 * DAY_MS;

type BacklogPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock'>;

interface BacklogServiceInput {
  readonly topics: readonly string[];
  /** Minimum delay of a late entry in milliseconds (`health.lateThreshold`). */
  readonly lateThresholdMs: number;
}

/** A request with its tenants by record id (0 is the system). Null means all tenants. */
type WithTenants<R> = R & { readonly tenants: readonly number[] | null };

/** Entries that are late, in processing, stuck or failed, each with the reason (platform §9.5, §12.4, §12.5). */
export class BacklogService {
  readonly #ports: BacklogPorts;
  readonly #input: BacklogServiceInput;

  constructor(ports: BacklogPorts, input: BacklogServiceInput) {
    this.#ports = ports;
    this.#input = input;
  }

  async late(asked: WithTenants<QueueLookRequest>): Promise<readonly LateEntryView[]> {
    const { systemClock, storage } = this.#ports;
    const [entries, nodes] = await Promise.all([
      this.#see(asked, { parts: LIVE, from: null, before: this.#lateBefore() }),
      storage.nodes.list(NODE_LISTED_MS),
    ]);
    const circumstances = {
      systemNowMs: systemClock.nowMs(),
      topics: new Set(this.#input.topics),
      isAnybodyAtWork: nodes.length > 0,
    };
    return entries.map((entry) => ({ ...viewOfEntry(entry), ...lateCause(entry, circumstances) }));
  }

  async busy(asked: WithTenants<QueueLookRequest>): Promise<readonly QueueEntryView[]> {
    const entries = await this.#see(asked, { parts: ['PROCESSING'], from: null, before: null });
    return entries.map(viewOfEntry);
  }

  async failed(asked: WithTenants<FailedWorkRequest>): Promise<readonly QueueEntryView[]> {
    const { clock, storage } = this.#ports;
    const to = asked.to ?? addMilliseconds(clock.now(), 1);
    const from = asked.from ?? instantWithinCalendar(to - MAX_FAILED_RANGE_MS);
    if (to - from > MAX_FAILED_RANGE_MS)
      throw invalidParameter('The range must not exceed 90 days', { from, to });
    const entries = await this.#see(asked, { parts: ['FAILED'], from, before: to });
    const { kind, tenants, accountId, limit = DEFAULT_PAGE_SIZE } = asked;
    const due = { tenants, from, to, limit, accountId: accountId ?? null };
    const pushes = kind === 'BUS' ? [] : await storage.entries.failedDeliveries(due);
    return [...entries.map(viewOfEntry), ...pushes.map(viewOfDelivery)].sort(oldestFirst).slice(0, limit);
  }

  async putBack({ kind, tenants, ...asked }: WithTenants<ChosenEntriesRequest>): Promise<number> {
    const chosen = separatedIds(checkRecordIds(asked));
    const { clock, storage } = this.#ports;
    const of = { kind, tenants, now: clock.now() };
    const again = await storage.entries.reinsert({ ...of, recordIds: chosen.entries });
    if (kind === 'BUS') return again;
    return again + (await storage.entries.resendDeliveries({ ...of, recordIds: chosen.deliveries }));
  }

  async free({ kind, tenants, ...asked }: WithTenants<ChosenEntriesRequest>): Promise<number> {
    const chosen = separatedIds(checkRecordIds(asked));
    const { storage, systemClock } = this.#ports;
    const of = { kind, tenants, before: this.#lateBefore() };
    const systemNowMs = systemClock.nowMs();
    const freed = await storage.entries.clear({ ...of, recordIds: chosen.entries, systemNowMs });
    if (kind === 'BUS') return freed.length;
    return freed.length + (await storage.entries.clearDeliveries({ ...of, recordIds: chosen.deliveries }));
  }

  #lateBefore() {
    return addMilliseconds(this.#ports.clock.now(), -this.#input.lateThresholdMs);
  }

  async #see(
    { kind, accountId, limit = DEFAULT_PAGE_SIZE, tenants }: WithTenants<QueueLookRequest>,
    look: Pick<EntryLook, 'from' | 'before'> & { readonly parts: readonly EntryPart[] },
  ) {
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_QUEUE_LOOK)
      throw invalidParameter(`limit must be from 1 to ${MAX_QUEUE_LOOK}`);
    const kinds = kind === undefined ? [QueueKind.BUS, QueueKind.NOTIFICATION] : [kind];
    const asked = { ...look, kinds, tenants, accountId: accountId ?? null, limit };
    return listPositionedEntries(this.#ports.storage.entries, asked);
  }
}

function checkRecordIds({ recordIds }: Pick<ChosenEntriesRequest, 'recordIds'>) {
  if (recordIds.length < 1 || recordIds.length > MAX_NAMED_ENTRIES)
    throw invalidField(`1 to ${MAX_NAMED_ENTRIES} record ids are allowed, not ${recordIds.length}`);
  const wrong = recordIds.find((id) => !Number.isSafeInteger(id) || id < 1);
  if (wrong !== undefined)
    throw invalidField('A record id must be a whole number of at least 1', { recordId: wrong });
  return [...new Set(recordIds)];
}

export const LIVE: readonly EntryPart[] = ['AVAILABLE', 'PROCESSING'];

export async function listPositionedEntries(
  entries: Pick<EntryStore, 'see'>,
  asked: Omit<EntryLook, 'kind' | 'part'> & {
    readonly kinds: readonly QueueKind[];
    readonly parts: readonly EntryPart[];
  },
): Promise<readonly PositionedEntry[]> {
  const { kinds, parts, ...look } = asked;
  const looks = parts.flatMap((part) => kinds.map((kind) => ({ part, kind })));
  const found = await Promise.all(looks.map((each) => entries.see({ ...look, ...each })));
  return found.flat().sort(byDueDate).slice(0, look.limit);
}

function byDueDate(one: PositionedEntry, other: PositionedEntry) {
  return dueDateOf(one) - dueDateOf(other) || one.recordId - other.recordId;
}
