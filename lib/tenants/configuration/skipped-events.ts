import type { SkippedEventsOf } from '../../ports/storage/index.ts';
import type { SettingsOf } from './tenant-configuration.ts';

/** Which bus events the tenant of a session leaves out (platform §4.2). */
export function skippedEventsOf(settingsOf: SettingsOf): SkippedEventsOf {
  return async (session) => {
    const settings = await settingsOf(session);
    return {
      notStored: settings['billing.server.event.post.type.skip'],
      notDispatched: settings['billing.server.event.dispatch.type.skip'],
    };
  };
}
