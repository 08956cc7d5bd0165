export { type HealthCheck, type HealthReport, HealthService } from './service.ts';
