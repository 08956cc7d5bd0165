import { PushService } from '../push/index.ts';
import { SigningSecretService } from '../tenants/index.ts';
import { callbackPolicyOf, type Foundation } from './foundation.ts';

/** What goes to callbacks of tenants; null: the engine has nothing to send it with. */
export function pushArea({ ports, settings, settingsOf }: Foundation): PushService | null {
  const { pushSender } = ports;
  if (pushSender === null || pushSender === undefined) return null;
  return new PushService(
    { ...ports, pushSender },
    { policy: callbackPolicyOf(settings), settingsOf, secrets: new SigningSecretService(ports) },
  );
}
