import { type PushService, pushService, type SinkService, sinkService } from '../push/index.ts';
import { signingSecretService } from '../tenants/index.ts';
import { assertInvariant } from '../values/errors/index.ts';
import { checkStorable } from '../values/text/index.ts';
import { callbackPolicyOf, type Foundation } from './foundation.ts';

const MAX_EVENT_SINK_NAME_CHARACTERS = 100;

/** Returns the service for pushes to callbacks of tenants, or null if there is no push sender. */
export function pushArea({ ports, settings, settingsOf }: Foundation): PushService | null {
  const { pushSender } = ports;
  if (pushSender === null || pushSender === undefined) return null;
  return pushService(
    { ...ports, pushSender },
    { policy: callbackPolicyOf(settings), settingsOf, secrets: signingSecretService(ports) },
  );
}

/** Returns the service for the host's event sinks. */
export function sinkArea({ ports, settings }: Foundation): SinkService {
  const sinks = settings.eventSinks ?? [];
  for (const { name } of sinks) checkSinkName(name);
  return sinkService(ports, sinks, settings.server.tenant['billing.server.notifications.retries']);
}

/** Checks the name of an event sink. @throws InvariantError for a name that the storage cannot use as a key. */
function checkSinkName(name: string): void {
  checkStorable('Name of an event sink', name);
  assertInvariant(
    name.length <= MAX_EVENT_SINK_NAME_CHARACTERS,
    `An event sink needs a name of at most ${MAX_EVENT_SINK_NAME_CHARACTERS} characters`,
    { name },
  );
}
