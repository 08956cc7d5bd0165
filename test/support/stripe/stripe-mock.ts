import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { SentRequest } from './stripe-double.ts';

/** Stripe's own stateless `stripe-mock`, which validates requests against the API specification. */
export class StripeMock {
  readonly #process: ChildProcess;
  readonly #url: string;

  private constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.#url = url;
  }

  /** The installed binary, or `BILLWRIGHT_TEST_STRIPE_MOCK`; null without one. */
  static installed(): string | null {
    const named = process.env.BILLWRIGHT_TEST_STRIPE_MOCK;
    if (named !== undefined) return named;
    try {
      execFileSync('stripe-mock', ['-version'], { stdio: 'ignore' });
      return 'stripe-mock';
    } catch {
      return null;
    }
  }

  static async start(command: string): Promise<StripeMock> {
    const anyPort = '127.0.0.1:0';
    const child = spawn(command, ['-http-addr', anyPort, '-https-addr', anyPort], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface(child.stdout)) {
      const [, address] = /HTTP at address: ([\d.:]+)/.exec(line) ?? [];
      if (address === undefined) continue;
      child.stdout.resume();
      return new StripeMock(child, `http://${address}`);
    }
    throw new Error('stripe-mock has ended');
  }

  /** The validation error of the request; null if it is valid. */
  async refusalOf({ method, pathname, text }: SentRequest): Promise<string | null> {
    const isRead = method === 'GET';
    const response = await fetch(`${this.#url}${pathname}${isRead && text !== '' ? `?${text}` : ''}`, {
      method,
      headers: {
        authorization: 'Bearer sk_test_123',
        ...(!isRead && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(!isRead && { body: text }),
    });
    const answer = await response.text();
    return response.ok ? null : `${response.status} ${answer}`;
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    if (this.#process.kill('SIGTERM')) await ended;
  }
}
