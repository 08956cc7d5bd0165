import type { CallContext } from '../records/index.ts';
import { type ActivityPorts, asCall } from '../runtime/index.ts';
import { billingError, ErrorCode } from '../values/errors/index.ts';

/** The running calls of an engine. Rejects calls after `close`. */
export class Calls {
  readonly #ports: ActivityPorts;
  readonly #underWay = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(ports: ActivityPorts) {
    this.#ports = ports;
  }

  /** @throws BillingError BUSY (60018) when the engine has been closed. */
  check(): void {
    if (!this.#isClosed) return;
    throw billingError(ErrorCode.BUSY, 'This billing engine is closed. Open another one with Billing.open.');
  }

  /** @throws BillingError BUSY (60018) when the engine has been closed. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    this.check();
    const running = call();
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  /** Returns the operations, grouped or not, as calls of this engine. */
  of<O extends object>(operations: O, path = ''): O {
    const calls = Object.entries(operations).map(([name, value]) => [
      name,
      typeof value === 'function'
        ? async (...input: unknown[]) =>
            this.run(() => this.onBehalfOf(path + name, input[0], async () => value(...input)))
        : this.of(value as object, `${path}${name}.`),
    ]);
    return Object.freeze(Object.fromEntries(calls)) as O;
  }

  /** Runs an operation in the scope of its call if its first parameter is a context. */
  onBehalfOf<T>(name: string, first: unknown, work: () => Promise<T>): Promise<T> {
    return isContext(first) ? asCall(this.#ports, { name, context: first }, work) : work();
  }

  /** Rejects further calls; resolves when all running ones have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#underWay]);
  }
}

function isContext(value: unknown): value is CallContext {
  return typeof value === 'object' && value !== null && 'callOrigin' in value && 'userToken' in value;
}
