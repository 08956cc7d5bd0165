import type { ReadSession } from '../../ports/storage/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import type { RecordingConfig } from '../recording/recording-faults.ts';
import type { RecordUsageOptions } from './usage-operations.ts';

export type RecordingConfigOf = (
  session: ReadSession,
  options: Pick<RecordUsageOptions, 'defaultUnknownUnitPolicy'>,
) => Promise<RecordingConfig>;

export function recordingConfigOf(settingsOf: SettingsOf): RecordingConfigOf {
  return async (session, { defaultUnknownUnitPolicy = 'REJECT' }) => {
    const settings = await settingsOf(session);
    const { usageThresholds } = await session.revisions();
    return {
      onDuplicate: settings['usage.duplicatePolicy'],
      negativeAmounts: settings['usage.negativeAmounts'],
      rejectsUnknownUnits: (settings['usage.unknownUnitPolicy'] ?? defaultUnknownUnitPolicy) === 'REJECT',
      mayPassThresholds: usageThresholds !== null,
    };
  };
}
