import { onDemand } from '../wire/on-demand.ts';

export type PromClient = typeof import('prom-client');

/** Not needed before somebody asks for metrics, and reading it takes 60 ms of processor time at a start (Node 24). */
export const promClient = onDemand((): Promise<PromClient> => import('prom-client'));
