import type { Ports } from '../ports/index.ts';
import type { Storage } from '../ports/storage/index.ts';
import {
  type Broadcast,
  BusEventType,
  type EventPayload,
  type NewBusEvent,
  type PluginSwitch,
  SYSTEM_TENANT,
  type SystemAuthor,
} from '../records/index.ts';
import { systemAuthorshipOf } from '../runtime/index.ts';
import { stringifyExactJson } from '../values/money/index.ts';

/** Maximum number of broadcasts per read. A node that starts also reads this many of the latest broadcasts again. */
const BROADCASTS_AT_ONCE = 1_000;

export type BroadcastHandler = (payload: EventPayload) => Promise<void> | void;

/** Returns the handler of a broadcast, or undefined if this node has none. */
type HandlerOf = (broadcast: Pick<Broadcast, 'service' | 'type'>) => BroadcastHandler | undefined;

export interface BroadcastPorts extends Pick<Ports, 'clock' | 'systemClock' | 'ids' | 'logger'> {
  readonly storage: Pick<Storage, 'nodes' | 'singleNode' | 'write'>;
}

interface NewBroadcast extends Pick<Broadcast, 'service' | 'type' | 'payload'> {
  /** If true, sends the broadcast only to this node. */
  readonly localOnly: boolean;
  /** If true, event sinks also receive the broadcast (platform §10.4 rule 4). */
  readonly isEvent: boolean;
  /** The new state of a plugin. It is stored together with the broadcast. */
  readonly switched?: Switched | undefined;
}

/** The new state of a plugin on all nodes, including nodes that start later. Null means that it is running. */
export interface Switched {
  readonly pluginName: string;
  readonly state: PluginSwitch['state'] | null;
}

/** Sends messages to all nodes. The messages are stored, and each node passes them to its handler (platform §11). */
export function broadcasts(ports: BroadcastPorts, handlerOf: HandlerOf) {
  const heard = new HeardBroadcasts();
  let begun = false;
  let listening: Promise<void> = Promise.resolve();

  /** Handles the broadcasts that arrived since the last call. The first call skips all earlier broadcasts. */
  function listen(): Promise<void> {
    const reading = listening.then(() => readNew());
    listening = reading.catch(() => undefined);
    return reading;
  }

  async function readNew(): Promise<void> {
    const { nodes } = ports.storage;
    if (begun) {
      await handle(await fresh());
      return;
    }
    heard.passOver((await nodes.lastBroadcast()) - BROADCASTS_AT_ONCE);
    await fresh();
    begun = true;
  }

  async function fresh(): Promise<readonly Broadcast[]> {
    const { storage, systemClock } = ports;
    const found: Broadcast[] = [];
    let page: readonly Broadcast[];
    do {
      const after = found.at(-1)?.recordId ?? heard.after;
      page = await storage.nodes.broadcastsAfter(after, BROADCASTS_AT_ONCE);
      found.push(...page);
    } while (page.length === BROADCASTS_AT_ONCE);
    return heard.hear(found, systemClock.nowMs());
  }

  async function handle(
    broadcasts: readonly Pick<Broadcast, 'service' | 'type' | 'payload'>[],
  ): Promise<void> {
    const { logger } = ports;
    for (const { service, type, payload } of broadcasts) {
      const handler = handlerOf({ service, type });
      if (handler === undefined) {
        logger.warn({ type }, 'this node has no handler for a broadcast');
        continue;
      }
      try {
        await handler(payload);
      } catch (error) {
        logger.error({ err: error, type }, 'a broadcast was not handled');
      }
    }
  }

  return {
    listen,

    /**
     * Stores the broadcast. This node handles it immediately.
     * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if the author cannot be stored.
     */
    async send(author: SystemAuthor, sent: NewBroadcast): Promise<void> {
      const { localOnly, isEvent, switched, ...content } = sent;
      const { storage, ids } = ports;
      const authorship = systemAuthorshipOf(author, ports);
      const { userName: createdBy, createdDate } = authorship;
      const broadcast = { ...content, id: ids.next(), createdBy, createdDate };
      const isStored = !localOnly && !storage.singleNode;
      // Start listening first. Otherwise, the node's first read would treat the broadcast as an earlier broadcast and
      // skip it.
      if (isStored && !begun) await listen();
      if (isEvent || isStored || switched !== undefined)
        await storage.write(SYSTEM_TENANT, authorship, async (session) => {
          if (switched !== undefined) await session.switchPlugin(switched.pluginName, switched.state);
          if (isStored) session.broadcast(broadcast);
          if (isEvent) session.publish([serviceEvent(content)]);
        });
      if (isStored) await listen();
      else await handle([broadcast]);
    },
  };
}

function serviceEvent({
  service,
  type,
  payload,
}: Pick<Broadcast, 'service' | 'type' | 'payload'>): NewBusEvent {
  const metaData = { service, commandType: type, eventJson: stringifyExactJson(payload) };
  return {
    type: BusEventType.BROADCAST_SERVICE,
    accountRecordId: null,
    payload: { accountId: null, objectId: null, metaData },
  };
}

/**
 * Milliseconds after which all broadcasts with a lower number than a received broadcast are guaranteed to be visible,
 * because their transactions are short.
 */
const BROADCAST_SETTLED_MS = 60_000;

/**
 * The broadcasts that this node has received. A broadcast with a lower number may be committed after one with a higher
 * number, so recent numbers are read again.
 */
export class HeardBroadcasts {
  /** System time at which each broadcast was received, by number. */
  readonly #heardAt = new Map<number, number>();
  #after = 0;

  /** Number of the last broadcast that does not need to be read again. */
  get after(): number {
    return this.#after;
  }

  /** Skips all numbers up to this one. */
  passOver(recordId: number): void {
    this.#after = Math.max(this.#after, recordId);
  }

  /** Returns the new broadcasts, and records them as received. */
  hear(broadcasts: readonly Broadcast[], nowMs: number): readonly Broadcast[] {
    const fresh = broadcasts.filter(({ recordId }) => !this.#heardAt.has(recordId));
    for (const { recordId } of fresh) this.#heardAt.set(recordId, nowMs);
    for (const [recordId, heardAt] of [...this.#heardAt].sort(([one], [other]) => one - other)) {
      if (nowMs - heardAt < BROADCAST_SETTLED_MS) break;
      this.#after = recordId;
      this.#heardAt.delete(recordId);
    }
    return fresh;
  }
}
