import { TENANT_SETTING } from './postgresql-tenant-policy.ts';
import type { Reach } from './transactions.ts';

/** The driver's side of a connection, to which messages of the extended protocol are written. */
interface Wire {
  bind(message: { portal: string; statement: string; values: readonly unknown[] }): void;
  execute(message: { portal: string }): void;
}

/** What the driver makes of a statement: it writes the messages and gathers the answers. */
interface DriverQuery {
  prepare(wire: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
}

interface DriverStatement {
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly queryMode: 'extended';
  readonly callback: (error: Error | null, result?: unknown) => void;
}

type DriverQueryClass = new (statement: DriverStatement) => DriverQuery;

/** A connection of the driver. */
export interface DriverClient {
  query(text: unknown, values?: unknown, ...rest: unknown[]): unknown;
}

const SET_REACH = {
  name: 'bw_reach',
  text: `select set_config('${TENANT_SETTING}', $1, true)`,
};

const reaches = new WeakMap<readonly unknown[], Reach>();

/** Parameters like these, whose statement reaches the rows of `reach`. */
export function reachingFor(parameters: readonly unknown[], reach: Reach): readonly unknown[] {
  const bound = [...parameters];
  reaches.set(bound, reach);
  return bound;
}

/** The reach that was put on these parameters. */
export function reachOf(parameters: unknown): Reach | undefined {
  return Array.isArray(parameters) ? reaches.get(parameters) : undefined;
}

/** What a pool of the driver runs its statements by. */
export function boundStatementsOf(pool: { readonly Client: object }): BoundStatements {
  // The class of a client's statements is not in its declarations.
  return new BoundStatements(Reflect.get(pool.Client, 'Query') as DriverQueryClass);
}

/** Sends single statements together with the reach that they need. */
class BoundStatements {
  readonly #Query: DriverQueryClass;
  /** The statement that sets the reach, made ready on a connection. */
  readonly #ready = new WeakMap<DriverClient, Promise<unknown>>();

  constructor(Query: DriverQueryClass) {
    this.#Query = withReach(Query);
  }

  /** @param query the client's own way to run a statement. */
  async run(
    client: DriverClient,
    query: DriverClient['query'],
    statement: {
      readonly name?: string | undefined;
      readonly text: string;
      readonly values: readonly unknown[];
    },
  ): Promise<unknown> {
    let ready = this.#ready.get(client);
    if (ready === undefined) {
      ready = Promise.resolve(query({ ...SET_REACH, values: [''] }));
      this.#ready.set(client, ready);
      ready.catch(() => this.#ready.delete(client));
    }
    await ready;
    return new Promise((resolve, reject) => {
      query(
        new this.#Query({
          ...statement,
          queryMode: 'extended',
          callback: (error, result) => (error ? reject(error) : resolve(result)),
        }),
      );
    });
  }
}

/**
 * A statement in front of which the setting is written, before the one message that ends both: to the server they are one
 * transaction, and the setting ends with it. It takes one round trip.
 */
function withReach(Query: DriverQueryClass): DriverQueryClass {
  return class extends Query {
    readonly #reach: string;
    #isSet = false;

    constructor(statement: DriverStatement) {
      super(statement);
      this.#reach = String(reachOf(statement.values));
    }

    override prepare(wire: Wire): void {
      wire.bind({ portal: '', statement: SET_REACH.name, values: [this.#reach] });
      wire.execute({ portal: '' });
      super.prepare(wire);
    }

    override handleDataRow(message: unknown): void {
      if (this.#isSet) super.handleDataRow(message);
    }

    override handleCommandComplete(message: unknown, wire: Wire): void {
      if (this.#isSet) super.handleCommandComplete(message, wire);
      this.#isSet = true;
    }
  };
}
