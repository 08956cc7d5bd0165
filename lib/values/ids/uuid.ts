import { assertInvariant, InvariantError, invalidParameter } from '../errors/index.ts';

declare const uuidBrand: unique symbol;

/**
 * A UUID in canonical form: 36 characters in lower case with hyphens. Any version is accepted, because hosts use
 * their own ids.
 */
export type Uuid = string & { readonly [uuidBrand]: 'Uuid' };

const canonicalForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns true for a UUID in canonical form. Only `parseUuid` also accepts upper case. */
export function isUuid(text: string): text is Uuid {
  return canonicalForm.test(text);
}

/** Parses a UUID in upper or lower case. @throws BillingError INVALID_PARAMETER for an invalid string. */
export function parseUuid(text: string): Uuid {
  const lower = text.toLowerCase();
  if (isUuid(lower)) return lower;
  throw invalidParameter(
    `"${text.slice(0, 64)}" is not a UUID; expected xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`,
    { value: text.slice(0, 64) },
  );
}

/** Returns the version 5 UUID of a name in a namespace (RFC 9562 §5.5). */
export async function namedUuid(namespace: Uuid, name: string): Promise<Uuid> {
  const bytes = [...bytesOf(namespace), ...new TextEncoder().encode(name)];
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-1', Uint8Array.from(bytes)));
  const hex = Array.from(digest.subarray(0, 16), (byte, index) =>
    setVersionAndVariant(byte, index).toString(16).padStart(2, '0'),
  ).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') as Uuid;
}

/** Sets the bits for the version and the variant in a byte of the id. */
function setVersionAndVariant(byte: number, index: number): number {
  if (index === 6) return (byte & 0x0f) | 0x50;
  return index === 8 ? (byte & 0x3f) | 0x80 : byte;
}

function bytesOf(id: Uuid): readonly number[] {
  return Array.from(id.replaceAll('-', '').matchAll(/../g), ([pair]) => Number.parseInt(pair, 16));
}

/** The time (in UTC milliseconds) and the secure random bytes that an id generator uses. */
export interface UuidV7Sources {
  readonly now: () => number;
  /** Returns exactly `length` random bytes. */
  readonly randomBytes: (length: number) => Uint8Array;
}

export interface UuidV7Generator {
  next(): Uuid;
}

// RFC 9562 §5.7 and §6.2 method 1 define the parts of an id. The parts are 48 bits of milliseconds, a 42-bit counter,
// and 32 random bits. The counter consists of rand_a and the first 30 bits of rand_b. The counter starts at a random
// value in the lower half of its range, so a millisecond has room for 2^41 ids.
const maxTimestampMs = 2 ** 48 - 1;
const counterBits = 42;
const maxCounter = 2 ** counterBits - 1;
const randomByteCount = 10;
/** Number of ids that share one call to the random source. Such a call takes longer than generating an id. */
const idsPerDraw = 256;
const drawnByteCount = idsPerDraw * randomByteCount;

const hexOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
);

/**
 * Returns a generator of strictly increasing version 7 UUIDs. If `now` stands still or moves backward, the generator
 * keeps the last millisecond and increments the counter.
 */
export function createUuidV7(sources: UuidV7Sources): UuidV7Generator {
  let lastTimestampMs = -1;
  let counter = 0;
  let drawn = new Uint8Array();
  let used = 0;
  let time = '';
  let timeOfMs = -1;

  /** Returns the position in `drawn` at which the bytes for the next id begin. */
  function nextRandom(): number {
    if (used === drawn.length) {
      drawn = Uint8Array.from(sources.randomBytes(drawnByteCount));
      used = 0;
      assertInvariant(drawn.length === drawnByteCount, 'The random source returned a wrong number of bytes', {
        expected: drawnByteCount,
        actual: drawn.length,
      });
    }
    used += randomByteCount;
    return used - randomByteCount;
  }

  function timeText(): string {
    if (timeOfMs !== lastTimestampMs) {
      const digits = lastTimestampMs.toString(16).padStart(12, '0');
      time = `${digits.slice(0, 8)}-${digits.slice(8)}-`;
      timeOfMs = lastTimestampMs;
    }
    return time;
  }

  return {
    next(): Uuid {
      const nowMs = Math.floor(sources.now());
      if (nowMs < 0 || nowMs > maxTimestampMs || Number.isNaN(nowMs)) {
        throw new InvariantError(`Clock reading ${nowMs} ms does not fit a UUIDv7`, { nowMs });
      }
      const random = nextRandom();
      if (nowMs > lastTimestampMs) {
        lastTimestampMs = nowMs;
        counter = freshCounter(drawn, random);
      } else if (counter < maxCounter) {
        counter += 1;
      } else {
        // If the counter is used up, use the next millisecond early (RFC 9562 §6.2, counter rollover).
        lastTimestampMs += 1;
        counter = freshCounter(drawn, random);
      }
      return `${timeText()}${afterTime(counter, drawn, random)}` as Uuid;
    },
  };
}

/** Returns 41 random bits for the counter, whose top bit stays 0. */
function freshCounter(random: Uint8Array, from: number): number {
  let value = byteAt(random, from) & 0x01;
  for (let index = 1; index <= 5; index += 1) value = value * 256 + byteAt(random, from + index);
  return value;
}

/**
 * Returns the part of an id that follows the time.
 * @param random Contains the random bytes of the id, starting at `from`.
 */
function afterTime(counter: number, random: Uint8Array, from: number): string {
  const high = Math.floor(counter / 2 ** 30); // 12 bits: rand_a
  const low = counter % 2 ** 30; // 30 bits: start of rand_b, after the two variant bits
  const versioned = hex(0x70 | (high >>> 8)) + hex(high & 0xff);
  const variant = `${hex(0x80 | (low >>> 24))}${hex((low >>> 16) & 0xff)}-${hex((low >>> 8) & 0xff)}${hex(low & 0xff)}`;
  const tail =
    hex(byteAt(random, from + 6)) +
    hex(byteAt(random, from + 7)) +
    hex(byteAt(random, from + 8)) +
    hex(byteAt(random, from + 9));
  return `${versioned}-${variant}${tail}`;
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}

function hex(byte: number): string {
  return hexOfByte[byte] ?? '00';
}
