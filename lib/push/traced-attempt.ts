import type { PushDelivery } from '../records/index.ts';
import { type ActivityPorts, onBehalfOf } from '../runtime/index.ts';
import type { AttemptOutcome } from './after-attempt.ts';

/** An attempt on behalf of the call that has caused the event: the first is in its trace, later ones are linked to it. */
export function tracedAttempt(
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
