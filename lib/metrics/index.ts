export { EventCounts, type Metric, MetricsService, type MetricValue } from './service.ts';
