import { QueueName } from '../records/index.ts';

/** The notification queues that a caller names; null = all. A queue is named with its service in front or without. */
export function topicsNamed({
  queueName,
  serviceName,
}: {
  readonly queueName?: string;
  readonly serviceName?: string;
}): readonly string[] | null {
  if (queueName === undefined && serviceName === undefined) return null;
  return Object.values<string>(QueueName).filter((topic) => {
    const [service, name] = topic.split(':');
    const isQueue = queueName === undefined || queueName === name || queueName === topic;
    return isQueue && (serviceName === undefined || serviceName === service);
  });
}
