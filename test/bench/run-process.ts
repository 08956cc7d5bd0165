import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { keepYoungGenerationSmall } from '../../adapters/cli/young-generation.ts';
import { Billing, type EventSink, type InvoicePlugin } from '../../adapters/node/billwright.ts';
import { fakeClock, memoryLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import { ZERO } from '../../lib/values/money/index.ts';
import type { BenchDatabase } from './bench-database.ts';
import { answerParent } from './child.ts';
import { storageAt, tracedStorage } from './databases.ts';

/** One node that does all work due at an instant, in a process configured like `billwright serve`. */
export interface RunInput {
  readonly database: BenchDatabase;
  readonly now: string;
  /** DISPATCHER works in the background, like a server. SETTLE claims one entry at a time, to count statements. */
  readonly by: 'DISPATCHER' | 'SETTLE';
  /** Whether an invoice plugin is called for every invoice and answers at once; default false. */
  readonly hasPlugin?: boolean;
  /** Whether the host has an event sink that accepts every event at once; default false. Only with DISPATCHER. */
  readonly hasSink?: boolean;
}

export interface RunOutput {
  /** From the start of the work until nothing is due or in processing. */
  readonly ms: number;
  /** Resident memory of the open engine before the run. */
  readonly idleMib: number;
  readonly charges: number;
  readonly charged: string;
  /** Counted with SETTLE; otherwise 0. */
  readonly statements: number;
  /** Time from the start of the work until the sink has accepted everything, and its events by type. */
  readonly eventsMs: number;
  readonly events: Readonly<Record<string, number>>;
}

const pollMs = 20;

/** Receives every invoice and changes none. */
const atOnce: InvoicePlugin = { name: 'at-once', getAdditionalInvoiceItems: async () => null };

async function run({ database, now, by, hasPlugin = false, hasSink = false }: RunInput): Promise<RunOutput> {
  keepYoungGenerationSmall();
  let statements = 0;
  const count = (): void => {
    statements += 1;
  };
  const storage = by === 'SETTLE' ? tracedStorage(database, count) : storageAt(database);
  const clock = fakeClock(now);
  const ledger = memoryLedger();
  const events: Record<string, number> = {};
  const sink: EventSink = {
    name: 'bench',
    onEvent: ({ eventType }) => {
      events[eventType] = (events[eventType] ?? 0) + 1;
    },
  };
  const billing = await Billing.open({
    storage,
    clock,
    gateways: [sandboxGateway({ ledger })],
    invoicePlugins: hasPlugin ? [atOnce] : [],
    eventSinks: hasSink ? [sink] : [],
  });
  const work = {
    DISPATCHER: async (): Promise<void> => {
      billing.start();
      do await setTimeout(pollMs);
      while ((await storage.queue.countPending(null, clock.now())) > 0);
    },
    SETTLE: async (): Promise<void> => {
      if (!(await billing.settle())) throw new Error('The run did not settle in time');
    },
  };
  try {
    await billing.ping();
    const idleMib = process.memoryUsage.rss() / 2 ** 20;
    statements = 0;
    const began = performance.now();
    await work[by]();
    const ms = performance.now() - began;
    while (hasSink && (await storage.sink(sink.name).hasDue(null, clock.now()))) await setTimeout(pollMs);
    const eventsMs = performance.now() - began;
    const charges = ledger.all();
    const charged = charges.reduce((sum, { amount }) => sum.plus(amount ?? ZERO), ZERO);
    return {
      ms,
      idleMib,
      charges: charges.length,
      charged: charged.toFixed(2),
      statements,
      eventsMs,
      events,
    };
  } finally {
    await billing.close();
  }
}

answerParent(run);
