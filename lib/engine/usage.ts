import { BulkService, RecordingService, RollUpService, UsageTimelineService } from '../usage/index.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** What subscriptions have used. */
export function usageArea({ ports, catalogs, settingsOf, usageSources }: Foundation) {
  return {
    operations: {
      usage: {
        ...methodsOf(new RecordingService(ports, catalogs, settingsOf)),
        ...methodsOf(new BulkService(ports, catalogs, settingsOf)),
        ...methodsOf(new RollUpService(ports, usageSources)),
        ...methodsOf(new UsageTimelineService(ports, usageSources)),
      },
    },
  };
}
