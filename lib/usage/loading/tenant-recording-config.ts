import type { ReadSession } from '../../ports/storage/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import type { RecordingConfig } from '../recording/recording-config.ts';

/** Gives how the tenant of a session records usage. */
export type RecordingConfigOf = (session: ReadSession) => Promise<RecordingConfig>;

/** The settings of recording among those of the tenant (§8). */
export function recordingConfigOf(settingsOf: SettingsOf): RecordingConfigOf {
  return async (session) => {
    const settings = await settingsOf(session);
    const { usageThresholds } = await session.revisions();
    return {
      onDuplicate: settings['usage.duplicatePolicy'],
      negativeAmounts: settings['usage.negativeAmounts'],
      rejectsUnknownUnits: settings['usage.unknownUnitPolicy'] === 'REJECT',
      mayPassThresholds: usageThresholds !== null,
    };
  };
}
