import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import type { FakeClock } from '../../adapters/testing/index.ts';
import type { TenantBilling, Uuid } from '../../lib/index.ts';
import { inParallel } from '../../lib/runtime/index.ts';
import { bundled } from '../support/bundled.ts';

const NODE = new URL('./node-process.ts', import.meta.url);

const AT_A_TIME = 8;

export type NodeOptions = Readonly<Record<string, string>>;

/** Starts node processes and waits until they work the queue. Each first loads the `preloaded` module. */
export async function startNodes(all: readonly NodeOptions[], preloaded?: string) {
  const nodes = await Promise.all(all.map((options) => openNode(options, preloaded)));
  await Promise.all(
    nodes.map((node) => {
      const started = message(node);
      node.send('start');
      return started;
    }),
  );
  return nodes;
}

async function openNode(options: NodeOptions, preloaded?: string): Promise<ChildProcess> {
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  // A preloaded module can replace source modules, but not those in a bundle.
  const program = preloaded === undefined ? bundled(NODE) : fileURLToPath(NODE);
  const node = fork(program, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: preloaded === undefined ? [] : ['--import', preloaded],
  });
  await message(node);
  return node;
}

export async function stopNode(node: ChildProcess): Promise<{ readonly paid: number }> {
  const reported = message(node);
  node.send('stop');
  return (await reported) as { readonly paid: number };
}

export async function killNode(node: ChildProcess): Promise<void> {
  node.removeAllListeners('exit');
  const ended = once(node, 'exit');
  node.kill('SIGKILL');
  await ended;
}

function message(node: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    node.once('message', resolve);
    node.once('exit', (code) => reject(new Error(`the node ended with ${code ?? 'a signal'}`)));
  });
}

export async function drained(url: string, clock: FakeClock): Promise<void> {
  const storage = postgresql(url);
  try {
    await storage.prepare();
    while ((await storage.queue.countPending(null, clock.now())) > 0) await setTimeout(50);
  } finally {
    await storage.close();
  }
}

export async function signUpMany(acme: TenantBilling, count: number): Promise<readonly Uuid[]> {
  const signUp = async (index: number): Promise<Uuid> => {
    const account = await acme.createAccount({ externalKey: `customer-${index}`, currency: 'USD' });
    await acme.addPaymentMethod({
      accountId: account.id,
      pluginName: 'sandbox',
      isDefault: true,
    });
    await acme.createSubscription({ accountId: account.id, planName: 'sprout-monthly-direct' });
    return account.id;
  };
  return inParallel([...Array(count).keys()], AT_A_TIME, signUp);
}
