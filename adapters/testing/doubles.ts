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

/** A step of a clock. All given units are added, calendar units first. */
export interface ClockStep {
  readonly years?: number;
  readonly months?: number;
  readonly weeks?: number;
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
}

/** A business clock that only tests move. */
export interface FakeClock extends Clock {
  /**
   * Sets the clock to a date (midnight UTC) or date-time, which may be in the clock's past.
   * @throws BillingError INVALID_PARAMETER (60002) for a time before 1970-01-02 or after 8999-12-31.
   */
  set(when: string | Instant | Date): void;
  /**
   * Moves the clock. Months and years keep the day and time in UTC, with the day limited to the month's last day.
   * @throws BillingError INVALID_PARAMETER (60002) for a result before 1970-01-02 or after 8999-12-31.
   */
  advance(step: ClockStep): void;
  today(zone?: TimeZone): LocalDate;
  toString(): string;
}

/**
 * Returns a clock for tests (platform §14.1) with whole seconds. The clock does not advance between moves. A move wakes
 * the dispatcher; `await billing.settle()` then waits until all due work is done.
 *
 * @example const clock = fakeClock('2024-01-31'); const billing = await Billing.open({ storage: sqlite(':memory:'),
 * clock }); clock.advance({ months: 1 }); // 2024-02-29T00:00:00.000Z await billing.settle();
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
    advance: (step) => move(movedClock(now, (from) => advanceInstant(from, step))),
    today: (zone = UTC) => localDateOf(now, zone),
    toString: () => formatInstant(now),
  };
}

const SECOND_MS = 1000;

function advanceInstant(from: Instant, step: ClockStep): Instant {
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
 * Returns a fast hasher for tests that log in often, because scrypt takes 50 to 100 ms per secret. The hasher
 * protects no secret, so production rejects it. Hashes of other hashers are incompatible.
 *
 * @example const billing = await Billing.open({ storage: sqlite(':memory:'), hasher: plainHasher() });
 * @throws if NODE_ENV is "production".
 */
export function plainHasher(): SecretHasher {
  if (process.env.NODE_ENV?.trim().toLowerCase() === 'production') {
    throw new Error(
      'plainHasher() of billwright/testing does not protect secrets and cannot be used when NODE_ENV is "production": omit the option `hasher` to hash secrets with scrypt',
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

/** A catalog plugin that records its calls. The test defines its content. */
export interface MemoryCatalogPlugin extends CatalogPlugin {
  /** The call contexts by method, in the order of the calls. */
  readonly calls: {
    readonly latestVersion: readonly CatalogPluginContext[];
    readonly catalog: readonly CatalogPluginContext[];
  };
  /** Sets the catalog of all tenants. Null means that the tenants have no catalog. By default, the stamp is new. */
  serve(catalog: CatalogDefinition | null, stamp?: string): void;
  /**
   * Sets a separate catalog for each account. These catalogs are never cached. Null means that the plugin does not
   * serve the account.
   */
  servePerAccount(catalogOf: (accountId: string | null) => CatalogDefinition | null): void;
}

/** Returns a catalog plugin for tests: `Billing.open({ …, catalogPlugins: [plugin] })`. */
export function memoryCatalogPlugin(name = 'memory-catalog'): MemoryCatalogPlugin {
  const calls = { latestVersion: [] as CatalogPluginContext[], catalog: [] as CatalogPluginContext[] };
  let findCatalog: (accountId: string | null) => CatalogDefinition | null = () => null;
  let stamp: string | null = '0';
  let changes = 0;
  return {
    name,
    calls,
    serve(catalog, given) {
      changes += 1;
      stamp = given ?? String(changes);
      findCatalog = () => catalog;
    },
    servePerAccount(catalogOf) {
      stamp = null;
      findCatalog = catalogOf;
    },
    async latestVersion(context) {
      calls.latestVersion.push(context);
      return stamp;
    },
    async catalog(context) {
      calls.catalog.push(context);
      return findCatalog(context.accountId);
    },
  };
}
