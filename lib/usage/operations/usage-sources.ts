import {
  type Ports,
  type RawUsageRecords,
  RetryLater,
  retryLaterOf,
  type UsageSource,
  type UsageSourceContext,
} from '../../ports/index.ts';
import type { PluginProperty } from '../../records/index.ts';
import {
  type ActivityPorts,
  type CalledPlugin,
  callPlugin,
  plainError,
  pluginFailure,
  runHostCode,
} from '../../runtime/index.ts';
import { type BillingError, MalformedAnswer } from '../../values/errors/index.ts';
import { frozenCopy, plainerOf } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import {
  keyOfRequest,
  type QuantityRequest,
  type SourceQuestion,
  type SuppliedRange,
  transitionsText,
} from '../supplied/source-question.ts';
import {
  claimedQuantities,
  claimedRecord,
  claimedRecords,
  RecordSums,
  type SuppliedPiece,
  type SuppliedQuantity,
  type SuppliedUsage,
} from '../supplied/supplied-usage.ts';

/** Time limit of one call to a usage source. */
const USAGE_SOURCE_TIMEOUT_MS = 10_000;

type Properties = readonly PluginProperty[];

/** The fields of `UsageSourceContext`, with the engine's own date types. */
interface SourceCall extends Omit<UsageSourceContext, 'inputTargetDate' | 'now'> {
  readonly inputTargetDate: LocalDate | null;
  readonly now: Instant;
}

const plainContext = plainerOf<SourceCall>({ inputTargetDate: 'date', now: 'instant' });
const plainRange = plainerOf<SuppliedRange>({ start: 'instant', end: 'instant' });
const plainRequests = plainerOf<readonly QuantityRequest[]>([{ start: 'instant', end: 'instant' }]);

export type SuppliedBySubscription = ReadonlyMap<Uuid, SuppliedUsage>;

/**
 * Calls the host's usage sources (§9), outside transactions. Calls one source after another until one returns a result.
 * Results are untrusted. The error for a malformed result names the source.
 */
export class UsageSources {
  readonly #ports: Pick<Ports, 'systemClock' | 'logger'> & ActivityPorts;
  readonly #sources: readonly UsageSource[];

  constructor(ports: Pick<Ports, 'systemClock' | 'logger'> & ActivityPorts, sources: readonly UsageSource[]) {
    this.#ports = ports;
    this.#sources = sources;
  }

  get isEmpty(): boolean {
    return this.#sources.length === 0;
  }

  /**
   * Returns the usage of an account's subscriptions. Null means that no source covers the account, so recorded usage is
   * billed.
   * @throws BillingError UNEXPECTED (60000) for a failed source; see `sourceFailure`.
   */
  async ofAccount(
    question: SourceQuestion,
    given: SourceCall,
    properties: Properties,
  ): Promise<SuppliedBySubscription | null> {
    const context = Object.freeze(plainContext(given));
    const pluginProperties = frozenCopy([
      ...properties,
      { key: 'USAGE_TRANSITIONS', value: transitionsText(question), isUpdatable: false },
    ]);
    const range = Object.freeze(plainRange(question.range));
    for (const source of [...this.#sources]) {
      const quantities = await this.#fetchAggregatedUsage(source, question.requests, context);
      if (quantities !== null) return quantities;
      const asked = { source, member: 'getUsageForAccount', context } as const;
      const sums = new Map(
        question.subscriptions.map(({ subscriptionId, slots }) => [subscriptionId, new RecordSums(slots)]),
      );
      const found = await this.#askAndAddUp(asked, sums, () =>
        source.getUsageForAccount(range, context, pluginProperties),
      );
      if (found === null) continue;
      return new Map([...sums].map(([id, each]) => [id, { kind: 'RECORDS', pieces: each.pieces() }]));
    }
    return null;
  }

  /**
   * Returns the usage of one subscription between neighboring bounds, by unit. Null means that no source covers the
   * subscription.
   * @param bounds distinct instants in ascending order, at least two.
   * @throws BillingError UNEXPECTED (60000) for a failed source.
   */
  async ofSubscription(
    subscriptionId: Uuid,
    bounds: readonly [Instant, Instant, ...Instant[]],
    given: { readonly context: SourceCall; readonly properties: Properties },
  ): Promise<readonly SuppliedPiece[] | null> {
    const context = Object.freeze(plainContext(given.context));
    const properties = frozenCopy(given.properties);
    const range = Object.freeze(plainRange({ start: bounds[0], end: bounds.at(-1) ?? bounds[1] }));
    for (const source of [...this.#sources]) {
      const sums = new RecordSums(bounds);
      const asked = { source, member: 'getUsageForSubscription', context } as const;
      const found = await this.#askAndAddUp(asked, new Map([[subscriptionId, sums]]), () =>
        source.getUsageForSubscription(subscriptionId, range, context, properties),
      );
      if (found !== null) return sums.pieces();
    }
    return null;
  }

  async #fetchAggregatedUsage(
    source: UsageSource,
    requests: readonly QuantityRequest[],
    context: UsageSourceContext,
  ): Promise<SuppliedBySubscription | null> {
    if (source.getAggregatedUsage === undefined) return null;
    const member = 'getAggregatedUsage';
    const quantities = await this.#ask({ source, member }, async () => {
      const answer: unknown = await source[member]?.(frozenCopy(plainRequests(requests)), context);
      return answer == null ? null : claimedQuantities(answer, requests.length);
    });
    return quantities && quantitiesOf(requests, quantities);
  }

  async #askAndAddUp(
    asked: MemberCall,
    sums: ReadonlyMap<Uuid, RecordSums>,
    ask: () => Promise<RawUsageRecords | null>,
  ): Promise<AddedUp | null> {
    const answer = await this.#ask(asked, async () => (await ask()) ?? null);
    if (answer === null) return null;
    const found = await addUpRecords(this.#ports, asked, { answer, sums });
    if (found.passedOver > 0) {
      const { source, member, context } = asked;
      this.#ports.logger.warn(
        { pluginName: source.name, member, accountId: context.accountId, passedOver: found.passedOver },
        'a usage source returned records of other subscriptions or outside the range; they are ignored',
      );
    }
    return found;
  }

  async #ask<T>({ source, member }: Omit<MemberCall, 'context'>, ask: () => Promise<T>): Promise<T> {
    const called = { kind: 'usage source', name: source.name, member, timeoutMs: USAGE_SOURCE_TIMEOUT_MS };
    try {
      return await callPlugin(called, this.#ports, ask);
    } catch (error) {
      throw sourceFailure(called, error);
    }
  }
}

function quantitiesOf(requests: readonly QuantityRequest[], quantities: readonly SuppliedQuantity[]) {
  const found = new Map<Uuid, Map<string, SuppliedQuantity>>();
  for (const [index, request] of requests.entries()) {
    const quantity = quantities[index];
    const own = found.get(request.subscriptionId) ?? new Map<string, SuppliedQuantity>();
    if (quantity !== undefined) own.set(keyOfRequest(request), quantity);
    found.set(request.subscriptionId, own);
  }
  return new Map([...found].map(([id, own]) => [id, { kind: 'QUANTITIES' as const, quantities: own }]));
}

/** Time limit in milliseconds for reading all records in a usage source's result. */
const USAGE_SOURCE_STREAM_TIMEOUT_MS = 120_000;

/** Number of records that are read before other work can run. Reading them takes a few milliseconds. */
const SUPPLIED_RECORDS_PER_TURN = 500;

interface MemberCall {
  readonly source: UsageSource;
  readonly member: 'getUsageForAccount' | 'getUsageForSubscription' | 'getAggregatedUsage';
  readonly context: UsageSourceContext;
}

interface AddedUp {
  /**
   * Number of ignored records. A record is ignored if it belongs to another subscription or is outside the requested
   * time.
   */
  readonly passedOver: number;
}

const TIME_OVER = Symbol('time over');

/**
 * Reads all records of a source and adds them up as they arrive. Lets other work run even if the source never waits.
 * @throws BillingError UNEXPECTED (60000) with the name of the source if the source fails, returns malformed records or
 * never ends.
 */
async function addUpRecords(
  { systemClock }: Pick<Ports, 'systemClock'>,
  { source, member }: MemberCall,
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
      if (next === TIME_OVER) throw new MalformedAnswer(ENDLESS);
      if (next.done === true) return { passedOver };
      const record = claimedRecord(next.value, count);
      if (sums.get(record.subscriptionId)?.add(record) !== true) passedOver += 1;
    }
  } catch (error) {
    // The source can free its resources, but this call does not wait for the cleanup.
    runHostCode(() => iterator?.return?.());
    throw sourceFailure(called, plainError(error));
  } finally {
    cancel();
  }
}

const ENDLESS = `returned records that did not end within ${USAGE_SOURCE_STREAM_TIMEOUT_MS / 1_000} s`;

/** Milliseconds until queued work retries a failed source. Applies if the source specifies no delay. */
const USAGE_SOURCE_PAUSE_MS = 30_000;

/**
 * Returns the error for a failed source. Queued work is retried any number of times, after a pause or after the delay
 * that the source specifies, because the account is not the cause (§9 rule 6).
 * @param error The error that `callPlugin` threw, or that occurred while the result was read.
 */
function sourceFailure(called: CalledPlugin, error: unknown): BillingError {
  const thrown = causeOf(error);
  const what =
    thrown instanceof MalformedAnswer
      ? `${thrown.message} (${called.member ?? called.name})`
      : `did not report usage (${called.member ?? called.name}); see the server log for the reason`;
  return pluginFailure(called, what, retryLaterOf(error) === undefined ? later(error) : error);
}

function causeOf(error: unknown): unknown {
  if (error instanceof MalformedAnswer || !(error instanceof Error) || error.cause === undefined)
    return error;
  return causeOf(error.cause);
}

function later(cause: unknown): RetryLater {
  const text = cause instanceof Error ? cause.message : String(cause);
  return Object.assign(new RetryLater(USAGE_SOURCE_PAUSE_MS, text), { cause });
}
