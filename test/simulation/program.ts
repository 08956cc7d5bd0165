import { BillingError, instant } from '../../lib/index.ts';
import { operations, type Scene } from './operations.ts';
import type { Town } from './town.ts';

const DAY_SECONDS = 86_400;

export interface ProgramSize {
  readonly days: number;
  readonly mostDaysPerStep: number;
  readonly operationsPerStep: number;
}

export async function live(town: Town, { days, mostDaysPerStep, operationsPerStep }: ProgramSize) {
  const { engine, random } = town;
  const end = engine.clock.now() + days * DAY_SECONDS * 1_000;
  while (engine.clock.now() < end) {
    const seconds = random.within(1, mostDaysPerStep * DAY_SECONDS);
    engine.clock.set(instant(Math.min(end, engine.clock.now() + seconds * 1_000)));
    await engine.settle();
    for (let count = 0; count < operationsPerStep; count += 1) await operate(town);
    await engine.settle();
  }
}

async function operate(town: Town): Promise<void> {
  const { random } = town;
  const customer = random.of(town.customers);
  const held = customer.subscriptions.length === 0 ? undefined : random.of(customer.subscriptions.slice(-4));
  const operation = pick(random.next());
  const scene: Scene = { town, random, customer, held };
  try {
    if ((await operation.run(scene)) !== false) count(town.accepted, operation.name);
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    count(town.refused, operation.name);
  }
}

const total = operations.reduce((sum, { weight }) => sum + weight, 0);

function pick(share: number) {
  let left = share * total;
  for (const operation of operations) {
    left -= operation.weight;
    if (left < 0) return operation;
  }
  throw new Error('a share is less than 1');
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
