import type { Problem } from '../../values/errors/index.ts';
import { MAX_LISTED_PROBLEMS } from '../../values/limits.ts';
import type { Locate } from '../model/parsed-version.ts';

/** A record of the content, a child element of it, or one of its repeated children. */
export type Place = readonly [record: object, child?: string, index?: number];

/** Collects what is wrong with one version, each with its line and column where the content came from a document. */
export class Findings {
  readonly #locate: Locate | null;
  readonly #errors: Problem[] = [];
  readonly #unbilled: Problem[] = [];
  readonly #warnings: Problem[] = [];
  #unlistedErrors = 0;

  constructor(locate: Locate | null) {
    this.#locate = locate;
  }

  /** Every error in the order found; those beyond the bound of the list are only counted. */
  get errors(): readonly Problem[] {
    if (this.#unlistedErrors === 0) return [...this.#errors];
    return [...this.#errors, { message: `and ${this.#unlistedErrors} more errors` }];
  }

  /** What V21 finds. */
  get unbilled(): readonly Problem[] {
    return [...this.#unbilled];
  }

  get warnings(): readonly Problem[] {
    return [...this.#warnings];
  }

  error(message: string, place: Place): void {
    if (this.#errors.length < MAX_LISTED_PROBLEMS) this.#errors.push(this.#problem(message, place));
    else this.#unlistedErrors += 1;
  }

  unbilledUsage(message: string, place: Place): void {
    if (this.#unbilled.length < MAX_LISTED_PROBLEMS) this.#unbilled.push(this.#problem(message, place));
  }

  warn(message: string, place: Place): void {
    if (this.#warnings.length < MAX_LISTED_PROBLEMS) this.#warnings.push(this.#problem(message, place));
  }

  #problem(message: string, place: Place): Problem {
    return { message, ...this.#locate?.(...place) };
  }
}
