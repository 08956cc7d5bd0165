import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startPostgresql } from './postgresql-server.ts';

// Development only, `npm run migration -- <name>`: writes migrations of both databases for changed tables, using a
// temporary PostgreSQL server. `initial` rewrites the initial tables and needs no server.
const generate = fileURLToPath(new URL('../../adapters/mikro-orm/migrations/generate.ts', import.meta.url));
const [name = 'change'] = process.argv.slice(2);

if (name === 'initial') write();
else await writeWithServer();

async function writeWithServer(): Promise<void> {
  /** The server process does not keep this process alive. */
  const waiting = setInterval(() => undefined, 1_000);
  const server = await startPostgresql();
  try {
    await server.administer('create database empty owner billwright');
    write(server.url('empty'));
  } finally {
    await server.stop();
    clearInterval(waiting);
  }
}

function write(...url: readonly string[]): void {
  execFileSync(process.execPath, [generate, name, ...url], { stdio: 'inherit' });
}
