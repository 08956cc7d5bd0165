import type { Leading } from '../records/index.ts';
import type { DiagnosticOperations } from './diagnostic-service.ts';
import type { HealthDataOperations } from './health-data-service.ts';
import type { SampleOperations } from './sample-service.ts';

/** How the deployment fares, for those who look after it (platform §12). */
export interface MonitoringOperations<C extends Leading = []>
  extends HealthDataOperations<C>,
    SampleOperations<C>,
    DiagnosticOperations<C> {}
