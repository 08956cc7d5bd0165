import { existsSync, rmSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isLongRun } from './long-run.ts';
import { memoryDirectory } from './memory-directory.ts';
import { type PostgresqlServer, type ServerRole, startPostgresql } from './postgresql-server.ts';

/** True if the engines of tests on PostgreSQL have two cells (`BILLWRIGHT_TEST_CELLS=1`). All tests then run there. */
export const areCells = process.env.BILLWRIGHT_TEST_CELLS === '1';

export const databaseKinds = ['sqlite', 'postgresql'] as const;
export type DatabaseKind = (typeof databaseKinds)[number];

export type TestDatabase =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgresql'; readonly url: string; readonly batchesStatements?: false };

/** A database prepared once per test run and copied for each user. */
export interface DatabaseTemplate {
  readonly name: string;
  /** The template that this one extends; default: an empty database. */
  readonly from?: DatabaseTemplate;
  /** Fills the database. Must close all its connections. */
  prepare(database: TestDatabase): Promise<void>;
}

/** Opens a fresh database, empty or a copy of the template, which is removed after its `describe`. */
export type OpenDatabase = (template?: DatabaseTemplate) => Promise<TestDatabase>;

/** Calls `end`, last in first out, after the test that opened the database or before the database is removed. */
export function endWith(database: TestDatabase, end: () => Promise<void>): void {
  const place = placeOf(database);
  ends.set(place, [end, ...(ends.get(place) ?? [])]);
}

const ends = new Map<string, readonly (() => Promise<void>)[]>();

async function endUseOf(place: string): Promise<void> {
  const ofPlace = ends.get(place) ?? [];
  ends.delete(place);
  for (const end of ofPlace) await end();
}

function placeOf(database: TestDatabase): string {
  return database.kind === 'sqlite' ? database.path : database.url;
}

interface DatabaseMaker {
  create(name: string): Promise<TestDatabase>;
  copy(template: TestDatabase, templateName: string, name: string): Promise<TestDatabase>;
  drop(name: string): Promise<void>;
}

/**
 * Defines the same tests once for SQLite and once for PostgreSQL, for behavior that can differ between them, such as
 * storing, locking and races.
 *
 *     eachDatabase.describe('a store', (open, kind) => {
 *       let database: TestDatabase;
 *       before(async () => { database = await open(); });
 *       it('keeps what was written', …);
 *     });
 *
 * The PostgreSQL server starts with the first database that a test opens, and serves the whole run.
 */
export const eachDatabase = definer();

/** Like `eachDatabase`, for rules that do not depend on the database: on PostgreSQL only in the long run. */
export const anyDatabase = definer(() => []);

/** Like `anyDatabase`, but commits also run the first test of every second `describe` on PostgreSQL. */
export const eachDatabaseByTurns = definer(({ tests }, isTurn) =>
  tests.filter(({ fn }, index) => (isTurn && index === 0) || (fn !== undefined && always.has(fn))),
);

/** A test of `eachDatabaseByTurns` that only PostgreSQL runs. */
export function itOnPostgresql(title: string, test: Mocha.AsyncFunc): void {
  if (defining !== 'postgresql') return;
  always.add(test);
  it(title, test);
}

let defining: DatabaseKind | undefined;

const always = new WeakSet<object>();

type DefineSuite = (open: OpenDatabase, kind: DatabaseKind) => void;

interface DefineOnDatabases {
  (define: DefineTests): void;
  /** A suite with this title on each database. */
  describe(title: string, define: DefineSuite): void;
}

type KeepTests = (suite: Mocha.Suite, isTurn: boolean) => Mocha.Test[];

function definer(keepTests?: KeepTests): DefineOnDatabases {
  const defineOn = (define: DefineTests): void => {
    for (const kind of databaseKinds) {
      if (isLeftOut(kind)) continue;
      const suite = describeOn(kind, kind, define);
      if (kind !== 'postgresql' || isLongRun || areCells || keepTests === undefined) continue;
      keepOnly(suite, keepTests, { met: 0 });
    }
  };
  return Object.assign(defineOn, {
    describe: (title: string, define: DefineSuite) =>
      defineOn((kind, open) => describe(title, () => define(open, kind))),
  });
}

/** A suite without remaining tests runs no hooks either. */
function keepOnly(suite: Mocha.Suite, keepTests: KeepTests, turns: { met: number }): void {
  const isTurn = suite.tests.length > 0 && turns.met++ % 2 === 0;
  suite.tests = keepTests(suite, isTurn);
  for (const inner of suite.suites) keepOnly(inner, keepTests, turns);
}

/** Defines tests for PostgreSQL alone. */
export const onPostgresql = {
  describe(title: string, define: (open: OpenDatabase) => void): void {
    if (!isLeftOut('postgresql')) describeOn(title, 'postgresql', (_kind, open) => define(open));
  },
};

/**
 * Defines tests on two cells, for which `serve` has an option. On commits, only every fourth suite runs its first test.
 */
export function onTwoCells(define: DefineTests, { byTurns = false } = {}): void {
  if (isLeftOut('postgresql')) return;
  const suite = describeOn('two cells', 'postgresql', define);
  const turns = { met: 0 };
  if (!isLongRun && byTurns)
    keepOnly(suite, ({ tests }) => (turns.met % 4 === 1 ? tests.slice(0, 1) : []), turns);
}

/** Like `eachDatabase`, and once more on PostgreSQL as a superuser, who bypasses row-level security. */
export function eachDatabaseAndSuperuser(define: DefineTests): void {
  eachDatabase(define);
  asSuperuser(define);
}

/** Like `eachDatabase`, and once more on PostgreSQL without statement batching. */
export const eachDatabaseAndOneByOne = {
  describe(title: string, defineSuite: DefineSuite): void {
    const define: DefineTests = (kind, open) => describe(title, () => defineSuite(open, kind));
    eachDatabase(define);
    if (isLeftOut('postgresql')) return;
    describeOn('postgresql, one statement after the other', 'postgresql', (kind, open) =>
      define(kind, async (template) => {
        const database = await open(template);
        return database.kind === 'sqlite' ? database : { ...database, batchesStatements: false };
      }),
    );
  },
};

function asSuperuser(define: DefineTests): void {
  if (isLeftOut('postgresql')) return;
  describeOn('postgresql as a superuser', 'postgresql', (kind, open) =>
    define(kind, async (template) => connectedAs('superuser', await open(template))),
  );
}

function isLeftOut(kind: DatabaseKind): boolean {
  return (process.env.BILLWRIGHT_TEST_DATABASE ?? kind) !== kind;
}

type DefineTests = (kind: DatabaseKind, open: OpenDatabase) => void;

function describeOn(title: string, kind: DatabaseKind, define: DefineTests): Mocha.Suite {
  return describe(title, () => {
    const names: string[] = [];
    const places: string[] = [];
    let latest: string[] = [];
    const open: OpenDatabase = async (template) => {
      const name = `test_${++databasesMade}`;
      names.push(name);
      const database = await makeDatabase(kind, name, template);
      places.push(placeOf(database));
      latest.push(placeOf(database));
      return database;
    };
    beforeEach(() => {
      latest = [];
    });
    defining = kind;
    define(kind, open);
    afterEach(async () => {
      for (const place of latest) await endUseOf(place);
    });
    after(async () => {
      for (const place of places) await endUseOf(place);
      for (const name of names) await makers[kind].drop(name);
    });
  });
}

/** Connects to the same database as another role; SQLite has no roles. */
export async function connectedAs(role: ServerRole, database: TestDatabase): Promise<TestDatabase> {
  if (database.kind === 'sqlite') return database;
  const { url } = await runningServer();
  return { ...database, url: url(nameOf(database), role) };
}

/** Options for a PostgreSQL client that sees the rows of all tenants; by default it sees none. */
export function reachingEveryTenant(connectionString: string) {
  return { connectionString, options: '-c billwright.tenant_record_id=*' };
}

/** A fresh database outside `eachDatabase`; removed at the end of the run. */
export async function freshDatabase(kind: DatabaseKind, template?: DatabaseTemplate): Promise<TestDatabase> {
  return makeDatabase(kind, `test_${++databasesMade}`, template);
}

/** Removes a database of `freshDatabase` before the end of the run. Its connections must be closed. */
export async function removeDatabase(database: TestDatabase): Promise<void> {
  await makers[database.kind].drop(nameOf(database));
}

function nameOf(database: TestDatabase): string {
  return database.kind === 'sqlite'
    ? basename(database.path, '.db')
    : new URL(database.url).pathname.slice(1);
}

/** Stops the server and forgets every database. In a parallel run the watchdog of each worker stops the server. */
export async function removeAllDatabases(): Promise<void> {
  const startedServer = server;
  server = undefined;
  templates.clear();
  await (await startedServer)?.stop();
}

let databasesMade = 0;
let server: Promise<PostgresqlServer> | undefined;
let directory: Promise<string> | undefined;
const templates = new Map<string, Promise<TestDatabase>>();

async function makeDatabase(
  kind: DatabaseKind,
  name: string,
  template?: DatabaseTemplate,
): Promise<TestDatabase> {
  if (!template) return makers[kind].create(name);
  const templateName = `template_${template.name}`;
  const key = `${kind} ${templateName}`;
  let prepared = templates.get(key);
  if (!prepared) {
    prepared = prepareTemplate(kind, templateName, template);
    templates.set(key, prepared);
  }
  return makers[kind].copy(await prepared, templateName, name);
}

async function prepareTemplate(
  kind: DatabaseKind,
  name: string,
  template: DatabaseTemplate,
): Promise<TestDatabase> {
  const database = await makeDatabase(kind, name, template.from);
  await template.prepare(database);
  if (database.kind === 'sqlite' && existsSync(`${database.path}-wal`)) {
    // PostgreSQL itself refuses to copy a database in use; SQLite would copy only part of the file.
    throw new Error(`Template "${template.name}" is still open: its write-ahead log is not in the file yet`);
  }
  return database;
}

const sqliteFiles: DatabaseMaker = {
  async create(name) {
    return { kind: 'sqlite', path: await sqlitePath(name) };
  },
  async copy(_template, templateName, name) {
    const path = await sqlitePath(name);
    await copyFile(await sqlitePath(templateName), path);
    return { kind: 'sqlite', path };
  },
  async drop(name) {
    const path = await sqlitePath(name);
    // The write-ahead log remains if a test killed the writing process.
    for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(`${path}${suffix}`, { force: true });
  },
};

// With fsync off, FILE_COPY took 40 ms and the default WAL_LOG 210 ms.
const copying = 'STRATEGY FILE_COPY';

const postgresqlDatabases: DatabaseMaker = {
  async create(name) {
    const { administer, url } = await runningServer();
    await administer(`CREATE DATABASE ${name} OWNER billwright ${copying}`);
    return { kind: 'postgresql', url: url(name) };
  },
  async copy(_template, templateName, name) {
    const { administer, url } = await runningServer();
    await administer(`CREATE DATABASE ${name} OWNER billwright TEMPLATE ${templateName} ${copying}`);
    return { kind: 'postgresql', url: url(name) };
  },
  async drop(name) {
    const { administer } = await runningServer();
    const left = await connectionsLeft(name);
    await administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    if (left.length > 0)
      throw new Error(`The tests left ${left.length} connections open, last used for:\n${left.join('\n')}`);
  },
};

const makers: Readonly<Record<DatabaseKind, DatabaseMaker>> = {
  sqlite: sqliteFiles,
  postgresql: postgresqlDatabases,
};

/** The server notices a closed connection with a delay. */
const connectionGraceMs = 20_000;
const connectionPollMs = 5;

/** Returns the last statement of each connection that is still open after the grace period. */
async function connectionsLeft(name: string): Promise<readonly string[]> {
  const { administer } = await runningServer();
  for (let waitedMs = 0; ; waitedMs += connectionPollMs) {
    const open = await administer(`SELECT query FROM pg_stat_activity WHERE datname = '${name}'`);
    if (open.length === 0 || waitedMs >= connectionGraceMs) return open.map((row) => String(row.query));
    await setTimeout(connectionPollMs);
  }
}

async function sqlitePath(name: string): Promise<string> {
  directory ??= directoryUntilExit();
  return join(await directory, `${name}.db`);
}

async function directoryUntilExit(): Promise<string> {
  const made = await memoryDirectory('billwright-sqlite-');
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  return made;
}

function runningServer(): Promise<PostgresqlServer> {
  server ??= startPostgresql();
  return server;
}
