import { instant, type Uuid } from '../../lib/index.ts';
import { insertAccountStates } from '../support/account-states.ts';
import type { ServerUsage, WatchedServerOutput } from './account-reads-process.ts';
import type { BenchDatabase } from './bench-database.ts';
import { startChild } from './child.ts';
import { type DatabaseKind, storageAt } from './databases.ts';
import { type Bench, type Figure, type Goal, Size } from './goal.ts';
import { callHeaders, credentials } from './http-load.ts';
import { seedOneAccount } from './many-subscriptions.ts';
import { BEGINS, withEngine } from './past.ts';
import type { ServerInput } from './server-process.ts';

interface Held {
  readonly subscriptions: number;
  readonly states: number;
}

const sizes: Readonly<Record<Bench['size'], readonly Held[]>> = {
  SMOKE: [{ subscriptions: 5, states: 10 }],
  QUICK: [{ subscriptions: 25, states: 50 }],
  NORMAL: [
    { subscriptions: 300, states: 600 },
    { subscriptions: 600, states: 1_500 },
  ],
  FULL: [
    { subscriptions: 300, states: 600 },
    { subscriptions: 600, states: 1_500 },
    // Maximum size of one response (platform §16).
    { subscriptions: 4_500, states: 0 },
    { subscriptions: 2, states: 12_000 },
  ],
};

/** Measures reads of one account whose blocking states appear in the events of every subscription. */
export const accountReads: Goal = {
  name: 'account-reads',
  title: 'Reads of one account with many subscriptions and blocking states',
  async measure(bench) {
    const figures: Figure[] = [];
    for (const kind of bench.kinds) {
      for (const held of sizes[bench.size]) figures.push(...(await measureOn(bench, { kind, held })));
    }
    return figures;
  },
};

async function measureOn(bench: Bench, { kind, held }: { readonly kind: DatabaseKind; readonly held: Held }) {
  const database = await bench.databases.fresh(kind);
  const ids = await seed(database, held);
  const figures: Figure[] = [];
  const paths = pathsOf(ids);
  // For small sizes, one server handles all reads, so that startup does not dominate the run.
  const isSmall = bench.size === Size.SMOKE || bench.size === Size.QUICK;
  for (const together of isSmall ? [paths] : paths.map((path) => [path]))
    figures.push(...(await measureReads(bench, { database, paths: together, kind, held })));
  await bench.databases.remove(database);
  return figures;
}

interface Ids {
  readonly accountId: Uuid;
  readonly bundleId: Uuid;
  readonly subscriptionId: Uuid;
}

function pathsOf({ accountId, bundleId, subscriptionId }: Ids): readonly string[] {
  return [
    `/accounts/${accountId}/bundles`,
    `/accounts/${accountId}/bundles?audit=FULL`,
    `/accounts/${accountId}/bundles/pagination?limit=100`,
    `/accounts/${accountId}/bundles/pagination?limit=10000`,
    `/accounts/${accountId}/bundles/pagination?limit=100&audit=FULL`,
    `/accounts/${accountId}/timeline`,
    `/accounts/${accountId}/timeline?audit=FULL`,
    `/accounts/${accountId}/invoices?withItems=true`,
    `/bundles/pagination?limit=10000`,
    `/bundles/${bundleId}`,
    `/subscriptions/${subscriptionId}`,
    `/accounts/${accountId}/block`,
    `/accounts/${accountId}/auditLogs`,
    `/export/${accountId}`,
  ];
}

async function seed(database: BenchDatabase, held: Held): Promise<Ids> {
  const { tenantId, accountId } = await seedOneAccount(database, held.subscriptions);
  const { tenant, ...ids } = await withEngine(database, BEGINS, async ({ billing }) => {
    const acme = billing.as({ tenant: tenantId, user: 'bench' });
    const page = await acme.subscriptions.pageBundlesOfAccount(accountId, { offset: 0, limit: 1 });
    const first = page.rows[0]?.subscriptions[0];
    if (first === undefined) throw new Error('An account of this bench needs a subscription');
    const { bundleId, subscriptionId } = first;
    return { tenant: await billing.tenants.refOf(tenantId), accountId, bundleId, subscriptionId };
  });
  const storage = storageAt(database);
  const from = instant(Date.parse(BEGINS));
  await insertAccountStates(storage, tenant, { accountId, from, count: held.states });
  await storage.close();
  return ids;
}

interface Reads {
  readonly database: BenchDatabase;
  readonly paths: readonly string[];
  readonly kind: DatabaseKind;
  readonly held: Held;
}

/** Measures the reads against a server process of their own, so that its memory is only theirs. */
async function measureReads(bench: Bench, reads: Reads): Promise<readonly Figure[]> {
  const { database, paths } = reads;
  const script = new URL('./account-reads-process.ts', import.meta.url);
  const input = { database, ...credentials };
  const { output, stop } = await startChild<Omit<ServerInput, 'doesDueWork'>, WatchedServerOutput>({
    script,
    input,
  });
  const usage = async () => (await (await fetch(output.usageUrl)).json()) as ServerUsage;
  try {
    // The first call compiles code and fills caches.
    await drained(`${output.url}/1.0/kb/accounts/pagination?limit=1`);
    const before = await usage();
    const figures: Figure[] = [];
    for (const path of paths) {
      const answer = await drained(`${output.url}/1.0/kb${path}`);
      const { longestDelayMs, longestTurnMs } = await usage();
      const on = `${heldOn(reads)}: ${routeOf(path)} → ${answer.status}`;
      bench.print(`${on}, ${answer.bytes} bytes${answer.status < 400 ? '' : `: ${answer.start}`}`);
      figures.push(
        {
          name: `${on}, longest turn of the event loop, processor time`,
          unit: 'ms',
          runs: [longestTurnMs],
          goal: { atMost: 200 },
        },
        { name: `${on}, the same, wall time`, unit: 'ms', runs: [longestDelayMs], goal: null },
        { name: `${on}, time`, unit: 'ms', runs: [answer.ms], goal: null },
        { name: `${on}, size`, unit: 'MB', runs: [answer.bytes / 1e6], goal: null },
      );
    }
    const { peakMib } = await usage();
    const [path = '', ...others] = paths;
    const which = others.length === 0 ? routeOf(path) : 'all of these reads';
    const name = `${heldOn(reads)}: ${which}, memory more than at rest`;
    return [...figures, { name, unit: 'MiB', runs: [peakMib - before.peakMib], goal: null }];
  } finally {
    await stop();
  }
}

function heldOn({ held, kind }: Pick<Reads, 'held' | 'kind'>): string {
  return `${held.subscriptions} × ${held.states}, ${kind}`;
}

function routeOf(path: string): string {
  return path.replaceAll(/[0-9a-f-]{36}/g, '…');
}

async function drained(url: string) {
  const began = performance.now();
  const response = await fetch(url, { headers: { ...callHeaders, 'accept-encoding': 'identity' } });
  let bytes = 0;
  let start = '';
  for await (const piece of response.body ?? []) {
    if (bytes === 0) start = new TextDecoder().decode(piece).slice(0, 300);
    bytes += (piece as Uint8Array).length;
  }
  return { status: response.status, bytes, start, ms: performance.now() - began };
}
