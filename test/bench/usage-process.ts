import { createHash } from 'node:crypto';
import type { TenantRef, UsageSubmission } from '../../lib/records/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { addDays, instant, localDate } from '../../lib/values/time/index.ts';
import { author, newId, tenant } from '../support/storage/stored-records.ts';
import type { BenchDatabase } from './bench-database.ts';
import { answerParent } from './child.ts';
import { storageAt } from './databases.ts';

/** Lines of one point each for random subscriptions, recorded in chunks by several concurrent callers. */
export interface UsageInput {
  readonly database: BenchDatabase;
  readonly subscriptions: number;
  readonly chunk: number;
  readonly callers: number;
  /** Chunks are recorded for this long; then `singles` points, one by one. */
  readonly sustainedMs: number;
  readonly singles: number;
}

export interface UsageOutput {
  /** Number of accepted lines, including repeated ones. */
  readonly perSecond: number;
  readonly accepted: number;
  readonly singleMs: readonly number[];
}

const units = ['sms', 'calls', 'mbps'];
/** One in this many lines repeats an earlier line. */
const againEvery = 100;
const begins = Date.UTC(2026, 3, 1);
const dayMs = 24 * 3_600_000;
const days = 30;

async function measure(input: UsageInput): Promise<UsageOutput> {
  const { chunk, callers, sustainedMs, singles } = input;
  const storage = storageAt(input.database);
  await storage.prepare();
  const { id, recordId } = await storage.system.insertTenant(tenant({ apiKey: newId() }), author());
  const acme: TenantRef = { id, recordId };
  let made = 0;
  const lines = (count: number) =>
    Array.from({ length: count }, () => {
      made += 1;
      return line(made % againEvery === 0 ? made - 1 : made, input);
    });
  let answered = 0;
  let accepted = 0;
  const record = async (given: readonly UsageSubmission[]): Promise<void> => {
    const usedBy = await storage.recordUsage(acme, given);
    answered += usedBy.length;
    accepted += usedBy.filter((taken) => taken === null).length;
  };
  await record(lines(chunk));
  answered = 0;
  const began = performance.now();
  const work = Array.from({ length: callers }, async () => {
    while (performance.now() - began < sustainedMs) await record(lines(chunk));
  });
  await Promise.all(work);
  const perSecond = (answered / (performance.now() - began)) * 1_000;
  const singleMs: number[] = [];
  for (let left = singles; left > 0; left -= 1) {
    const given = lines(1);
    const at = performance.now();
    await record(given);
    singleMs.push(performance.now() - at);
  }
  await storage.close();
  return { perSecond, accepted, singleMs };
}

/** Returns the same line for the same number. */
function line(number: number, { subscriptions }: UsageInput): UsageSubmission {
  const subscriptionRecordId = 1 + ((Math.imul(number, 2_654_435_761) >>> 0) % subscriptions);
  const day = number % days;
  const point = {
    unit: units[number % units.length] ?? '',
    instant: instant(begins + day * dayMs + (number % 86_400) * 1_000),
    localDate: addDays(localDate(2026, 4, 1), day),
    isDateOnly: false,
    amount: decimal(`${number % 1_000}.${number % 10}`),
  };
  const trackingId = `2f1c8e70-track-${number}`;
  const fingerprint = createHash('sha256').update(trackingId).digest('hex');
  return {
    accountRecordId: subscriptionRecordId,
    subscriptionRecordId,
    trackingId,
    fingerprint,
    points: [point],
    createdBy: 'bench',
    createdDate: instant(begins),
  };
}

answerParent(measure);
