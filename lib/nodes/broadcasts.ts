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

/** Broadcasts that are read at once, and before the last one at a node's start that it does not look at again. */
const BROADCASTS_AT_ONCE = 1_000;

/** What a node does when it is told something. */
export type BroadcastHandler = (payload: EventPayload) => Promise<void> | void;

/** Finds it; undefined: this node has nothing to do. */
type HandlerOf = (told: Pick<Broadcast, 'service' | 'type'>) => BroadcastHandler | undefined;

export interface BroadcastPorts extends Pick<Ports, 'clock' | 'systemClock' | 'ids' | 'logger'> {
  readonly storage: Pick<Storage, 'nodes' | 'singleNode' | 'write'>;
}

/** What is told, and to whom. */
interface Telling {
  readonly service: string;
  readonly type: string;
  readonly payload: EventPayload;
  /** True: to this node alone. */
  readonly localOnly: boolean;
  /** Whether event sinks are told too (platform §10.4 rule 4). */
  readonly isEvent: boolean;
  /** Stored with it. */
  readonly switched?: Switched | undefined;
}

/** What becomes of a plugin at all nodes, those that start later among them; null: it runs. */
export interface Switched {
  readonly pluginName: string;
  readonly state: PluginSwitch['state'] | null;
}

/** Tells all nodes something: it is stored, and each does what it has a handler for (platform §11). */
export class Broadcasts {
  readonly #ports: BroadcastPorts;
  readonly #handlerOf: HandlerOf;
  readonly #heard = new HeardBroadcasts();
  #begun = false;
  #listening: Promise<void> = Promise.resolve();

  constructor(ports: BroadcastPorts, handlerOf: HandlerOf) {
    this.#ports = ports;
    this.#handlerOf = handlerOf;
  }

  /**
   * Stores it, and lets this node do it at once.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an author that cannot be stored.
   */
  async tell(author: SystemAuthor, telling: Telling): Promise<void> {
    const { service, type, payload, localOnly, isEvent, switched } = telling;
    const { storage, ids } = this.#ports;
    const authorship = systemAuthorshipOf(author, this.#ports);
    const broadcast = {
      id: ids.next(),
      service,
      type,
      payload,
      createdBy: authorship.userName,
      createdDate: authorship.createdDate,
    };
    const isStored = !localOnly && !storage.singleNode;
    // Else this one would count as told before the node began to listen.
    if (isStored && !this.#begun) await this.listen();
    if (isEvent || isStored || switched !== undefined)
      await storage.write(SYSTEM_TENANT, authorship, async (session) => {
        if (switched !== undefined) await session.switchPlugin(switched.pluginName, switched.state);
        if (isStored) session.broadcast(broadcast);
        if (isEvent) session.publish([serviceEvent(telling)]);
      });
    if (isStored) await this.listen();
    else await this.#handle([broadcast]);
  }

  /** Does what was told since the last time; what was told before the first time is not for this node. */
  listen(): Promise<void> {
    const listening = this.#listening.then(() => this.#listen());
    this.#listening = listening.catch(() => undefined);
    return listening;
  }

  async #listen(): Promise<void> {
    const { nodes } = this.#ports.storage;
    if (this.#begun) {
      await this.#handle(await this.#fresh());
      return;
    }
    this.#heard.passOver((await nodes.lastBroadcast()) - BROADCASTS_AT_ONCE);
    await this.#fresh();
    this.#begun = true;
  }

  async #fresh(): Promise<readonly Broadcast[]> {
    const { storage, systemClock } = this.#ports;
    const told: Broadcast[] = [];
    let page: readonly Broadcast[];
    do {
      page = await storage.nodes.broadcastsAfter(
        told.at(-1)?.recordId ?? this.#heard.after,
        BROADCASTS_AT_ONCE,
      );
      told.push(...page);
    } while (page.length === BROADCASTS_AT_ONCE);
    return this.#heard.hear(told, systemClock.nowMs());
  }

  async #handle(told: readonly Pick<Broadcast, 'service' | 'type' | 'payload'>[]): Promise<void> {
    const { logger } = this.#ports;
    for (const { service, type, payload } of told) {
      const handle = this.#handlerOf({ service, type });
      if (handle === undefined) {
        logger.warn({ type }, 'the nodes were told something for which this one has no handler');
        continue;
      }
      try {
        await handle(payload);
      } catch (error) {
        logger.error({ err: error, type }, 'what the nodes were told was not done');
      }
    }
  }
}

function serviceEvent({ service, type, payload }: Telling): NewBusEvent {
  const metaData = { service, commandType: type, eventJson: stringifyExactJson(payload) };
  return {
    type: BusEventType.BROADCAST_SERVICE,
    accountRecordId: null,
    payload: { accountId: null, objectId: null, metaData },
  };
}

/** After what time no broadcast with a lower number can become visible any more: each is a short transaction. */
const BROADCAST_SETTLED_MS = 60_000;

/**
 * The broadcasts this node has heard. A lower number may be committed after a higher one, so recent numbers are read
 * again.
 */
export class HeardBroadcasts {
  /** When each was heard (system time), by number. */
  readonly #heardAt = new Map<number, number>();
  #after = 0;

  /** All that has to be looked at has a higher number. */
  get after(): number {
    return this.#after;
  }

  /** Those up to this number are not for this node. */
  passOver(recordId: number): void {
    this.#after = Math.max(this.#after, recordId);
  }

  /** Those that were not heard before; from now on they were. */
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
