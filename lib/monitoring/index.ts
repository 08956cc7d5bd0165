export {
  type Diagnostic,
  type DiagnosticOperations,
  type DiagnosticRequest,
  DiagnosticService,
  type DiagnosticSources,
} from './diagnostic-service.ts';
export {
  type HealthData,
  type HealthDataOperations,
  HealthDataService,
  type ParkedAccountView,
} from './health-data-service.ts';
export type { MonitoringOperations } from './monitoring-operations.ts';
export { NodeMeters } from './node-meters.ts';
export {
  AccessLog,
  type AnsweredRequest,
  countedLogger,
  type RequestObserver,
  requestObserver,
} from './request-observer.ts';
export { SampleRecorder } from './sample-recorder.ts';
export {
  Granularity,
  type SampleOperations,
  type SampleSeries,
  SampleService,
  type SamplesRequest,
} from './sample-service.ts';
