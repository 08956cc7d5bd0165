import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { keepYoungGenerationSmall } from '../../adapters/cli/young-generation.ts';
import { createKoaApp, listen } from '../../adapters/koa/index.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { consoleLogger } from '../../adapters/node/this-process.ts';
import { sandboxGateway } from '../../adapters/testing/index.ts';
import { answerParent, peakMib } from './child.ts';
import { storageAt } from './databases.ts';
import type { ServerInput, ServerOutput } from './server-process.ts';

/** A server with a second port that reports its event loop delays and its peak memory. */
export interface WatchedServerOutput extends ServerOutput {
  readonly usageUrl: string;
}

/** Event loop figures since the previous request; peak memory since the server started. */
export interface ServerUsage {
  readonly longestDelayMs: number;
  /** Longest turn of the event loop in processor time, which excludes other processes on the machine. */
  readonly longestTurnMs: number;
  readonly peakMib: number;
}

async function serve({
  database,
  user,
  password,
}: Omit<ServerInput, 'doesDueWork'>): Promise<WatchedServerOutput> {
  keepYoungGenerationSmall();
  const logger = consoleLogger();
  const billing = await Billing.open({ storage: storageAt(database), logger, gateways: [sandboxGateway()] });
  await billing.security.ensureAdministrator(user, password);
  const listening = await listen(createKoaApp({ billing, logger }), { port: 0 });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const turns = watchTurns();
  const usage = createServer((_request, response) => {
    const currentUsage = {
      longestDelayMs: delay.max / 1e6,
      longestTurnMs: turns.longestMs(),
      peakMib: peakMib(),
    };
    delay.reset();
    response.end(JSON.stringify(currentUsage));
  });
  usage.listen(0, '127.0.0.1');
  await once(usage, 'listening');
  process.once('disconnect', () => {
    usage.close();
    void listening
      .close()
      .then(() => billing.close())
      .then(() => process.exit(0));
  });
  const { port } = usage.address() as AddressInfo;
  return { url: `http://127.0.0.1:${listening.port}`, usageUrl: `http://127.0.0.1:${port}` };
}

/** Measures the processor time between the runs of a timer that fires on every turn of the event loop. */
function watchTurns() {
  const msNow = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let [last, longest] = [msNow(), 0];
  setInterval(() => {
    const now = msNow();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1).unref();
  return {
    longestMs: () => {
      const currentUsage = longest;
      longest = 0;
      return currentUsage;
    },
  };
}

answerParent(serve);
