import { lookup, Resolver } from 'node:dns/promises';
import type { ClientRequest, IncomingMessage, Agent as NodeHttpAgent } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { NameResolver, PushAnswer, PushRequest, PushSender } from '../../lib/ports/index.ts';
import { productVersion } from './product-version.ts';

// A named import would load all of `node:http`, including fetch, into every process.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

/** Milliseconds after which an idle connection is closed. */
const KEPT_MS = 4_000;
const KEPT_CONNECTIONS = 100;

/** Maximum number of bytes that are read from a response. If the response is longer, the connection is closed. */
const READ_BYTES = 64 * 1_024;
const READ_MS = 1_000;

/**
 * The verified addresses for a call. Together with host and port, they identify the connections that the call may use.
 */
interface Pinned {
  readonly pinned?: string;
}

/**
 * Makes an agent reuse a connection only for the same verified addresses. Limits the number of idle connections across
 * all hosts, because a tenant can register many callbacks.
 */
function pinConnections<A extends NodeHttpAgent>(agent: A): A {
  const [getName, keepSocketAlive] = [agent.getName.bind(agent), agent.keepSocketAlive.bind(agent)];
  return Object.assign(agent, {
    getName: (...[options]: Parameters<typeof getName>) =>
      `${getName(options)}|${(options as Pinned | undefined)?.pinned ?? ''}`,
    keepSocketAlive(...of: Parameters<typeof keepSocketAlive>): boolean {
      const isKept: unknown = keepSocketAlive(...of);
      const kept = Object.values(agent.freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
      return isKept !== false && kept < KEPT_CONNECTIONS;
    },
  });
}

/** The agents and settings of a sender. */
interface Means {
  readonly agents: { readonly http: NodeHttpAgent; readonly https: HttpsAgent };
  readonly userAgent: string;
  readonly ca: string | undefined;
}

/**
 * Returns a sender of pushes over HTTP (platform §10.2). The sender connects only to the given addresses, follows no
 * redirect, uses no proxy and reads only the status. An attempt lasts until its connection is free or closed, at most
 * a second after the head of the response, so there are no more connections than attempts. Pushes are signed by
 * Standard Webhooks (platform §10.3).
 * @param options.ca trusted certificates instead of Node's.
 * @param options.resolver resolves host names; defaults to `nameResolver()`.
 */
export function httpPushSender(
  options: { readonly ca?: string; readonly resolver?: NameResolver } = {},
): PushSender {
  const resolver = options.resolver ?? nameResolver();
  const kept = { keepAlive: true, timeout: KEPT_MS };
  const agents = { http: pinConnections(new HttpAgent(kept)), https: pinConnections(new HttpsAgent(kept)) };
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

function post(push: PushRequest, { agents, userAgent, ca }: Means): Promise<PushAnswer> {
  const { url, addresses, body, timeoutMs } = push;
  const isSecure = url.protocol === 'https:';
  const inTime = AbortSignal.timeout(timeoutMs);
  const options: RequestOptions & Pinned = {
    method: 'POST',
    headers: headersOf(push, userAgent),
    agent: isSecure ? agents.https : agents.http,
    lookup: createPinnedLookup(addresses),
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
      reject(new Error('The receiver requested a protocol upgrade'));
    });
    // The connection is now closed or free for another push.
    sent.once('close', () => {
      if (status !== undefined) resolve({ status });
      else reject(new Error('The connection was closed without a response'));
    });
    sent.on('error', (error) => {
      // An error after the response headers has no effect, because only the status is used.
      if (status === undefined)
        reject(inTime.aborted ? new Error(`No response within ${timeoutMs / 1_000} s`) : error);
    });
    sent.end(body);
  });
}

/**
 * Reads a short response completely, so that the connection can be reused. If the response is long or slow, closes the
 * connection.
 */
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
  const at = new Date(timestampSec * 1_000);
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, at, body));
  return {
    'Content-Type': 'application/json; charset=UTF-8',
    'Content-Length': Buffer.byteLength(body),
    'User-Agent': userAgent,
    'webhook-id': id,
    'webhook-timestamp': String(timestampSec),
    // The header contains one signature per secret. Receivers accept any of them.
    ...(signatures.length === 0 ? {} : { 'webhook-signature': signatures.join(' ') }),
  };
}

/** Returns a lookup function that finds only the verified addresses. */
function createPinnedLookup(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (host, options, answer) => {
    const [first] = found;
    if (first === undefined) answer(new Error(`The host ${host} has no address`), '', 4);
    else if (options.all) answer(null, found);
    else answer(null, first.address, first.family);
  };
}

/** Time limit of a DNS query in milliseconds, and the number of attempts per name server. */
const TIMEOUT_MS = 3_000;
const TRIES = 2;

/**
 * Returns a resolver that uses DNS for names with a dot. For these names, it does not use `getaddrinfo`, which blocks
 * one of the few threads that hashing and files need. Therefore, it ignores the hosts file for these names. For names
 * without a dot, it uses `getaddrinfo`, which can complete them.
 * @param options.servers name servers as `address` or `address:port`. Defaults to the name servers of the machine.
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
