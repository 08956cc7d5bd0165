import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { migrate, type PostgresqlHost, postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';

/** A server of the cluster. */
export interface ClusterNode {
  readonly host: string;
  readonly port: number;
}

/** A Citus database, by the URL of its coordinator. */
export class Cluster {
  readonly #url: string;
  readonly #administratorUrl: string;
  #statements = 0;

  /** @param administratorUrl connects as a superuser. */
  constructor(url: string, administratorUrl: string) {
    this.#url = url;
    this.#administratorUrl = administratorUrl;
  }

  /** Number of statements that the storages have sent. */
  get statements(): number {
    return this.#statements;
  }

  /** Runs the statement of the operators' page that leaves moves of tables to superusers. */
  async leaveMovesToSuperusers(): Promise<void> {
    const page = await readFile(new URL('../../adapters/cli/CELLS.md', import.meta.url), 'utf8');
    const [, statement] = /```sql\n(.*?)```/s.exec(page) ?? [];
    await this.query(statement ?? '', [], this.#administratorUrl);
    const copied = `select citus_schema_move('public', '', 0, 'block_writes')`;
    const refusal = await this.query(copied).catch((error: Error) => error.message);
    if (refusal !== 'permission denied for function citus_schema_move')
      throw new Error(`The role of the engine may move tables: ${String(refusal)}`);
  }

  /** Removes the schema, and creates it with the current tables. */
  async createSchema(schema: string): Promise<void> {
    await this.dropSchema(schema);
    await migrate(this.#urlOf(schema));
  }

  async dropSchema(schema: string): Promise<void> {
    await this.query(`drop schema if exists ${schema} cascade`);
  }

  storageOf(schema: string): Storage<PostgresqlHost> {
    return postgresql({
      url: this.#urlOf(schema),
      trace: () => {
        this.#statements += 1;
      },
    });
  }

  /** Returns a connected client, such as a host application has. */
  async connect(schema: string): Promise<Client> {
    const client = new Client({ connectionString: this.#urlOf(schema) });
    await client.connect();
    return client;
  }

  async query(statement: string, values: readonly unknown[] = [], connectionString = this.#url) {
    const client = new Client({ connectionString });
    await client.connect();
    try {
      return (await client.query(statement, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  async nodeOf(schema: string): Promise<ClusterNode> {
    const [node] = await this.query(
      'select nodename as host, nodeport as port from citus_shards where table_name = $1::regclass',
      [`${schema}.bw_tenants`],
    );
    return node;
  }

  /** Returns a worker that does not have the schema. */
  async otherWorker(schema: string): Promise<ClusterNode> {
    const { port } = await this.nodeOf(schema);
    const [node] = await this.query(
      `select nodename as host, nodeport as port from pg_dist_node
       where groupid <> 0 and isactive and nodeport <> $1 order by nodeid limit 1`,
      [port],
    );
    if (node === undefined) throw new Error('The cluster needs two workers');
    return node;
  }

  /**
   * Writes wait until the end, because Citus cannot replicate tables with row-level security. Run by the owner of the
   * tables, the move would copy no rows.
   */
  async moveSchema(schema: string, { host, port }: ClusterNode): Promise<void> {
    const statement = `select citus_schema_move($1::regnamespace, $2::text, $3::int, 'block_writes')`;
    await this.query(statement, [schema, host, port], this.#administratorUrl);
  }

  #urlOf(schema: string) {
    const url = new URL(this.#url);
    url.search = `?options=${encodeURIComponent(`-c search_path=${schema},public`)}`;
    return url.href;
  }
}

/** Repeats the attempt until it succeeds. @throws the last error after the time. */
export async function eventually<T>(timeoutMs: number, attempt: () => Promise<T>): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await setTimeout(250);
  }
}
