// The main job at a glance: three customers, three zones, thirteen months in a few seconds.
//   npm run demo                       on a fresh SQLite database
//   npm run demo -- --postgres URL     on a PostgreSQL database
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Billing } from '../adapters/node/billwright.ts';
import { fakeClock, sandboxGateway } from '../adapters/testing/index.ts';
import type { Storage } from '../lib/ports/storage/index.ts';
import { report } from './demo-report.ts';
import { playStory, STORY_BEGINS } from './demo-story.ts';

const { values } = parseArgs({ options: { postgres: { type: 'string' } } });
const directory = await mkdtemp(join(tmpdir(), 'billwright-demo-'));
try {
  const storage = await openStorage(values.postgres);
  const clock = fakeClock(STORY_BEGINS);
  const billing = await Billing.open({ storage, clock, gateways: [sandboxGateway()] });
  const acme = await playStory(billing, clock);
  process.stdout.write(await report(acme));
  await billing.close();
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function openStorage(url: string | undefined): Promise<Storage<never>> {
  if (url === undefined) {
    const { sqlite } = await import('../adapters/mikro-orm/sqlite.ts');
    return sqlite(join(directory, 'demo.db'));
  }
  const { postgresql } = await import('../adapters/mikro-orm/postgresql.ts');
  return postgresql({ url, migrate: true });
}
