import type { Ports } from '../ports/index.ts';
import { BillingError, ErrorCode, invalidParameter } from '../values/errors/index.ts';
import { formatInstant, type Instant, parseWireInstant } from '../values/time/index.ts';

/** How long `settleThrough` lets time pass unless told otherwise, in system time. */
const SETTLE_THROUGH_TIMEOUT_MS = 10 * 60_000;

/** A clock that its holder sets, such as `fakeClock` of `billwright/testing`. */
export interface SettableClock {
  now(): Instant;
  set(to: Instant): void | Promise<void>;
}

/** What happens meanwhile: what is due is done, and what falls due next is told. */
export interface Settling {
  settle(timeoutMs: number): Promise<boolean>;
  /** When the next entry of the queue, or push, falls due after now; null: none will. */
  nextDue(): Promise<Instant | null>;
}

export interface SettleThroughOptions {
  /** System time for all of it; default ten minutes. */
  readonly timeoutMs?: number;
}

/**
 * Lets time pass up to `until`: sets the clock to each instant at which something falls due, and has that done there.
 * @returns the instants at which the clock stood, the last one `until`.
 */
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
    const next = due === null || due >= end ? end : due;
    await moveTo(next, { clock, own });
    stops.push(next);
  }
}

function checkSettable(clock: SettableClock): void {
  if (typeof clock?.now === 'function' && typeof clock.set === 'function') return;
  throw invalidParameter(
    'settleThrough takes a clock that can be set, and that the engine was opened with, such as fakeClock(…) of billwright/testing; the clock it was given has no set(…)',
    { parameter: 'clock' },
  );
}

function endOf(until: string | Instant | Date, now: Instant): Instant {
  const end = parseWireInstant(until);
  if (end === undefined) {
    throw invalidParameter(`"${until}", up to which to settle, is neither a date nor a date-time`, {
      parameter: 'until',
    });
  }
  if (end >= now) return end;
  throw invalidParameter(
    `settleThrough lets time pass and cannot go back: it is ${formatInstant(now)} already, later than ${formatInstant(end)}`,
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
    `settleThrough has set its clock to ${formatInstant(to)}, but the engine goes by another one, at which it is ${formatInstant(own.now())}: open the engine with this clock`,
    { parameter: 'clock' },
  );
}

function notSettled(at: Instant, end: Instant): BillingError {
  return new BillingError({
    code: ErrorCode.BUSY,
    message: `What was due at ${formatInstant(at)} was not done in time, on the way to ${formatInstant(end)}: look for work that fails in the log, or allow more with timeoutMs`,
    facts: { at: formatInstant(at) },
  });
}
