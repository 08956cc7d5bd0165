import { EventService, PushService, SinkService } from '../push/index.ts';
import { SigningSecretService, type TenantService } from '../tenants/index.ts';
import { assertInvariant } from '../values/errors/index.ts';
import { checkStorable } from '../values/text/index.ts';
import { callbackPolicyOf, type Foundation } from './foundation.ts';

/** Characters of the name of an event sink. */
const MAX_EVENT_SINK_NAME_CHARACTERS = 100;

/** What goes to callbacks of tenants; null: the engine has nothing to send it with. */
export function pushArea({ ports, settings, settingsOf }: Foundation): PushService | null {
  const { pushSender } = ports;
  if (pushSender === null || pushSender === undefined) return null;
  return new PushService(
    { ...ports, pushSender },
    { policy: callbackPolicyOf(settings), settingsOf, secrets: new SigningSecretService(ports) },
  );
}

/** What goes to sinks of the host. */
export function sinkArea({ ports, settings }: Foundation): SinkService {
  const sinks = settings.eventSinks ?? [];
  for (const { name } of sinks) checkName(name);
  return new SinkService(ports, sinks, settings.server.tenant['billing.server.notifications.retries']);
}

/** What has happened, for those who read it. */
export function eventArea({ ports }: Foundation, tenants: TenantService): EventService {
  return new EventService(ports, (recordIds) => tenants.idsOfRecords(recordIds));
}

/** @throws InvariantError: under its name is stored what a sink has been told. */
function checkName(name: string): void {
  checkStorable('Name of an event sink', name);
  assertInvariant(
    name.length <= MAX_EVENT_SINK_NAME_CHARACTERS,
    `An event sink needs a name of at most ${MAX_EVENT_SINK_NAME_CHARACTERS} characters`,
    { name },
  );
}
