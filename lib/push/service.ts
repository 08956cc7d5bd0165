import type { Ports, PushSender } from '../ports/index.ts';
import type { PushLease } from '../ports/storage/index.ts';
import type { PushDelivery, TenantRef } from '../records/index.ts';
import { type ActivityPorts, onBehalfOf } from '../runtime/index.ts';
import type { CallbackPolicy, SettingsOf, SigningSecretService } from '../tenants/index.ts';
import { InvariantError } from '../values/errors/index.ts';
import { addMilliseconds } from '../values/time/index.ts';
import type { AttemptOutcome } from './after-attempt.ts';
import { PushDispatcher } from './push-dispatcher.ts';
import { type CallbackOf, callbackOf, sendDelivery, type TenantTarget } from './send-delivery.ts';
import { takeUp } from './take-up.ts';
import { PUSH_OUTCOMES, PushCounts, TenantStream } from './tenant-stream.ts';

type PushPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids' | 'logger'> &
  ActivityPorts & {
    readonly pushSender: PushSender;
  };

interface PushServiceInput {
  readonly policy: CallbackPolicy;
  readonly settingsOf: SettingsOf;
  readonly secrets: Pick<SigningSecretService, 'current'>;
}

export interface DispatcherInput {
  readonly node: string;
  readonly isFormerNode: ((name: string) => boolean) | undefined;
  readonly tenantOf: (recordId: number) => Promise<TenantRef>;
}

export const PURGE_SIZE = 1_000;

/** Creates deliveries to the callbacks of tenants, and sends them (platform §10). */
export class PushService {
  readonly counts = new PushCounts(PUSH_OUTCOMES);
  readonly #ports: PushPorts;
  readonly #input: PushServiceInput;
  readonly #callbackOf: CallbackOf;

  constructor(ports: PushPorts, input: PushServiceInput) {
    this.#ports = ports;
    this.#input = input;
    this.#callbackOf = callbackOf();
  }

  /** One per engine. */
  dispatcher(input: DispatcherInput): PushDispatcher {
    const { storage, clock, logger } = this.#ports;
    const { policy } = this.#input;
    return new PushDispatcher(this.#ports, {
      node: input.node,
      isFormerNode: input.isFormerNode,
      streamOf: (lease, record) =>
        new TenantStream<TenantTarget>({
          tenantRecordId: lease.tenantRecordId,
          store: storage.push,
          now: () => clock.now(),
          logger,
          counts: this.counts,
          target: async () => this.#targetOf(await input.tenantOf(lease.tenantRecordId)),
          takeUp: async () => this.#takeUp(lease, await input.tenantOf(lease.tenantRecordId)),
          isStrict: false,
          placeOf: ({ url }) => ({ host: new URL(url).host }),
          send: (delivery, target) =>
            tracedAttempt(this.#ports, delivery, () =>
              sendDelivery(delivery, target, { ports: this.#ports, policy }),
            ),
          record,
        }),
    });
  }

  async purge(retentionMs: number): Promise<void> {
    const { storage, clock } = this.#ports;
    await storage.push.purge(addMilliseconds(clock.now(), -retentionMs), PURGE_SIZE);
  }

  #takeUp(lease: PushLease, tenant: TenantRef): Promise<'MORE' | 'NONE' | 'LOST'> {
    const { storage } = this.#ports;
    return takeUp(this.#ports, {
      store: storage.push,
      lease,
      tenant,
      destinationOf: async (session) => {
        const after = await session.deliveries.takenUpTo();
        const url = await this.#callbackOf(session);
        return after === null || url === null ? null : { after, url };
      },
    });
  }

  /** Null for secrets encrypted by another server key: pushes wait, and the tenant sees the reason. */
  async #readable(secrets: Promise<readonly string[]>): Promise<readonly string[] | null> {
    try {
      return await secrets;
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      this.#ports.logger.error({ err: error }, 'a push cannot be signed');
      return null;
    }
  }

  #targetOf(tenant: TenantRef): Promise<TenantTarget & { readonly retriesMs: readonly number[] }> {
    const { settingsOf, secrets } = this.#input;
    return this.#ports.storage.read(tenant, async (session) => {
      const settings = await settingsOf(session);
      return {
        callback: await this.#callbackOf(session),
        secrets: await this.#readable(secrets.current(session)),
        retriesMs: settings['billing.server.notifications.retries'],
      };
    });
  }
}

/** The first attempt is in the trace of the causing call, later ones are linked to it. */
function tracedAttempt(
  ports: ActivityPorts,
  { id, url, eventType, attempts, userToken, traceParent }: PushDelivery,
  attempt: () => Promise<AttemptOutcome>,
): Promise<AttemptOutcome> {
  const start = () => ({
    name: `push ${eventType}`,
    kind: 'CLIENT' as const,
    parent: attempts === 0 ? traceParent : null,
    links: attempts === 0 || traceParent === null ? [] : [traceParent],
    attributes: {
      'billwright.push.id': id,
      'billwright.push.attempt': attempts + 1,
      'server.address': new URL(url).host,
    },
  });
  return onBehalfOf(ports, { requestId: userToken, start }, async (span) => {
    const outcome = await attempt();
    if (outcome.kind === 'DELIVERED' && outcome.status !== null)
      span?.tell({ attributes: { 'http.response.status_code': outcome.status } });
    else if (outcome.kind !== 'DELIVERED') span?.fail(new Error(outcome.error));
    return outcome;
  });
}
