import {
  AccessLog,
  countedLogger,
  type DiagnosticSources,
  diagnosticOperations,
  healthDataOperations,
  NodeMeters,
  type RequestObserver,
  requestObserver,
  SampleRecorder,
  sampleOperations,
} from '../monitoring/index.ts';
import type { Ports } from '../ports/index.ts';
import type { PushCounts } from '../push/index.ts';
import type { ServerSettings } from '../tenants/index.ts';
import type { BillingOptions } from './billing-options.ts';
import type { Foundation } from './foundation.ts';

/** Returns the operations that monitor the deployment (platform §12). */
export function monitoringArea(
  { ports, settings }: Foundation,
  sources: Pick<DiagnosticSources, 'exportOf' | 'keyValuesOf'>,
) {
  const { server, tenant } = settings.server;
  const lateThresholdMs = server['health.lateThreshold'];
  return {
    operations: {
      monitoring: {
        ...healthDataOperations(ports, { lateThresholdMs, ...settings.node }),
        ...sampleOperations(ports),
        ...diagnosticOperations(ports, {
          ...sources,
          configuration: { ...tenant, ...server },
          logDirectories: server['health.diagnostic.logDirs'],
        }),
      },
    },
  };
}

/** Records the work of this node: samples per minute and served requests. */
export interface Monitor {
  readonly recorder: SampleRecorder;
  readonly accessLog: AccessLog;
  readonly requests: RequestObserver;
}

/** Adds the engine's meters to the ports. */
export function meteredPorts(ports: Ports): Ports & { readonly meters: NodeMeters } {
  const meters = new NodeMeters(ports.systemClock);
  return { ...ports, meters, logger: countedLogger(ports.logger, meters) };
}

export function monitorOf<Host>(parts: {
  readonly options: BillingOptions<Host>;
  readonly ports: Ports & { readonly meters: NodeMeters };
  readonly server: ServerSettings;
  readonly node: string;
  /** Undefined if the engine sends no pushes. */
  readonly pushes: PushCounts | undefined;
}): Monitor {
  const { options, ports, server, node: nodeName, pushes } = parts;
  const retentionMs = server['accesslog.retention'];
  const accessLog = new AccessLog(ports, { nodeName, hostName: options.hostName ?? nodeName, retentionMs });
  return {
    accessLog,
    requests: requestObserver(ports.meters, accessLog),
    recorder: new SampleRecorder(ports, {
      nodeName,
      meters: ports.meters,
      process: options.processGauges,
      lateThresholdMs: server['health.lateThreshold'],
      accessRetentionMs: retentionMs,
      failedPushes: () => countFailedPushes(pushes),
    }),
  };
}

function countFailedPushes(pushes: PushCounts | undefined): number {
  const failures = (pushes?.list() ?? []).filter(
    ({ outcome }) => outcome === 'failed' || outcome === 'given_up',
  );
  return failures.reduce((sum, { count }) => sum + count, 0);
}
