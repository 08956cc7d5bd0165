import type { Uuid } from '../../../lib/index.ts';
import type { TestDatabase } from '../databases.ts';
import type { AccountFacts } from './account-facts.ts';
import { linesOf, shortDate } from './account-lines.ts';
import { eventsOfAccount, lastWritten, pendingChecks } from './overdue-rows.ts';

/** Time of day at which the stories' account was made, hence of all that its dates bring. */
const TIME_OF_DAY = 'T00:03:42Z';
const DAY_MS = 86_400_000;
/** Lines that nothing else takes the place of: items, tries, blocks and rows of the timeline. */
const STAYS = /: | blocks | by /;

export interface ChronicleOptions {
  readonly database: TestDatabase;
  readonly accountId: Uuid;
  /** Reads the account: by the library or over HTTP. */
  readonly read: () => Promise<AccountFacts>;
  /** Moves the clock and lets what is due be done. */
  readonly runTo: (when: string) => Promise<void>;
  /** Whether the events that were told are listed too; default true. */
  readonly withEvents?: boolean;
}

/** What happens to an account, in lines: each day that brings nothing is missing. */
export class Chronicle {
  readonly #options: ChronicleOptions;
  #known: ReadonlySet<string> = new Set();
  #eventsSeen = 0;
  #mark = '';

  constructor(options: ChronicleOptions) {
    this.#options = options;
  }

  /** Lives through the days from the first to the last, both included, each at the time of day of the account. */
  async days(first: string, last: string): Promise<readonly string[]> {
    const lines: string[] = [];
    for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) {
      const day = new Date(at).toISOString().slice(0, 10);
      await this.#options.runTo(`${day}${TIME_OF_DAY}`);
      if (at < Date.parse(last) && !(await this.#isWritten())) continue;
      lines.push(...(await this.news()).map((line) => `${shortDate(day)} ${line}`));
    }
    return lines;
  }

  /** Whether anything at all was written since the last look; a day without it has no news, and reading costs much. */
  async #isWritten(): Promise<boolean> {
    const mark = await lastWritten(this.#options.database);
    const isWritten = mark !== this.#mark;
    this.#mark = mark;
    return isWritten;
  }

  /** What is new since the last look. */
  async news(): Promise<readonly string[]> {
    const { database, accountId, read, withEvents = true } = this.#options;
    const checks = await pendingChecks(database, accountId);
    const check = checks.length === 0 ? 'no check' : `check ${checks.map(shortDate).join(' and ')}`;
    const lines = [...linesOf(await read()), check];
    const known = this.#known;
    this.#known = new Set(lines);
    const gone = [...known].filter((line) => STAYS.test(line) && !this.#known.has(line));
    const news = [...lines.filter((line) => !known.has(line)), ...gone.map((line) => `no longer: ${line}`)];
    const events = (await eventsOfAccount(database, accountId)).map(({ topic }) => topic);
    const fresh = events.slice(this.#eventsSeen).toSorted();
    this.#eventsSeen = events.length;
    return withEvents && fresh.length > 0 ? [...news, `told ${fresh.join(' ')}`] : news;
  }
}
