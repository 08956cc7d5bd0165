import type { Steps } from './killable.ts';

/** Within one process of tests, one that dies: from a step on, nothing that it asks of storage or gateway happens. */
export class DyingProcess implements Steps {
  #steps = 0;
  #diesAt: number;

  constructor(diesAt: number) {
    this.#diesAt = diesAt;
  }

  /** Steps that it has tried, the one that it died at included. */
  get steps(): number {
    return Math.min(this.#steps, this.#diesAt);
  }

  get isDead(): boolean {
    return this.#steps >= this.#diesAt;
  }

  /** Counts anew, and dies so many steps from now. */
  dieIn(steps: number): void {
    this.#steps = 0;
    this.#diesAt = steps;
  }

  /** Dies now. */
  end(): void {
    this.#diesAt = 0;
  }

  step(): void {
    this.#steps += 1;
    if (this.isDead) throw new Error(DyingProcess.DEATH);
  }

  static readonly DEATH = 'this process is dead';
}
