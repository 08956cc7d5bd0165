export { type HealthCheck, type HealthReport, healthReport } from './service.ts';
