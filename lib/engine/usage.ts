import { ArchiveService, BulkService, RecordingService, RollUpService } from '../usage/index.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** Returns the operations on usage. */
export function usageArea(foundation: Foundation) {
  const { ports, settings, catalogs, settingsOf, usageSources, invoicingConfig } = foundation;
  const { 'usage.bulk.chunkSize': chunkSize, 'usage.keyRetentionDays': keyRetentionDays } =
    settings.server.server;
  return {
    operations: {
      usage: {
        ...methodsOf(new RecordingService(ports, catalogs, settingsOf)),
        ...methodsOf(new BulkService(ports, catalogs, { settingsOf, chunkSize })),
        ...methodsOf(new RollUpService(ports, usageSources)),
        ...methodsOf(
          new ArchiveService(ports, {
            configOf: async (session) => (await invoicingConfig(session)).usage,
            keyRetentionDays,
          }),
        ),
      },
    },
  };
}
