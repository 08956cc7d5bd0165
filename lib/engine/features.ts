import { featureOperations } from '../features/index.ts';
import type { Foundation } from './foundation.ts';

/** Returns the operations on features and quotas. */
export function featureArea({ ports, catalogs, settingsOf }: Foundation) {
  return { operations: { features: featureOperations(ports, catalogs, settingsOf) } };
}
