export {
  type Diagnostic,
  type DiagnosticOperations,
  type DiagnosticRequest,
  type DiagnosticSources,
  diagnosticOperations,
} from './diagnostic-service.ts';
export {
  type HealthData,
  type HealthDataOperations,
  healthDataOperations,
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
  type SamplesRequest,
  sampleOperations,
} from './sample-service.ts';
