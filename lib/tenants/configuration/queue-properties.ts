import type { QueueSettings } from '../../runtime/index.ts';
import type { ServerSettings } from './index.ts';

/** The settings of the queue among those of the server. */
export function queueSettingsOf(server: ServerSettings): QueueSettings {
  return {
    BUS: {
      isOff: server['persistent.bus.main.off'],
      claimed: server['persistent.bus.main.claimed'],
      handledAtATime: server['persistent.bus.main.nbThreads'],
      leaseMs: server['persistent.bus.main.claim.time'],
      pollMs: server['persistent.bus.main.sleep'],
      maxFailures: server['persistent.bus.main.max.failure.retry'],
      reapThresholdMs: server['persistent.bus.main.reapThreshold'],
      reapScheduleMs: server['persistent.bus.main.reapSchedule'],
      maxLapses: server['persistent.bus.main.maxReDispatchCount'],
    },
    NOTIFICATION: {
      isOff: server['notificationq.main.notification.off'],
      claimed: server['notificationq.main.claimed'],
      handledAtATime: server['notificationq.main.notification.nbThreads'],
      leaseMs: server['notificationq.main.claim.time'],
      pollMs: server['notificationq.main.sleep'],
      maxFailures: server['notificationq.main.max.failure.retry'],
      reapThresholdMs: server['notificationq.main.reapThreshold'],
      reapScheduleMs: server['notificationq.main.reapSchedule'],
      maxLapses: server['notificationq.main.maxReDispatchCount'],
    },
  };
}
