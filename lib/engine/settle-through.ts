import type { Ports } from '../ports/index.ts';
import { type BillingError, billingError, ErrorCode, invalidParameter } from '../values/errors/index.ts';
import { addMilliseconds, formatInstant, type Instant, parseWireInstant } from '../values/time/index.ts';

/** Default timeout of `settleThrough` in milliseconds of system time. */
const SETTLE_THROUGH_TIMEOUT_MS = 10 * 60_000;

const MS_PER_SECOND = 1_000;

/** A clock that can be set, such as `fakeClock` from `billwright/testing`. */
export interface SettableClock {
  now(): Instant;
  set(to: Instant): void | Promise<void>;
}

export interface Settling {
  /** Runs the due work. Returns false at the timeout. */
  settle(timeoutMs: number): Promise<boolean>;
  /** Returns the due time of the next queue entry or push after now, or null if nothing is queued. */
  nextDue(): Promise<Instant | null>;
}

export interface SettleThroughOptions {
  /** Timeout in milliseconds of system time. Defaults to ten minutes. */
  readonly timeoutMs?: number;
}

/** Implements `BillingControl.settleThrough`. */
export async function settleThrough(
  { clock: own, systemClock }: Pick<Ports, 'clock' | 'systemClock'>,
  { settle, nextDue }: Settling,
  [clock, until, { timeoutMs = SETTLE_THROUGH_TIMEOUT_MS } = {}]: readonly [
    clock: SettableClock,
    until: string | Instant | Date,
    options?: SettleThroughOptions | undefined,
  ],
): Promise<readonly Instant[]> {
  checkSettable(clock);
  await own.refresh?.();
  const end = endOf(until, own.now());
  const endsAtMs = systemClock.nowMs() + timeoutMs;
  const stops: Instant[] = [own.now()];
  for (;;) {
    if (!(await settle(Math.max(0, endsAtMs - systemClock.nowMs())))) throw notSettled(own.now(), end);
    if (own.now() >= end) return stops;
    const due = await nextDue();
    const next = wholeSecond(due === null || due >= end ? end : due);
    await moveTo(next, { clock, own });
    stops.push(next);
  }
}

/** Returns the first whole second at or after an instant. The engine reads its clock in seconds. */
function wholeSecond(at: Instant): Instant {
  const over = at % MS_PER_SECOND;
  return over === 0 ? at : addMilliseconds(at, MS_PER_SECOND - over);
}

function checkSettable(clock: SettableClock): void {
  if (typeof clock?.now === 'function' && typeof clock.set === 'function') return;
  throw invalidParameter(
    'settleThrough needs a settable clock that the engine was opened with, such as fakeClock(…) of billwright/testing; the given clock has no set(…)',
    { parameter: 'clock' },
  );
}

function endOf(until: string | Instant | Date, now: Instant): Instant {
  const isReadable = typeof until === 'string' || Number.isInteger(until) || until instanceof Date;
  const end = isReadable ? parseWireInstant(until) : undefined;
  if (end === undefined) {
    throw invalidParameter(
      `"${isReadable ? until : typeof until}", the end of settleThrough, is neither a date nor a date-time`,
      {
        parameter: 'until',
      },
    );
  }
  if (end >= now) return end;
  throw invalidParameter(
    `settleThrough cannot move time back: the clock already shows ${formatInstant(now)}, later than ${formatInstant(end)}`,
    { parameter: 'until' },
  );
}

async function moveTo(
  to: Instant,
  { clock, own }: { readonly clock: SettableClock; readonly own: Ports['clock'] },
): Promise<void> {
  await clock.set(to);
  await own.refresh?.();
  if (own.now() >= to) return;
  throw invalidParameter(
    `settleThrough set its clock to ${formatInstant(to)}, but the engine uses another clock, which shows ${formatInstant(own.now())}: open the engine with this clock`,
    { parameter: 'clock' },
  );
}

function notSettled(at: Instant, end: Instant): BillingError {
  return billingError(
    ErrorCode.BUSY,
    `Work due at ${formatInstant(at)} did not finish in time while settling through ${formatInstant(end)}: check the log for failing work, or raise timeoutMs`,
    { at: formatInstant(at) },
  );
}
