import type { PaymentGateway } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';

/** Called at each step, and may end the process. */
export interface Steps {
  step(call?: string): void;
}

/** Counts the steps of a process and kills it at the chosen one, like `kill -9`. */
export class KillSwitch implements Steps {
  readonly #killAt: number;
  readonly #purchases: number[] = [];
  #steps = 0;

  constructor(killAt: number) {
    this.#killAt = killAt;
  }

  get steps(): number {
    return this.#steps;
  }

  /** The steps right before and after each purchase. */
  get purchases(): readonly number[] {
    return this.#purchases;
  }

  step(call?: string): void {
    this.#steps += 1;
    if (call === 'purchase') this.#purchases.push(this.#steps);
    if (this.#steps === this.#killAt) process.kill(process.pid, 'SIGKILL');
  }
}

/** The storage with a step before and after each call, including sessions and repositories. */
export function killableStorage(storage: Storage<never>, kill: Steps): Storage<never> {
  const sessionCall =
    <S extends object, T>(work: (session: S) => Promise<T>) =>
    (session: S): Promise<T> =>
      work(stepping(session, kill));
  return {
    ...stepping(storage, kill),
    queue: stepping(storage.queue, kill),
    system: stepping(storage.system, kill),
    singleNode: storage.singleNode,
    onCommit: (listener) => storage.onCommit(listener),
    onChange: (listener) => storage.onChange(listener),
    read: async (tenant, work) => stepAround(kill, () => storage.read(tenant, sessionCall(work))),
    readInOneStatement: async (tenant, work) =>
      stepAround(kill, () => storage.readInOneStatement(tenant, sessionCall(work))),
    readText: async (tenant, work) =>
      stepAround(kill, () => storage.readText(tenant, async (session, write) => work(session, write))),
    write: async (tenant, authorship, work) =>
      stepAround(kill, () => storage.write(tenant, authorship, sessionCall(work))),
    takePaymentNumber: async (tenant) => stepAround(kill, () => storage.takePaymentNumber(tenant)),
    drawQuota: async (tenant, draw) => stepAround(kill, () => storage.drawQuota(tenant, draw)),
    recordUsage: async (tenant, submissions) =>
      stepAround(kill, () => storage.recordUsage(tenant, submissions)),
    within: (host) => storage.within(host),
    prepare: (policy) => storage.prepare(policy),
    close: () => storage.close(),
  };
}

/** The gateway with a step before and after each call. */
export function killableGateway(gateway: PaymentGateway, kill: Steps): PaymentGateway {
  return stepping(gateway, kill);
}

async function stepAround<T>(kill: Steps, work: () => Promise<T>): Promise<T> {
  kill.step();
  const result = await work();
  kill.step();
  return result;
}

function stepping<T extends object>(target: T, kill: Steps): T {
  return new Proxy(target, {
    get(object, property) {
      const value: unknown = Reflect.get(object, property, object);
      if (typeof value === 'function') {
        return (...args: unknown[]) => {
          kill.step(String(property));
          const result: unknown = Reflect.apply(value, object, args);
          if (!(result instanceof Promise)) return result;
          return result.then((resolved) => {
            kill.step(String(property));
            return resolved;
          });
        };
      }
      return isRepository(value) ? stepping(value, kill) : value;
    },
  });
}

/** Returns true for repositories, which are objects with methods, not for records. */
function isRepository(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Map)
    return false;
  return (
    Object.getPrototypeOf(value) !== Object.prototype ||
    Object.values(value).every((each) => typeof each === 'function')
  );
}
