import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:net';

/** Below those that a system gives to whoever names none: on Linux they begin at 32768, elsewhere at 49152. */
const [LOWEST, BEYOND] = [20_000, 32_000];
const ATTEMPTS = 50;

/**
 * Has the server listen on a port that it may leave and come back to, or leave to another: one of those that a system gives
 * away would be a stranger's meanwhile, now and then.
 */
export async function listenOnOwnPort(server: Server): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = randomInt(LOWEST, BEYOND);
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempt === ATTEMPTS) throw error;
    }
  }
}
