import type { MovedRows, MovingTenant, RowChunk, RowDigest } from '../../ports/storage/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import { MOVE_ATTEMPTS, MOVE_LOGGED_ROWS } from '../../values/limits.ts';
import type { ProgressReport } from './move-progress.ts';

interface CopyParts {
  readonly source: MovingTenant;
  readonly target: MovingTenant;
  readonly report: ProgressReport;
}

/**
 * Compares the rows of the source and the target by checksum, and copies those that differ. No position has to be
 * stored, because a repeated call copies only the rows that still differ.
 */
export class RowCopy {
  readonly #source: MovingTenant;
  readonly #target: MovingTenant;
  readonly #report: ProgressReport;

  constructor({ source, target, report }: CopyParts) {
    this.#source = source;
    this.#target = target;
    this.#report = report;
  }

  /** Compares these tables and copies all rows that differ. Returns the chunks that differed. */
  async copyTables(tables: readonly string[]): Promise<readonly MovedRows[]> {
    const different: MovedRows[] = [];
    for (const table of tables) {
      for await (const rows of this.#differingChunks(table)) {
        await this.#copy(rows);
        different.push(rows);
      }
      this.#report.endTable();
    }
    return different;
  }

  async *#differingChunks(table: string): AsyncIterable<MovedRows> {
    const rangeOf = ({ after, upTo }: RowChunk) => ({ table, after, upTo });
    let after: string | null = null;
    do {
      const chunks: readonly RowChunk[] = await this.#source.chunks(table, after);
      const copied = await this.#target.digests(chunks.map(rangeOf));
      for (const [index, chunk] of chunks.entries()) {
        if (!isSame(chunk, copied[index])) yield rangeOf(chunk);
        this.#report.addRows(chunk.count);
      }
      after = chunks.at(-1)?.upTo ?? null;
    } while (after !== null);
  }

  /** Returns the rows that still differ. */
  async differing(compared: readonly MovedRows[]): Promise<readonly MovedRows[]> {
    const [there, here] = await Promise.all([this.#source.digests(compared), this.#target.digests(compared)]);
    return compared.filter((_, index) => !isSame(there[index], here[index]));
  }

  /** Copies the rows that were written since the log was started. Returns their keys by table. */
  async copyLogged(): Promise<readonly MovedRows[]> {
    const copied: MovedRows[] = [];
    for (;;) {
      const logged = await this.#source.logged(MOVE_LOGGED_ROWS);
      for (const [table, written] of Map.groupBy(logged, (row) => row.table)) {
        const rows = { table, keys: [...new Set(written.map(({ key }) => key))] };
        await this.#copy(rows);
        this.#report.addRows(rows.keys.length);
        copied.push(rows);
      }
      await this.#source.forgetLogged(logged.map(({ recordId }) => recordId));
      if (logged.length < MOVE_LOGGED_ROWS) return copied;
    }
  }

  /**
   * Copies rows. A row can conflict with the unique value of another row if the source has changed or deleted that row
   * since it was copied. The log then contains the other row. The other row can therefore be deleted here, and is
   * copied again with the log.
   */
  async #copy(rows: MovedRows) {
    for (let attempt = 1; attempt <= MOVE_ATTEMPTS; attempt += 1) {
      const batch = await this.#source.read(rows);
      if ((await this.#target.replace(rows, batch)) === 'REPLACED') return;
      const { table } = rows;
      await this.#target.replace({ table, keys: await this.#source.loggedKeys(table) }, null);
    }
    throw new InvariantError('Rows of the moving tenant conflict with other rows of the target', { ...rows });
  }
}

function isSame(one: RowDigest | undefined, other: RowDigest | undefined) {
  return one?.count === other?.count && one?.checksum === other?.checksum;
}
