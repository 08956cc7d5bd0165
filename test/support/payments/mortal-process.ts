import type { PaymentGateway } from '../../../lib/index.ts';
import type { Storage } from '../../../lib/ports/storage/index.ts';

/** Where a process dies: before its next commit, at a gateway call, or right after a commit. */
export const DeathPoint = {
  BEFORE_RESERVE: 'death before the reservation',
  AFTER_RESERVE: 'death after the reservation',
  DURING_CALL: 'death during the gateway call',
  AFTER_CALL: 'death after the gateway call',
  AFTER_RECORD: 'death after recording',
} as const;
export type DeathPoint = (typeof DeathPoint)[keyof typeof DeathPoint];

/** A process that dies at its point. After that, its storage and gateway calls have no effect. */
export class MortalProcess {
  readonly #deathPoint: DeathPoint | null;
  #isDead = false;
  #hasCalled = false;
  #hasSuccessor = false;

  constructor(deathPoint: DeathPoint | null) {
    this.#deathPoint = deathPoint;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Lets another process call the gateway. This one stays dead to the storage. */
  succeeded(): void {
    this.#hasSuccessor = true;
  }

  storage(storage: Storage<never>): Storage<never> {
    const write: Storage<never>['write'] = async (tenant, authorship, work) => {
      this.#dieAt(DeathPoint.BEFORE_RESERVE);
      this.#dieAt(this.#hasCalled ? DeathPoint.AFTER_CALL : null);
      const result = await storage.write(tenant, authorship, work);
      this.#dieAt(this.#hasCalled ? DeathPoint.AFTER_RECORD : DeathPoint.AFTER_RESERVE);
      return result;
    };
    return new Proxy(this.#guarded(storage), {
      get: (target, property) => {
        if (property === 'write') return write;
        if (property === 'queue') return this.#guarded(storage.queue);
        return Reflect.get(target, property, target);
      },
    });
  }

  gateway(gateway: PaymentGateway): PaymentGateway {
    return {
      ...gateway,
      purchase: async (request, context) => {
        if (this.#hasSuccessor) return gateway.purchase(request, context);
        this.#hasCalled = true;
        this.#alive();
        const answer = gateway.purchase(request, context);
        this.#dieAt(DeathPoint.DURING_CALL);
        return answer;
      },
    };
  }

  #dieAt(point: DeathPoint | null): void {
    if (point !== null && point === this.#deathPoint) this.#isDead = true;
    this.#alive();
  }

  #alive(): void {
    if (this.#isDead) throw new Error('this process is dead');
  }

  #guarded<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, property) => {
        const value: unknown = Reflect.get(object, property, object);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          this.#alive();
          return Reflect.apply(value, object, args);
        };
      },
    });
  }
}
