import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { migrate } from '../../adapters/mikro-orm/postgresql.ts';

const tlsRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** A server that accepts connections like PostgreSQL and refuses TLS. */
class Stand {
  first: Buffer | undefined;
  readonly #server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (data: Buffer) => {
      this.first ??= data;
      socket.end('N');
    });
  });

  /** @param path of a socket; undefined: listens on a local port and returns it. */
  async listen(path?: string): Promise<number> {
    this.#server.listen(path ?? { host: '127.0.0.1', port: 0 });
    await once(this.#server, 'listening');
    return path === undefined ? (this.#server.address() as AddressInfo).port : 0;
  }

  async close(): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Returns the error of a connection. */
async function failureOf(url: string): Promise<string> {
  try {
    await migrate(url);
  } catch (error) {
    return String(error);
  }
  return 'connected';
}

describe('PostgreSQL database URL', () => {
  let stand: Stand;
  beforeEach(() => {
    stand = new Stand();
  });
  afterEach(() => stand.close());

  it('requests TLS with sslmode and sends nothing to a server without TLS', async () => {
    const port = await stand.listen();
    const failure = await failureOf(`postgresql://ada:secret@127.0.0.1:${port}/shop?sslmode=verify-full`);
    expect(stand.first).to.eql(tlsRequest);
    expect(failure).to.include('does not support SSL').and.to.not.include('secret');
  });

  it('requests no TLS by default', async () => {
    const port = await stand.listen();
    await failureOf(`postgresql://ada:secret@127.0.0.1:${port}/shop`);
    expect(stand.first?.toString('latin1')).to.include('user\0ada\0database\0shop\0');
  });

  it('can list several hosts, whose problems are all described in the error if none can be reached', async () => {
    const port = await stand.listen();
    const failure = await failureOf(
      `postgresql://ada:secret@127.0.0.1:${port},127.0.0.1:1/shop?target_session_attrs=read-write`,
    );
    expect(stand.first?.toString('latin1')).to.include('user\0ada\0database\0shop\0');
    expect(failure)
      .to.include(`127.0.0.1:${port} cannot be reached (`)
      .and.to.include('127.0.0.1:1 cannot be reached (connect ECONNREFUSED')
      .and.to.not.include('secret');
  });

  it('is rejected if target_session_attrs cannot select a writable server', async () => {
    await stand.listen();
    expect(await failureOf('postgresql://ada:secret@127.0.0.1:1/shop?target_session_attrs=standby')).to.equal(
      'TypeError: The database URL has an invalid target_session_attrs. Use read-write, primary or any',
    );
  });

  it('can specify a socket folder and its user', async function () {
    if (process.platform === 'win32') this.skip();
    const folder = await mkdtemp(join(tmpdir(), 'billwright-socket-'));
    await stand.listen(join(folder, '.s.PGSQL.5432'));
    await failureOf(`postgresql:///shop?host=${folder}&user=ada&application_name=till`);
    expect(stand.first?.toString('latin1'))
      .to.include('user\0ada\0database\0shop\0')
      .and.to.include('application_name\0till\0');
    await rm(folder, { recursive: true });
  });
});
