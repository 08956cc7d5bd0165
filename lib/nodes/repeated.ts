import type { SystemClock } from '../ports/index.ts';

/** Work that comes again some time after it has ended, whether or not it has failed. */
export class Repeated {
  readonly #systemClock: SystemClock;
  readonly #everyMs: number;
  readonly #run: () => Promise<void>;
  readonly #failed: (error: unknown) => void;
  #stopped = false;
  #running: Promise<void> = Promise.resolve();
  #cancelTimer: (() => void) | undefined;

  constructor(
    systemClock: SystemClock,
    work: {
      readonly everyMs: number;
      readonly run: () => Promise<void>;
      readonly failed: (error: unknown) => void;
    },
  ) {
    this.#systemClock = systemClock;
    this.#everyMs = work.everyMs;
    this.#run = work.run;
    this.#failed = work.failed;
  }

  /** Begins at once. */
  start(): void {
    this.#running = this.#run()
      .catch(this.#failed)
      .finally(() => {
        if (this.#stopped) return;
        this.#cancelTimer = this.#systemClock.after(this.#everyMs, () => this.start());
      });
  }

  /** Resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#running;
  }
}
