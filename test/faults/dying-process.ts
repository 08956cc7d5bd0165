import type { Steps } from './killable.ts';

/** A simulated process. From its last step on, storage and gateway calls have no effect. */
export class DyingProcess implements Steps {
  #steps = 0;
  #diesAt: number;

  constructor(diesAt: number) {
    this.#diesAt = diesAt;
  }

  /** Steps tried so far, including the fatal one. */
  get steps(): number {
    return Math.min(this.#steps, this.#diesAt);
  }

  get isDead(): boolean {
    return this.#steps >= this.#diesAt;
  }

  /** Restarts the count and dies after so many steps. */
  dieIn(steps: number): void {
    this.#steps = 0;
    this.#diesAt = steps;
  }

  end(): void {
    this.#diesAt = 0;
  }

  step(): void {
    this.#steps += 1;
    if (this.isDead) throw new Error(DyingProcess.DEATH);
  }

  static readonly DEATH = 'this process is dead';
}
