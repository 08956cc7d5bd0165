const MAX_KEPT_STATEMENTS = 500;
/** Searches by pattern are planned each time, because the best plan depends on the pattern. */
const PATTERN = / like /;
/** Alias of rows whose common values are bound once. Their statement varies and is not kept. */
export const MANY_ROWS = 'many_rows';
/** Marks statements whose best plan depends on the number of rows that they are given. */
export const PLANNED_AGAIN = '-- planned again';
const isPlannedAgain = new RegExp(`${PATTERN.source}| as ${MANY_ROWS}\\(|${PLANNED_AGAIN}`);

/**
 * Names the statements whose plans the connections of our own pool keep. Parsing and planning took longer than running:
 * ten years of one account, 7,500 small statements, take 2.1 s instead of 3.1 s. Large statements, as in an invoice
 * run, show no difference. There are few texts, because each list is one parameter.
 */
export class PreparedStatements {
  readonly #names = new Map<string, string>();

  /** Returns the name for a text, or undefined if its plan is not kept. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size === MAX_KEPT_STATEMENTS || isPlannedAgain.test(text))
      return known;
    const name = `bw_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
