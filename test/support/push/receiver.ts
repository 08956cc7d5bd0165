import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface Arrived {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly id: string;
  readonly event: {
    readonly eventType: string;
    readonly accountId: string | null;
    readonly objectType: string;
    readonly objectId: string | null;
    readonly metaData: string | null;
  };
}

/** Answers a push, with 200 by default. */
export type Answering = (response: ServerResponse, arrived: Arrived) => void;

/** A real local HTTP server that keeps the pushes it receives. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly arrived: readonly Arrived[];
  /** Most pushes answered at the same time. */
  readonly mostAtATime: number;
  /** Sets the answer: a status or a function. */
  answer(how: number | Answering): void;
  /** Event types in order of arrival, without those of the tenant. */
  typesOf(accountId?: string): readonly string[];
  close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const arrived: Arrived[] = [];
  let answering: Answering = (response) => response.end();
  let [atATime, mostAtATime] = [0, 0];
  const server = createServer((request, response) => {
    atATime += 1;
    mostAtATime = Math.max(mostAtATime, atATime);
    response.once('close', () => {
      atATime -= 1;
    });
    void read(request).then((push) => {
      arrived.push(push);
      answering(response, push);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/cb`,
    port,
    arrived,
    get mostAtATime() {
      return mostAtATime;
    },
    answer: (how) => {
      answering = typeof how === 'function' ? how : (response) => response.writeHead(how).end();
    },
    typesOf: (accountId) =>
      arrived
        .filter(({ event }) =>
          accountId === undefined ? event.accountId !== null : event.accountId === accountId,
        )
        .map(({ event }) => event.eventType),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(request: IncomingMessage): Promise<Arrived> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return {
    path: request.url ?? '',
    headers: request.headers,
    text,
    id: String(request.headers['webhook-id']),
    event: JSON.parse(text) as Arrived['event'],
  };
}

/** Verifies the signature with the library's verifier. */
export function isSignedWith(secret: string, { text, headers }: Arrived): boolean {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
