import type { Ports, PushSender } from '../ports/index.ts';
import type { PushDelivery, TenantRef } from '../records/index.ts';
import { type ActivityPorts, onBehalfOf } from '../runtime/index.ts';
import type { CallbackPolicy, SettingsOf, SigningSecretService } from '../tenants/index.ts';
import { InvariantError } from '../values/errors/index.ts';
import { addMilliseconds } from '../values/time/index.ts';
import { claimEvents } from './claim-events.ts';
import type { AttemptOutcome } from './delivery-after-attempt.ts';
import { PushDispatcher } from './push-dispatcher.ts';
import { callbackReader, sendDelivery, type TenantTarget } from './send-delivery.ts';
import { PUSH_OUTCOMES, PushCounts, TenantStream } from './tenant-stream.ts';

type PushPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids' | 'logger'> &
  ActivityPorts & { readonly pushSender: PushSender };

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
export function pushService(ports: PushPorts, input: PushServiceInput) {
  const { storage, clock, logger } = ports;
  const counts = new PushCounts(PUSH_OUTCOMES);
  const callbackOf = callbackReader();

  /**
   * Returns the secrets, or null if they were encrypted with a different server key. In that case, pushes wait, and the
   * tenant can see the reason.
   */
  async function readable(secrets: Promise<readonly string[]>): Promise<readonly string[] | null> {
    try {
      return await secrets;
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      logger.error({ err: error }, 'a push cannot be signed');
      return null;
    }
  }

  function targetOf(tenant: TenantRef): Promise<TenantTarget & { readonly retriesMs: readonly number[] }> {
    return storage.read(tenant, async (session) => ({
      retriesMs: (await input.settingsOf(session))['billing.server.notifications.retries'],
      callback: await callbackOf(session),
      secrets: await readable(input.secrets.current(session)),
    }));
  }

  return {
    counts,

    /** Returns a dispatcher of pushes. Each engine has one. */
    dispatcher({ node, isFormerNode, tenantOf }: DispatcherInput): PushDispatcher {
      return new PushDispatcher(ports, {
        node,
        isFormerNode,
        streamOf: (lease, record) =>
          new TenantStream<TenantTarget>({
            tenantRecordId: lease.tenantRecordId,
            store: storage.push,
            now: () => clock.now(),
            logger,
            counts,
            target: async () => targetOf(await tenantOf(lease.tenantRecordId)),
            takeUp: async () =>
              claimEvents(ports, {
                store: storage.push,
                lease,
                tenant: await tenantOf(lease.tenantRecordId),
                destinationOf: async (session) => {
                  const after = await session.deliveries.lastEventId();
                  const url = await callbackOf(session);
                  return after === null || url === null ? null : { after, url };
                },
              }),
            isStrict: false,
            placeOf: ({ url }) => ({ host: new URL(url).host }),
            send: (delivery, target) =>
              tracedAttempt(ports, delivery, () =>
                sendDelivery(delivery, target, { ports, policy: input.policy }),
              ),
            record,
          }),
      });
    },

    async purge(retentionMs: number): Promise<void> {
      await storage.push.purge(addMilliseconds(clock.now(), -retentionMs), PURGE_SIZE);
    },
  };
}

export type PushService = ReturnType<typeof pushService>;

/**
 * Records an attempt in a trace. The first attempt belongs to the trace of the call that caused it. Later attempts are
 * linked to that trace.
 */
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
