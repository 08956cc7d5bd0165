import { setTimeout } from 'node:timers/promises';
import { QUEUE_SHUTDOWN_WAIT_MS } from '../../../lib/values/limits.ts';
import type { GroupMember, ServerGroup } from '../../koa/index.ts';
import { createLogger } from '../logger.ts';
import { endOnSignal, exitAfter, openServer, type Running, shutDown } from '../running-server.ts';
import type { ServeOptions } from '../serve-options.ts';
import { Channel } from './channel.ts';
import type { PrimaryCalls, Seat, WorkerCalls } from './seat.ts';

/** Time limit in milliseconds for a response from the primary process, which first queries all workers. */
const GROUP_ANSWER_MS = 10_000;
const PRIMARY_ANSWER_MS = 5_000;

/** Serves the port of the primary process, which has already prepared the database and the administrator. */
export async function serveAsWorker(options: ServeOptions, seat: Seat): Promise<void> {
  const logger = createLogger(options.environment.BILLWRIGHT_LOG_LEVEL).child({ worker: seat.number });
  const member = Promise.withResolvers<GroupMember>();
  const running = Promise.withResolvers<Running>();
  let ended: Promise<void> | undefined;
  const end = (how: { readonly drain: boolean }): Promise<void> => {
    ended ??= running.promise.then((server) => leave(server, how));
    return ended;
  };
  const primary: Primary = new Channel<WorkerCalls, PrimaryCalls>((message) => process.send?.(message), {
    metrics: async () => (await member.promise).metrics(),
    health: async () => (await member.promise).health(),
    setInRotation: async (isInRotation) => (await member.promise).setInRotation(isInRotation),
    stop: (how) => {
      logger.info({}, how.drain ? 'finishing the open connections' : 'stopping');
      exitAfter(logger, end(how));
    },
  });
  process.on('message', (message) => primary.receive(message));
  // A closing terminal sends this signal to all processes. Only the primary acts on the signal.
  process.on('SIGHUP', () => undefined);
  const server = await openServer({
    options: { ...options, port: seat.port, nodeName: seat.nodeName, migrate: false },
    logger,
    group: groupOf(primary, member.resolve),
    async prepare(billing) {
      if (!seat.isInRotation) billing.setInRotation(false);
    },
  });
  running.resolve(server);
  endOnSignal(logger, () => end({ drain: false }));
  const { host, port } = server.listening;
  await primary.call('ready', { host, port }, PRIMARY_ANSWER_MS);

  async function leave(server: Running, { drain }: { readonly drain: boolean }): Promise<void> {
    if (drain) await Promise.race([server.listening.drain(), setTimeout(QUEUE_SHUTDOWN_WAIT_MS)]);
    await shutDown(server, async () => {
      try {
        const metrics = await (await member.promise).metrics();
        await primary.call('leave', metrics, PRIMARY_ANSWER_MS);
      } catch (error) {
        logger.warn({ err: error }, 'the last counts of this worker are lost');
      }
    });
  }
}

type Primary = Channel<WorkerCalls, PrimaryCalls>;

function groupOf(primary: Primary, join: ServerGroup['join']): ServerGroup {
  return {
    join,
    metrics: () => primary.call('metrics', undefined, GROUP_ANSWER_MS),
    health: () => primary.call('health', undefined, GROUP_ANSWER_MS),
    setInRotation: (isInRotation) => primary.call('setInRotation', isInRotation, GROUP_ANSWER_MS),
  };
}
