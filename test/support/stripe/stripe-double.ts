import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listenOnOwnPort } from '../own-port.ts';
import { type Bank, fail, succeed } from './payment-intents.ts';
import { StripeBooks, type StripeEvent } from './stripe-books.ts';
import { type Endpoint, endpoints } from './stripe-endpoints.ts';
import type { FormObject, IntentObject } from './stripe-objects.ts';
import { invalid, listIn, missing, readForm, StripeRefusal, unexpectedState } from './stripe-objects.ts';

export const API_KEY = 'sk_test_double';
export const WEBHOOK_SECRET = 'whsec_double';

/** Stripe keeps idempotency keys for at least 24 hours. The double uses the minimum. */
const KEY_KEPT_MS = 24 * 3_600_000;

export type Fault = 'NONE' | 'ANSWER_LOST' | 'SERVER_ERROR' | 'RATE_LIMITED' | 'HANGS';

export interface SentRequest {
  readonly method: string;
  readonly pathname: string;
  /** The form or the query. */
  readonly text: string;
  readonly idempotencyKey?: string | undefined;
}

interface Reply {
  readonly status: number;
  readonly body: string;
}

interface KeptReply {
  readonly request: string;
  readonly madeMs: number;
  readonly reply: Promise<Reply | null>;
}

/** A stateful double of Stripe's documented API, with idempotency keys, delayed search and strict parameters. */
export class StripeDouble {
  readonly books = new StripeBooks();
  bank: Bank = 'BY_METHOD';
  fault: Fault = 'NONE';
  /** Runs before a payment intent is canceled. */
  onCancel: (() => void) | null = null;
  readonly requests: SentRequest[] = [];
  readonly #keys = new Map<string, KeptReply>();
  readonly #server: Server = createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) => {
      // A bug of the double itself shows in the response.
      send(response, {
        status: 501,
        body: JSON.stringify({ error: { type: 'api_error', message: String(error) } }),
      });
    });
  });
  readonly #agent = new Agent({ keepAlive: false });
  #port = 0;

  async start(): Promise<void> {
    if (this.#port === 0) {
      this.#port = await listenOnOwnPort(this.#server);
      return;
    }
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Goes offline. `start` brings it back at the same address with its data. */
  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  get client() {
    return {
      host: '127.0.0.1',
      port: this.#port,
      protocol: 'http',
      httpAgent: this.#agent,
      telemetry: false,
    } as const;
  }

  /** How often money was moved, promised or refunded for the transaction. */
  effectsOf(transactionId: string): number {
    const { intents, refunds, setups } = this.books;
    const carries = ({ metadata }: { readonly metadata: Record<string, string> }) =>
      metadata.billwright_transaction === transactionId;
    const mark = transactionId.replaceAll('-', '');
    const moved = [...intents.values()].filter((each) => carries(each) && each.latest_charge !== null);
    const changed = [...intents.values()].filter(
      ({ metadata, status, amount_received: received }) =>
        (metadata[`capture-${mark}`] !== undefined && received > 0) ||
        (metadata[`void-${mark}`] !== undefined && status === 'canceled'),
    );
    const back = [...refunds.values()].filter((each) => carries(each) && each.status !== 'failed');
    const checked = [...setups.values()].filter((each) => carries(each) && each.status === 'succeeded');
    return moved.length + changed.length + back.length + checked.length;
  }

  intentOf(transactionId: string): IntentObject {
    const intents = [...this.books.intents.values()];
    const intent = intents.find(({ metadata }) => metadata.billwright_transaction === transactionId);
    if (intent === undefined) throw missing('payment_intent', transactionId);
    return intent;
  }

  /** Completes a pending payment. After a decline, the customer may retry with the same secret. */
  settle(transactionId: string, how: 'SUCCEEDS' | 'FAILS' = 'SUCCEEDS'): void {
    const intent = this.intentOf(transactionId);
    if (intent.status === 'canceled')
      throw unexpectedState(
        `You cannot confirm this PaymentIntent because it has a status of ${intent.status}.`,
      );
    if (how === 'SUCCEEDS') succeed(this.books, intent, { multicapture: false });
    else fail(this.books, intent, ['card_declined', 'insufficient_funds']);
  }

  /** The latest event of that type as sent. */
  notification(type: string): {
    readonly rawBody: string;
    readonly headers: Readonly<Record<string, string>>;
  } {
    const event = this.books.events.findLast((each) => each.type === type);
    if (event === undefined) throw new Error(`Stripe sent no ${type}`);
    return signed(event);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request;
    const { pathname, search } = new URL(request.url ?? '', 'http://double');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = method === 'GET' ? search.slice(1) : Buffer.concat(chunks).toString();
    const key = headers['idempotency-key'];
    const idempotencyKey = typeof key === 'string' ? key : undefined;
    this.requests.push({ method, pathname, text, idempotencyKey });
    const fault = method === 'POST' ? this.fault : 'NONE';
    if (fault === 'HANGS') return;
    if (fault === 'RATE_LIMITED') {
      const body = { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests' };
      send(response, { status: 429, body: JSON.stringify({ error: body }) });
      return;
    }
    const work = () =>
      this.#reply({ method, pathname, text, isKnown: headers.authorization === `Bearer ${API_KEY}` });
    const { reply, isReplay } =
      method === 'POST' && idempotencyKey !== undefined
        ? await this.#once(idempotencyKey, `${pathname}?${text}`, work)
        : { reply: (await work()).reply, isReplay: false };
    if (fault === 'ANSWER_LOST') response.destroy();
    else if (fault === 'SERVER_ERROR') send(response, { status: 500, body: SERVER_ERROR });
    else send(response, reply, isReplay ? { 'idempotent-replayed': 'true' } : {});
  }

  /** Replays the first result of a key, unless the endpoint rejected the request before it started. */
  async #once(key: string, request: string, work: () => Promise<{ reply: Reply; isKept: boolean }>) {
    const known = this.#keys.get(key);
    if (known !== undefined && known.madeMs + KEY_KEPT_MS > this.books.nowMs()) {
      if (known.request !== request) return { reply: OTHER_REQUEST, isReplay: false };
      const reply = await known.reply;
      if (reply !== null) return { reply, isReplay: true };
    }
    const done = work();
    const kept = done.then(({ reply, isKept }) => (isKept ? reply : null));
    this.#keys.set(key, { request, madeMs: this.books.nowMs(), reply: kept });
    const { reply, isKept } = await done;
    if (!isKept) this.#keys.delete(key);
    return { reply, isReplay: false };
  }

  async #reply(incoming: {
    readonly method: string;
    readonly pathname: string;
    readonly text: string;
    readonly isKnown: boolean;
  }): Promise<{ reply: Reply; isKept: boolean }> {
    try {
      if (!incoming.isKnown) throw INVALID_KEY();
      const { endpoint, id } = endpointOf(incoming.method, incoming.pathname);
      if (incoming.method === 'POST' && incoming.pathname.endsWith('/cancel')) this.onCancel?.();
      const form = readForm(incoming.text);
      const unknown = Object.keys(form).find((name) => !endpoint.takes.includes(name));
      if (unknown !== undefined)
        throw invalid(`Received unknown parameter: ${unknown}`, {
          code: 'parameter_unknown',
          param: unknown,
        });
      const answer = endpoint.run({ books: this.books, id, form, bank: this.bank });
      const body = JSON.stringify(this.#shown(answer, form));
      return { reply: { status: 200, body }, isKept: true };
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error;
      const reply = { status: error.status, body: JSON.stringify({ error: error.body }) };
      return { reply, isKept: error.isKept };
    }
  }

  /** Related objects are ids unless expanded. */
  #shown(answer: object, form: FormObject): object {
    const expand = listIn(form, 'expand').map((name) => String(name).replace(/^data[.]/, ''));
    const whole = (object: Record<string, unknown>): object => {
      const { behaviour: _, spent: __, ...shown } = object;
      const charge = expand.includes('latest_charge') && this.books.charges.get(String(object.latest_charge));
      const intent =
        expand.includes('payment_intent') && this.books.intents.get(String(object.payment_intent));
      return {
        ...shown,
        ...(charge && { latest_charge: charge }),
        ...(intent && { payment_intent: intent }),
      };
    };
    const { data } = answer as { readonly data?: readonly Record<string, unknown>[] };
    return data === undefined ? whole({ ...answer }) : { ...answer, data: data.map(whole) };
  }
}

/** Signed with the endpoint's secret, as in Stripe's documentation for manual verification. */
export function signed(
  event: StripeEvent,
  { secret = WEBHOOK_SECRET, ageSeconds = 0 } = {},
): { readonly rawBody: string; readonly headers: Readonly<Record<string, string>> } {
  const rawBody = JSON.stringify(event, null, 2);
  const at = Math.floor(Date.now() / 1_000) - ageSeconds;
  const signature = createHmac('sha256', secret).update(`${at}.${rawBody}`).digest('hex');
  return { rawBody, headers: { 'stripe-signature': `t=${at},v1=${signature}` } };
}

function endpointOf(method: string, pathname: string): { readonly endpoint: Endpoint; readonly id: string } {
  const parts = pathname.split('/');
  for (const endpoint of endpoints) {
    if (endpoint.method !== method) continue;
    const names = endpoint.path.split('/');
    if (names.length !== parts.length) continue;
    if (!names.every((name, index) => name === ':id' || name === parts[index])) continue;
    return { endpoint, id: parts[names.indexOf(':id')] ?? '' };
  }
  throw new StripeRefusal(
    404,
    { type: 'invalid_request_error', message: `Unrecognized request URL (${method}: ${pathname})` },
    { isKept: false },
  );
}

function send(response: ServerResponse, { status, body }: Reply, more: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_double', ...more });
  response.end(body);
}

const INVALID_KEY = () =>
  new StripeRefusal(
    401,
    { type: 'invalid_request_error', message: 'Invalid API Key provided' },
    { isKept: false },
  );
const OTHER_REQUEST: Reply = {
  status: 400,
  body: JSON.stringify({
    error: {
      type: 'idempotency_error',
      message:
        'Keys for idempotent requests can only be used with the same parameters they were first used with.',
    },
  }),
};
const SERVER_ERROR = JSON.stringify({ error: { type: 'api_error', message: 'An unknown error occurred' } });
