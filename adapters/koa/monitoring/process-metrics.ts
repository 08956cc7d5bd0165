import type { Registry } from 'prom-client';
import { onDemand } from '../wire/on-demand.ts';
import { promClient } from './prom-client.ts';

/**
 * Processor, memory, heap, event loop and garbage collection of this process, under the names that dashboards of Node
 * know. Once for all servers of the process; the event loop is watched from the first time on.
 */
export const processMetrics = onDemand(async (): Promise<Registry> => {
  const { collectDefaultMetrics, Registry } = await promClient();
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
});
