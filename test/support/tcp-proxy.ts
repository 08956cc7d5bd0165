import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listenOnOwnPort } from './own-port.ts';

/** A proxy between a client and a local server, which can interrupt their connection. */
export interface TcpProxy {
  readonly port: number;
  /** Accepts connections and data, but forwards nothing. */
  freeze(): void;
  /** Closes all connections and refuses new ones. */
  refuse(): Promise<void>;
  /** Forwards again, including connections accepted in the meantime. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** Creates a reader of the bytes that a new connection's client sends. */
type NewReader = () => (chunk: Buffer) => void;

export async function tcpProxy(to: number, newReader?: NewReader): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const ahead: Socket[] = [];
  let isFrozen = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    return socket;
  };
  const pass = (client: Socket): void => {
    const server = keep(connect(to, '127.0.0.1'));
    if (newReader !== undefined) client.on('data', newReader());
    client.pipe(server).pipe(client);
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  };
  const newServer = (): Server =>
    createServer((client) => {
      keep(client);
      if (isFrozen) ahead.push(client);
      else pass(client);
    });
  let listening = newServer();
  const port = await listenOnOwnPort(listening);
  const shut = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (!listening.listening) return;
    listening.close();
    await once(listening, 'close');
  };
  return {
    port,
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.unpipe();
      for (const socket of sockets) socket.pause();
    },
    refuse: shut,
    restore: async () => {
      if (isFrozen) {
        isFrozen = false;
        // Connections that were open at the freeze have lost their other end.
        for (const socket of sockets) if (!ahead.includes(socket)) socket.destroy();
        for (const client of ahead.splice(0)) pass(client);
      }
      if (listening.listening) return;
      listening = newServer().listen(port, '127.0.0.1');
      await once(listening, 'listening');
    },
    close: shut,
  };
}

/** Returns the URL of a database through a proxy in front of its server. */
export async function proxied(
  url: string,
  newReader?: NewReader,
): Promise<{ readonly proxy: TcpProxy; readonly url: string }> {
  const through = new URL(url);
  const proxy = await tcpProxy(Number(through.port), newReader);
  through.port = String(proxy.port);
  return { proxy, url: through.href };
}
