export { EventCounts } from './event-counts.ts';
export type { Metric, MetricValue } from './metric.ts';
export { MetricsService } from './service.ts';
