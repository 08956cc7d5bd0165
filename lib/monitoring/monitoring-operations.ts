import type { Leading } from '../records/index.ts';
import type { DiagnosticOperations } from './diagnostic.ts';
import type { HealthDataOperations } from './health-data.ts';
import type { SampleOperations } from './sample-operations.ts';

/** How the deployment fares, for those who look after it (platform §12). */
export interface MonitoringOperations<C extends Leading = []>
  extends HealthDataOperations<C>,
    SampleOperations<C>,
    DiagnosticOperations<C> {}
