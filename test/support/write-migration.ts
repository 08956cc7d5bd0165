import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startPostgresql } from './postgresql-server.ts';

// Development only, `npm run migration -- <name>`: writes the migrations that changed tables ask for, of both databases, with
// a PostgreSQL server of its own.
const generate = fileURLToPath(new URL('../../adapters/mikro-orm/migrations/generate.ts', import.meta.url));
const [name = 'change'] = process.argv.slice(2);
/** The server's process keeps nobody waiting. */
const waiting = setInterval(() => undefined, 1_000);
const server = await startPostgresql();
try {
  await server.administer('create database empty owner billwright');
  execFileSync(process.execPath, [generate, name, server.url('empty')], { stdio: 'inherit' });
} finally {
  await server.stop();
  clearInterval(waiting);
}
