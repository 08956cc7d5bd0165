import { Lines } from '../../values/documents/index.ts';
import { BillingError, ErrorCode, type Problem, problemText } from '../../values/errors/index.ts';
import { MAX_LISTED_PROBLEMS } from '../../values/limits.ts';

/** Collects all that is wrong with one document, each with its line and column. */
export class Findings {
  readonly #lines: Lines;
  readonly #found: { readonly at: number; readonly message: string }[] = [];
  #subject = '';
  #unlisted = 0;

  constructor(document: string) {
    this.#lines = new Lines(document);
  }

  /** In the order of the document. */
  get problems(): readonly Problem[] {
    const listed = this.#found
      .toSorted((one, other) => one.at - other.at)
      .map(({ at, message }) => ({ message, ...this.#lines.at(at) }));
    return this.#unlisted === 0 ? listed : [...listed, { message: `and ${this.#unlisted} more errors` }];
  }

  get count(): number {
    return this.#found.length + this.#unlisted;
  }

  add(at: number, message: string): void {
    if (this.#found.length < MAX_LISTED_PROBLEMS) this.#found.push({ at, message: this.#subject + message });
    else this.#unlisted += 1;
  }

  /** What is found during the work is said of the subject. */
  about<T>(subject: string, work: () => T): T {
    const before = this.#subject;
    this.#subject = `${subject}: `;
    try {
      return work();
    } finally {
      this.#subject = before;
    }
  }
}

/** The error for a configuration that is refused, with every problem found (§1.3). */
export function invalidOverdueConfig(problems: readonly Problem[]): BillingError {
  return new BillingError({
    code: ErrorCode.OVERDUE_INVALID_FOR_TENANT,
    message: `Invalid overdue configuration: ${problems.map(problemText).join('; ')}`,
    problems,
  });
}
