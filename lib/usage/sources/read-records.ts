import type { Ports, UsageSource, UsageSourceContext } from '../../ports/index.ts';
import { plainError, tellHost } from '../../runtime/index.ts';
import { MalformedAnswer } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { RecordSums } from '../supplied/record-sums.ts';
import { claimedRecord, claimedRecords } from '../supplied/source-claims.ts';
import { sourceFailure } from './source-failure.ts';

/** Time limit for reading all records of a usage source's answer. */
const USAGE_SOURCE_STREAM_TIMEOUT_MS = 120_000;

/** Records that are read in one turn: some milliseconds. */
const SUPPLIED_RECORDS_PER_TURN = 500;

export interface AskedSource {
  readonly source: UsageSource;
  readonly member: 'getUsageForAccount' | 'getUsageForSubscription' | 'getAggregatedUsage';
  readonly context: UsageSourceContext;
}

export interface AddedUp {
  /** Records of other subscriptions, and outside what is asked for. */
  readonly passedOver: number;
}

const TIME_OVER = Symbol('time over');

/**
 * Reads a source's records to their end and adds them up as they come. Others have their turns meanwhile, even if the
 * source never waits for anything itself.
 * @throws BillingError UNEXPECTED (60000) that names the source, for what it throws, for records that cannot be, and for a
 * stream that does not end.
 */
export async function addedUp(
  { systemClock }: Pick<Ports, 'systemClock'>,
  { source, member }: AskedSource,
  { answer, sums }: { readonly answer: unknown; readonly sums: ReadonlyMap<Uuid, RecordSums> },
): Promise<AddedUp> {
  const called = {
    kind: 'usage source',
    name: source.name,
    member,
    timeoutMs: USAGE_SOURCE_STREAM_TIMEOUT_MS,
  };
  const { promise: over, resolve } = Promise.withResolvers<typeof TIME_OVER>();
  let isOver = false;
  const cancel = systemClock.after(
    USAGE_SOURCE_STREAM_TIMEOUT_MS,
    () => {
      isOver = true;
      resolve(TIME_OVER);
    },
    { keepAlive: true },
  );
  let iterator: ReturnType<typeof claimedRecords> | null = null;
  try {
    iterator = claimedRecords(answer);
    let passedOver = 0;
    for (let count = 0; ; count += 1) {
      if (count % SUPPLIED_RECORDS_PER_TURN === SUPPLIED_RECORDS_PER_TURN - 1) await systemClock.nextTurn();
      const next = isOver ? TIME_OVER : await Promise.race([iterator.next(), over]);
      if (next === TIME_OVER) throw endless();
      if (next.done === true) return { passedOver };
      const record = claimedRecord(next.value, count);
      if (sums.get(record.subscriptionId)?.add(record) !== true) passedOver += 1;
    }
  } catch (error) {
    leave(iterator);
    throw sourceFailure(called, plainError(error));
  } finally {
    cancel();
  }
}

function endless(): MalformedAnswer {
  const seconds = USAGE_SOURCE_STREAM_TIMEOUT_MS / 1_000;
  return new MalformedAnswer(`gave records that have not ended within ${seconds} s`);
}

/** Lets the source free what it holds; nobody waits for it. */
function leave(iterator: ReturnType<typeof claimedRecords> | null): void {
  tellHost(() => iterator?.return?.());
}
