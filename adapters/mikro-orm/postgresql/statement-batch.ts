/** The driver's side of a connection, which writes the messages of the extended protocol. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  readonly submittedNamedStatements: Record<string, string>;
  sync(): void;
}

/** The driver's statement, which writes the messages and gathers the results. */
interface DriverQuery {
  readonly name?: string | undefined;
  readonly text: string;
  /** The client sets this member for statements that are passed to the client itself. */
  readonly _result: { _types: unknown; addRow(row: unknown): void };
  prepare(wire: Wire): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
  handleError(error: Error, wire: Wire): void;
  handleReadyForQuery(wire: Wire): void;
}

export interface DriverResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: readonly unknown[];
}

/** A statement of a batch. The server does not keep the plan of a statement without a name. */
export interface BatchedStatement {
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
  /**
   * Receives each row when it arrives; the rows are then not gathered. The function must not throw, because the
   * connection would be lost.
   */
  readonly onRow?: ((row: unknown) => void) | undefined;
  readonly callback: (
    ...answer: [error: Error, result?: undefined] | [error: null, result: DriverResult]
  ) => void;
}

export interface DriverClient {
  /** Constructor of the client, which is missing from the type declarations of the driver's pool. */
  readonly constructor: unknown;
  /** Terminates the connection, so that pending statements fail with the error. */
  readonly connection: { readonly stream: { destroy(error: Error): void } };
  query(batch: StatementBatch): unknown;
  query(statement: Pick<BatchedStatement, 'name' | 'text' | 'values'>): Promise<DriverResult>;
}

/**
 * Sends the statements and calls each one's callback, after `whenAnswered`. After a failed statement, the remaining
 * ones fail.
 */
export type Send = (
  client: DriverClient,
  statements: readonly BatchedStatement[],
  whenAnswered: () => void,
) => void;

type DriverQueryClass = new (statement: BatchedStatement & { readonly queryMode: 'extended' }) => DriverQuery;

/** Sends the statements in one round trip, through the driver's internals. */
export const together: Send = (client, statements, whenAnswered) => {
  client.query(new StatementBatch(client, statements, whenAnswered));
};

/** Sends each statement in its own round trip, through the driver's public interface. */
export const oneByOne: Send = (client, statements, whenAnswered) => {
  void resultsOf(client, statements).then(({ results, failure }) => {
    whenAnswered();
    for (const [index, { onRow, callback }] of statements.entries()) {
      const result = results[index];
      if (result === undefined) callback(failure as Error);
      else {
        if (onRow) result.rows.forEach(onRow);
        callback(null, result);
      }
    }
  });
};

async function resultsOf(client: DriverClient, statements: readonly BatchedStatement[]) {
  const results: DriverResult[] = [];
  try {
    for (const { name, text, values } of statements) results.push(await client.query({ name, text, values }));
    return { results };
  } catch (failure) {
    return { results, failure };
  }
}

/**
 * Statements that travel in one round trip, because the system calls and context switches of a round trip cost more
 * than a small statement. The driver's own pipeline ends each statement separately. That takes at least a fifth
 * longer and would store statements that follow a failed `begin`.
 */
class StatementBatch {
  readonly #queries: readonly DriverQuery[];
  readonly #whenAnswered: () => void;
  /** Index of the statement whose result is arriving. */
  #current = 0;

  /** @param whenAnswered function that runs before the callbacks of the statements. */
  constructor(client: DriverClient, statements: readonly BatchedStatement[], whenAnswered: () => void) {
    this.#whenAnswered = whenAnswered;
    const Query = Reflect.get(client.constructor as object, 'Query') as DriverQueryClass;
    this.#queries = statements.map((statement) => {
      const query = new Query({ ...statement, queryMode: 'extended' });
      // The client's type parsers decode the values.
      query._result._types = client;
      if (statement.onRow) query._result.addRow = statement.onRow;
      return query;
    });
  }

  /** The name of the statement, from which the driver tracks which statements are prepared. */
  get name(): string | undefined {
    return this.#query?.name;
  }

  get text(): string | undefined {
    return this.#query?.text;
  }

  submit(wire: Wire): null {
    // Otherwise each statement would end its own group.
    const open: Wire = Object.create(wire, { sync: { value: () => undefined } });
    wire.stream.cork();
    for (const query of this.#queries) query.prepare(open);
    wire.sync();
    wire.stream.uncork();
    return null;
  }

  handleRowDescription(message: unknown): void {
    this.#query?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#query?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, wire: Wire): void {
    this.#query?.handleCommandComplete(message, wire);
    this.#current += 1;
  }

  handleError(error: Error, wire: Wire): void {
    this.#whenAnswered();
    for (const [index, query] of this.#queries.entries()) {
      if (index < this.#current) query.handleReadyForQuery(wire);
      else {
        if (query.name !== undefined) delete wire.submittedNamedStatements[query.name];
        query.handleError(error, wire);
      }
    }
  }

  handleReadyForQuery(wire: Wire): void {
    this.#whenAnswered();
    for (const query of this.#queries) query.handleReadyForQuery(wire);
  }

  get #query(): DriverQuery | undefined {
    return this.#queries[this.#current];
  }
}

const MAX_KEPT_STATEMENTS = 500;
/** Matches searches by pattern, which are planned each time because the best plan depends on the pattern. */
const PATTERN = / like /;
/** Alias of rows whose common values are bound once. The statement varies, so its plan is not kept. */
export const MANY_ROWS = 'many_rows';
/** Marks statements whose best plan depends on the number of their rows. */
export const PLANNED_AGAIN = '-- planned again';
const isPlannedAgain = new RegExp(`${PATTERN.source}| as ${MANY_ROWS}\\(|${PLANNED_AGAIN}`);

/**
 * Names the statements whose plans the connections of the engine's pool keep, because parsing and planning took
 * longer than running. Ten years of one account (7,500 small statements) take 2.1 s instead of 3.1 s. Large
 * statements, as in an invoice run, show no difference. There are few texts, because each list is one parameter.
 */
export class PreparedStatements {
  readonly #names = new Map<string, string>();

  /** Returns the name for a statement, or undefined if its plan is not kept. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size === MAX_KEPT_STATEMENTS || isPlannedAgain.test(text))
      return known;
    const name = `bw_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
