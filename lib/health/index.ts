export type { HealthCheck } from './checks.ts';
export { type HealthReport, HealthService } from './service.ts';
