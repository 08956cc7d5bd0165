import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:net';

/** Below the ephemeral ports, which start at 32768 on Linux and at 49152 elsewhere. */
const [LOWEST, BEYOND] = [20_000, 32_000];
const ATTEMPTS = 50;

/**
 * Listens on a port that the server can close and reopen, or leave to another server. Another process might take an
 * ephemeral port in the meantime.
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
