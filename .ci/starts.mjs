// starts.mjs SCRIPT: runs an npm script that serves pages, until its first page arrives, and ends it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const [script] = process.argv.slice(2);
const PORT = '3999';
const directory = await mkdtemp(join(tmpdir(), 'starts-'));
const env = { ...process.env, PORT, DATABASE: join(directory, 'database.db') };
// A process group of its own, because npm does not reliably pass signals on.
const child = spawn('npm', ['run', script], { detached: true, env, stdio: 'inherit' });
const ended = once(child, 'exit');

const hasPage = async () => {
  for (let tries = 0; tries < 60 && child.exitCode === null; tries += 1) {
    const response = await fetch(`http://127.0.0.1:${PORT}/`).catch(() => null);
    if (response?.ok) return true;
    await setTimeout(1000);
  }
  return false;
};
const isServing = await hasPage();
if (child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
await ended;
await rm(directory, { recursive: true });
console.log(isServing ? `npm run ${script} serves its page` : `npm run ${script} serves no page`);
process.exitCode = isServing ? 0 : 1;
