/** How many statements a connection keeps planned: more than the engine has. */
const MAX_KEPT_STATEMENTS = 500;
/** How best to run a search by pattern depends on the pattern, so it is planned each time. */
const PATTERN = / like /;
/**
 * Name for rows whose common values are bound once. Which values are common differs from call to call, and so would the
 * texts; compared with the cost of many rows, planning their statement costs nothing.
 */
export const MANY_ROWS = 'many_rows';
/** In the text of a statement that joins what it is given with itself: which plan is best depends on how much that is. */
export const PLANNED_ANEW = '-- planned anew';
const isPlannedAnew = new RegExp(`${PATTERN.source}| as ${MANY_ROWS}\\(|${PLANNED_ANEW}`);

/**
 * The names under which the connections of a pool keep the plans of statements. Planning and reading the text took longer
 * than running the statement: ten years of one account, 7,500 small statements, take 2.1 s instead of 3.1. An invoice run
 * of 5,000 accounts, whose statements are large, shows no difference: 762 accounts/s against 731, medians of 8
 * alternating runs that spread by half. Only for a pool of our own. The texts are few, since lists are bound as one
 * parameter each.
 */
export class PreparedStatements {
  readonly #names = new Map<string, string>();

  /** The name of this text; undefined if its plan is not kept. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size === MAX_KEPT_STATEMENTS || isPlannedAnew.test(text))
      return known;
    const name = `bw_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
