import { createHash } from 'node:crypto';
import type { CatalogDefinition, CatalogPlugin, CatalogPluginContext } from '../../lib/index.ts';
import type { Clock, SecretHasher } from '../../lib/ports/index.ts';
import {
  addDays,
  addMilliseconds,
  addMonths,
  checkClockTime,
  formatInstant,
  type Instant,
  instantAt,
  type LocalDate,
  localDateOf,
  localTimeOf,
  movedClock,
  parseWireInstant,
  type TimeZone,
  truncateToSecond,
  UTC,
} from '../../lib/values/time/index.ts';

/** How far to move a clock; members add up, calendar units first. */
export interface ClockStep {
  readonly years?: number;
  readonly months?: number;
  readonly weeks?: number;
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
}

/** A business clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /**
   * Sets the clock to a date (midnight UTC) or date-time, backwards too.
   * @throws BillingError INVALID_PARAMETER (60002) for a time before 1970-01-02 or after 8999-12-31.
   */
  set(when: string | Instant | Date): void;
  /**
   * Moves the clock; months and years keep the day and time in UTC, clamped to the month's last day.
   * @throws BillingError INVALID_PARAMETER (60002) when the move leads before 1970-01-02 or after 8999-12-31.
   */
  advance(step: ClockStep): void;
  today(zone?: TimeZone): LocalDate;
  toString(): string;
}

/**
 * A clock for tests (platform §14.1): whole seconds, standing still between moves. Moving it wakes the dispatcher;
 * `await billing.settle()` then returns when everything that fell due has been done.
 *
 * @example
 * const clock = fakeClock('2024-01-31');
 * const billing = await Billing.open({ storage: sqlite(':memory:'), clock });
 * clock.advance({ months: 1 }); // 2024-02-29T00:00:00.000Z
 * await billing.settle();
 */
export function fakeClock(start: string | Instant | Date): FakeClock {
  let now = asInstant(start);
  checkClockTime(now);
  const listeners = new Set<() => void>();
  const move = (to: Instant): void => {
    checkClockTime(to);
    now = truncateToSecond(to);
    for (const listener of listeners) listener();
  };
  return {
    now: () => now,
    onMove: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set: (when) => move(asInstant(when)),
    advance: (step) => move(movedClock(now, (from) => advanced(from, step))),
    today: (zone = UTC) => localDateOf(now, zone),
    toString: () => formatInstant(now),
  };
}

const SECOND_MS = 1000;

function advanced(from: Instant, step: ClockStep): Instant {
  const months = (step.years ?? 0) * 12 + (step.months ?? 0);
  const days = (step.weeks ?? 0) * 7 + (step.days ?? 0);
  const date = addDays(addMonths(localDateOf(from, UTC), months), days);
  const seconds = (step.hours ?? 0) * 3600 + (step.minutes ?? 0) * 60 + (step.seconds ?? 0);
  return addMilliseconds(instantAt(date, localTimeOf(from, UTC), UTC), seconds * SECOND_MS);
}

function asInstant(when: string | Instant | Date): Instant {
  if (typeof when === 'number') return truncateToSecond(when);
  const parsed = parseWireInstant(when);
  if (parsed === undefined) throw new Error(`"${when}" is neither a date nor a date-time`);
  return truncateToSecond(parsed);
}

const PREFIX = '$plain$';

/**
 * Hashes secrets at no cost, for tests that log in often: scrypt, as the engine has it otherwise, takes 50 to 100 ms for each
 * new secret, by design. Whoever reads the database finds such secrets out, so in production it is refused. What other
 * hashers have stored it does not verify, nor they what it has.
 *
 * @example const billing = await Billing.open({ storage: sqlite(':memory:'), hasher: plainHasher() });
 * @throws where NODE_ENV is "production".
 */
export function plainHasher(): SecretHasher {
  if (process.env.NODE_ENV?.trim().toLowerCase() === 'production') {
    throw new Error(
      'plainHasher() of billwright/testing protects no secret and is refused where NODE_ENV is "production": leave the option `hasher` out, so that secrets are hashed with scrypt',
    );
  }
  return {
    hash: async (secret) => plainHash(secret),
    verify: async (secret, stored) => stored === plainHash(secret),
    isWeaker: () => false,
  };
}

function plainHash(secret: string): string {
  return PREFIX + createHash('sha256').update(secret).digest('base64url');
}

/** A catalog plugin whose content a test sets, and which remembers what it was asked. */
export interface MemoryCatalogPlugin extends CatalogPlugin {
  /** What each method was called with, in order. */
  readonly calls: {
    readonly latestVersion: readonly CatalogPluginContext[];
    readonly catalog: readonly CatalogPluginContext[];
  };
  /** From now on this is the catalog of every tenant; null: of none. The stamp is new unless one is given. */
  serve(catalog: CatalogDefinition | null, stamp?: string): void;
  /** From now on the catalog is asked for each account, and never cached; null: not this plugin's account. */
  servePerAccount(catalogOf: (accountId: string | null) => CatalogDefinition | null): void;
}

/** For tests of what is sold from a host's own catalog: `Billing.open({ …, catalogPlugins: [plugin] })`. */
export function memoryCatalogPlugin(name = 'memory-catalog'): MemoryCatalogPlugin {
  const calls = { latestVersion: [] as CatalogPluginContext[], catalog: [] as CatalogPluginContext[] };
  let served: (accountId: string | null) => CatalogDefinition | null = () => null;
  let stamp: string | null = '0';
  let changes = 0;
  return {
    name,
    calls,
    serve(catalog, given) {
      changes += 1;
      stamp = given ?? String(changes);
      served = () => catalog;
    },
    servePerAccount(catalogOf) {
      stamp = null;
      served = catalogOf;
    },
    async latestVersion(context) {
      calls.latestVersion.push(context);
      return stamp;
    },
    async catalog(context) {
      calls.catalog.push(context);
      return served(context.accountId);
    },
  };
}
