export { EventCounts, type Metric, type MetricValue, metricsReader } from './service.ts';
