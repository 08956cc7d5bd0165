import type { Leading } from '../records/index.ts';
import type { DiagnosticOperations } from './diagnostic-service.ts';
import type { HealthDataOperations } from './health-data-service.ts';
import type { SampleOperations } from './sample-service.ts';

/** Operations with which operators monitor the deployment (platform §12). */
export interface MonitoringOperations<C extends Leading = []>
  extends HealthDataOperations<C>,
    SampleOperations<C>,
    DiagnosticOperations<C> {}
