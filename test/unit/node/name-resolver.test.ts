import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { nameResolver } from '../../../adapters/node/index.ts';

const A = 1;
const AAAA = 28;
const NAME_ERROR = 3;

/** A name server that knows `both.example` and `old.example`, and reports all other names as missing. */
async function nameServer(): Promise<Socket> {
  const server = createSocket('udp4');
  server.on('message', (query, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.subarray(at + 1, at + 1 + length).toString());
      at += 1 + length;
    }
    const question = query.subarray(12, at + 5);
    const type = query.readUInt16BE(at + 1);
    const name = labels.join('.');
    const data =
      type === A && ['both.example', 'old.example'].includes(name)
        ? Buffer.from([192, 0, 2, 7])
        : type === AAAA && name === 'both.example'
          ? Buffer.from('20010db8000000000000000000000007', 'hex')
          : null;
    const isKnown = name.startsWith('both.') || name.startsWith('old.');
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | (isKnown ? 0 : NAME_ERROR), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(data === null ? 0 : 1, 6);
    const answer = Buffer.alloc(12);
    answer.writeUInt16BE(0xc00c, 0);
    answer.writeUInt16BE(type, 2);
    answer.writeUInt16BE(1, 4);
    answer.writeUInt16BE(data?.length ?? 0, 10);
    server.send(Buffer.concat([head, question, ...(data === null ? [] : [answer, data])]), port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('callback host resolver', () => {
  let server: Socket;
  let servers: readonly string[];
  before(async () => {
    server = await nameServer();
    servers = [`127.0.0.1:${(server.address() as AddressInfo).port}`];
  });
  after(() => server.close());

  it('returns all IPv4 and IPv6 addresses of a name', async () => {
    const resolver = nameResolver({ servers });
    expect(await resolver.resolve('both.example')).to.eql(['192.0.2.7', '2001:db8::7']);
    expect(await resolver.resolve('old.example')).to.eql(['192.0.2.7']);
  });

  it('fails for an unknown name', async () => {
    const outcome = await nameResolver({ servers })
      .resolve('none.example')
      .catch((error: { readonly code?: string }) => error.code);
    expect(outcome).to.equal('ENOTFOUND');
  });

  it('resolves names without a dot through the operating system', async () =>
    expect(await nameResolver({ servers }).resolve('localhost')).to.include.oneOf(['127.0.0.1', '::1']));
});
