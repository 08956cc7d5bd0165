import { archiveOperations, bulkOperations, recordingOperations, rollUpOperations } from '../usage/index.ts';
import type { Foundation } from './foundation.ts';

/** Returns the operations on usage. */
export function usageArea(foundation: Foundation) {
  const { ports, settings, catalogs, settingsOf, usageSources, invoicingConfig } = foundation;
  const { 'usage.bulk.chunkSize': chunkSize, 'usage.keyRetentionDays': keyRetentionDays } =
    settings.server.server;
  return {
    operations: {
      usage: {
        ...recordingOperations(ports, catalogs, settingsOf),
        ...bulkOperations(ports, catalogs, { settingsOf, chunkSize }),
        ...rollUpOperations(ports, usageSources),
        ...archiveOperations(
          ports,
          async (session) => (await invoicingConfig(session)).usage,
          keyRetentionDays,
        ),
      },
    },
  };
}
