import type { Clock, SystemClock } from '../ports/index.ts';
import type { EntryStore, NodeStore, QueueLooks, QueuePart, SeenEntry } from '../ports/storage/index.ts';
import { QueueKind } from '../records/index.ts';
import { invalidParameter } from '../values/errors/index.ts';
import {
  DEFAULT_PAGE_SIZE,
  MAX_QUEUE_LOOK,
  NODE_LISTED_MS,
  QUEUE_HISTORY_RETENTION_MS,
} from '../values/limits.ts';
import { addMilliseconds, type Instant, instant } from '../values/time/index.ts';
import { lateCause } from './late-cause.ts';
import type {
  FailedWorkRequest,
  LateEntryView,
  PutBackRequest,
  QueueEntryView,
  QueueLookRequest,
} from './queue-operations.ts';

interface BacklogPorts {
  readonly storage: {
    readonly queueLooks: QueueLooks;
    readonly entries: Pick<EntryStore, 'reinsert'>;
    readonly nodes: Pick<NodeStore, 'list'>;
  };
  readonly clock: Clock;
  readonly systemClock: SystemClock;
}

export interface BacklogServiceInput {
  /** Topics that have a handler in this engine. */
  readonly topics: readonly string[];
  /** By how much an entry must be behind to be late (`health.lateThreshold`). */
  readonly lateThresholdMs: number;
}

/** What is asked, with whose queue: of a tenant by record id, or of all (null). */
type Asked<R> = R & { readonly tenantRecordId: number | null };

const EVERYTHING: readonly QueuePart[] = ['AVAILABLE', 'PROCESSING'];

/** What of the queue is late, in processing or given up, and why (platform §9.5). */
export class BacklogService {
  readonly #ports: BacklogPorts;
  readonly #input: BacklogServiceInput;

  constructor(ports: BacklogPorts, input: BacklogServiceInput) {
    this.#ports = ports;
    this.#input = input;
  }

  async late(asked: Asked<QueueLookRequest>): Promise<readonly LateEntryView[]> {
    const { clock, systemClock, storage } = this.#ports;
    const to = addMilliseconds(clock.now(), -this.#input.lateThresholdMs);
    const [entries, nodes] = await Promise.all([
      this.#see(asked, { parts: EVERYTHING, from: null, to }),
      storage.nodes.list(NODE_LISTED_MS),
    ]);
    const circumstances = {
      systemNowMs: systemClock.nowMs(),
      topics: new Set(this.#input.topics),
      isAnybodyAtWork: nodes.length > 0,
    };
    return entries.map((entry) => ({ ...viewOf(entry), ...lateCause(entry, circumstances) }));
  }

  async busy(asked: Asked<QueueLookRequest>): Promise<readonly QueueEntryView[]> {
    return (await this.#see(asked, { parts: ['PROCESSING'], from: null, to: null })).map(viewOf);
  }

  async failed(asked: Asked<FailedWorkRequest>): Promise<readonly QueueEntryView[]> {
    const from = asked.from ?? addMilliseconds(this.#ports.clock.now(), -QUEUE_HISTORY_RETENTION_MS);
    return (await this.#see(asked, { parts: ['FAILED'], from, to: asked.to ?? null })).map(viewOf);
  }

  async putBack(asked: Asked<PutBackRequest>): Promise<number> {
    const { kind, recordIds, tenantRecordId } = asked;
    if (recordIds.length > MAX_QUEUE_LOOK)
      throw invalidParameter(`At most ${MAX_QUEUE_LOOK} entries are put back at once`);
    const now = this.#ports.clock.now();
    const tenants = tenantRecordId === null ? null : [tenantRecordId];
    return this.#ports.storage.entries.reinsert({ kind, recordIds, tenants, now });
  }

  /** The oldest of both kinds and of all these parts. */
  async #see(
    { kind, accountId, limit = DEFAULT_PAGE_SIZE, tenantRecordId }: Asked<QueueLookRequest>,
    {
      parts,
      ...dates
    }: { readonly parts: readonly QueuePart[]; readonly from: Instant | null; readonly to: Instant | null },
  ): Promise<readonly SeenEntry[]> {
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_QUEUE_LOOK)
      throw invalidParameter(`limit is from 1 to ${MAX_QUEUE_LOOK}`);
    const kinds = kind === undefined ? [QueueKind.BUS, QueueKind.NOTIFICATION] : [kind];
    const whose = { tenantRecordId, accountId: accountId ?? null };
    const looks = parts.flatMap((part) => kinds.map((each) => ({ part, kind: each })));
    const found = await Promise.all(
      looks.map((look) =>
        this.#ports.storage.queueLooks.see({ ...whose, ...look, ...dates, topics: null, after: null, limit }),
      ),
    );
    return found.flat().sort(oldestFirst).slice(0, limit);
  }
}

function oldestFirst(one: SeenEntry, other: SeenEntry): number {
  return one.effectiveDate - other.effectiveDate || one.recordId - other.recordId;
}

function viewOf(entry: SeenEntry): QueueEntryView {
  const { recordId, kind, topic, payload, tenantId, accountId, userToken, createdDate } = entry;
  const { effectiveDate, processingState, errorCount, reason, processingOwner, availableAtMs } = entry;
  return {
    recordId,
    kind,
    topic,
    event: payload,
    tenantId,
    accountId,
    userToken,
    createdDate,
    dueDate: effectiveDate,
    state: processingState,
    errorCount,
    reason,
    processingOwner,
    availableDate: availableAtMs === null ? null : instant(availableAtMs),
  };
}
