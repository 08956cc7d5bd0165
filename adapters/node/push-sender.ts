import { lookup, Resolver } from 'node:dns/promises';
import type { ClientRequest, IncomingMessage, Agent as NodeHttpAgent } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { NameResolver, PushAnswer, PushRequest, PushSender } from '../../lib/ports/index.ts';
import { productVersion } from './product-version.ts';

// An import of its names would load all that `node:http` has, Node's own fetch included, into every process that starts.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

/** How long a connection without work is kept, and how many of them in all. */
const KEPT_MS = 4_000;
const KEPT_CONNECTIONS = 100;

/** How many bytes of an answer are read, and for how long after its head, so that its connection can be used again. */
const READ_BYTES = 64 * 1_024;
const READ_MS = 1_000;

/** What an agent tells connections apart by, besides host and port. */
interface Pinned {
  readonly pinned?: string;
}

/** Connections to addresses that were checked for one call are not lent to a call with other addresses. */
const byAddress = (name: string, options: object | undefined): string =>
  `${name}|${(options as Pinned | undefined)?.pinned ?? ''}`;

/**
 * Whether one more connection without work may be kept. Node bounds those to one host alone, and a tenant can register
 * one callback after another.
 */
function mayKeepOneMore({ freeSockets }: Pick<NodeHttpAgent, 'freeSockets'>): boolean {
  const kept = Object.values(freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
  return kept < KEPT_CONNECTIONS;
}

/** Has an agent tell connections apart by the addresses that were checked, and keep few of them. */
function pinning<A extends NodeHttpAgent>(agent: A): A {
  const [getName, keepSocketAlive] = [agent.getName.bind(agent), agent.keepSocketAlive.bind(agent)];
  return Object.assign(agent, {
    getName: (...[options]: Parameters<typeof getName>) => byAddress(getName(options), options),
    keepSocketAlive(...of: Parameters<typeof keepSocketAlive>): boolean {
      const isKept: unknown = keepSocketAlive(...of);
      return isKept !== false && mayKeepOneMore(agent);
    },
  });
}

interface Agents {
  readonly http: NodeHttpAgent;
  readonly https: HttpsAgent;
}

/**
 * Sends pushes over HTTP (platform §10.2): connects to the given addresses and nowhere else, follows no redirect, uses no
 * proxy, and reads of the answer no more than its status. An attempt lasts until its connection is free or closed, at most
 * a second beyond the head of the answer: so as many connections are open as attempts are under way. Signs by Standard Webhooks (platform §10.3).
 * @param options.ca certificates of authorities that are trusted instead of Node's.
 * @param options.resolver finds the addresses of hosts; default: as the machine does.
 */
export function httpPushSender(
  options: { readonly ca?: string; readonly resolver?: NameResolver } = {},
): PushSender {
  const resolver = options.resolver ?? nameResolver();
  const kept = { keepAlive: true, timeout: KEPT_MS };
  const agents: Agents = { http: pinning(new HttpAgent(kept)), https: pinning(new HttpsAgent(kept)) };
  const userAgent = `Billwright/${productVersion()}`;
  return {
    resolve: (host) => resolver.resolve(host),
    send: (push) => post(push, { agents, userAgent, ca: options.ca }),
    close: async () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** What pushes are sent with. */
interface Means {
  readonly agents: Agents;
  readonly userAgent: string;
  readonly ca: string | undefined;
}

function post(push: PushRequest, { agents, userAgent, ca }: Means): Promise<PushAnswer> {
  const { url, addresses, body, timeoutMs } = push;
  const isSecure = url.protocol === 'https:';
  const inTime = AbortSignal.timeout(timeoutMs);
  const options: RequestOptions & Pinned = {
    method: 'POST',
    headers: headersOf(push, userAgent),
    agent: isSecure ? agents.https : agents.http,
    lookup: pinnedTo(addresses),
    pinned: addresses.join(','),
    signal: inTime,
    ...(ca === undefined ? {} : { ca }),
  };
  return new Promise((resolve, reject) => {
    const sent = isSecure ? httpsRequest(url, options) : httpRequest(url, options);
    let status: number | undefined;
    sent.once('response', (answer) => {
      status = answer.statusCode ?? 0;
      letGo(sent, answer);
    });
    sent.once('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(new Error('The receiver asked for another protocol'));
    });
    // The connection is free for another push, or closed, however that has come about.
    sent.once('close', () => {
      if (status !== undefined) resolve({ status });
      else reject(new Error('The connection was closed without an answer'));
    });
    sent.on('error', (error) => {
      // What breaks after the head of the answer does not change the answer.
      if (status === undefined)
        reject(inTime.aborted ? new Error(`There was no answer within ${timeoutMs / 1_000} s`) : error);
    });
    sent.end(body);
  });
}

/** A short answer is read to its end, so that the connection can be used again; a long or slow one ends it. */
function letGo(sent: ClientRequest, answer: IncomingMessage): void {
  const timer = setTimeout(() => sent.destroy(), READ_MS);
  sent.once('close', () => clearTimeout(timer));
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > READ_BYTES) sent.destroy();
  });
  answer.on('error', () => undefined);
}

function headersOf({ id, timestampSec, body, secrets }: PushRequest, userAgent: string) {
  return {
    'Content-Type': 'application/json; charset=UTF-8',
    'Content-Length': Buffer.byteLength(body),
    'User-Agent': userAgent,
    'webhook-id': id,
    'webhook-timestamp': String(timestampSec),
    ...(secrets.length === 0 ? {} : { 'webhook-signature': signature({ id, timestampSec, body, secrets }) }),
  };
}

/** One signature per secret, separated by blanks: receivers accept any of them. */
function signature({
  id,
  timestampSec,
  body,
  secrets,
}: Pick<PushRequest, 'id' | 'timestampSec' | 'body' | 'secrets'>): string {
  const at = new Date(timestampSec * 1_000);
  return secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' ');
}

/** Answers whoever asks for an address of the host with those that were checked. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (host, options, answer) => {
    const [first] = found;
    if (first === undefined) answer(new Error(`There is no address of ${host}`), '', 4);
    else if (options.all) answer(null, found);
    else answer(null, first.address, first.family);
  };
}

/** How long a name server may take, and how often it is asked. */
const TIMEOUT_MS = 3_000;
const TRIES = 2;

/**
 * Resolves names with a dot by DNS itself: the machine's own way of it (`getaddrinfo`) takes one of few threads for as long as
 * a name server likes, which hashing and files need too. Names without a dot, which only the machine knows how to complete,
 * go that way. The hosts file does not count for names with a dot.
 * @param options.servers name servers as `address` or `address:port`; default: those of the machine.
 */
export function nameResolver(options: { readonly servers?: readonly string[] } = {}): NameResolver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (options.servers !== undefined) resolver.setServers(options.servers);
  return {
    resolve: async (host) => {
      if (!host.replace(/\.$/, '').includes('.'))
        return (await lookup(host, { all: true })).map(({ address }) => address);
      const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      const [first] = found;
      if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
      return addresses;
    },
  };
}
