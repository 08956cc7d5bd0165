import { createUuidV7, isUuid, namedUuid, parseUuid } from '../../../lib/values/ids/index.ts';
import { BillingError, expect, InvariantError, type UuidV7Generator } from '../../support/unit.ts';

/** Returns a generator with the times of `clock` and a small fixed sequence of bytes. */
function generator(clock: () => number, firstByte = 0x5a): UuidV7Generator {
  let byte = firstByte;
  const randomBytes = (length: number) => Uint8Array.from({ length }, () => (byte = (byte * 73 + 41) % 256));
  return createUuidV7({ now: clock, randomBytes });
}

describe('UUID', () => {
  it('is recognized in canonical form, and accepted in any letter case', () => {
    const id = '0190163d-8694-739b-aea5-966c26f8ad91';
    expect(isUuid(id)).to.equal(true);
    expect(isUuid(id.toUpperCase())).to.equal(false);
    expect(parseUuid(id.toUpperCase())).to.equal(id);
    expect(isUuid('00000000-0000-0000-0000-000000000001')).to.equal(true);
  });

  it('has version 5 and depends on the namespace when it is derived from a name', async () => {
    const named = await namedUuid(parseUuid('6ba7b810-9dad-11d1-80b4-00c04fd430c8'), 'www.example.com');
    expect(named).to.equal('2ed6657d-e927-568b-95e1-2665a8aea6a2');
    expect(await namedUuid(named, 'www.example.com')).to.not.equal(named);
  });

  for (const text of ['', 'x', '0190163d8694739baea5966c26f8ad91', '{0190163d-8694-739b-aea5-966c26f8ad91}'])
    it(`cannot be "${text}"`, () => {
      expect(isUuid(text)).to.equal(false);
      expect(() => parseUuid(text))
        .to.throw(BillingError, 'is not a UUID')
        .with.property('code', 60002);
    });

  it('cannot have text around the canonical form', () => {
    const id = '0190163d-8694-739b-aea5-966c26f8ad91';
    for (const text of [`${id}\n`, ` ${id}`, `${id}0`, id.replace('a', 'g')])
      expect(isUuid(text)).to.equal(false);
  });
});

describe('UUID of version 7', () => {
  it('contains the time, the version and the variant', () => {
    const id = generator(() => 0x017f_22e2_79b0).next(); // the instant in the example of RFC 9562, appendix A.6
    expect(id).to.match(/^017f22e2-79b0-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(isUuid(id)).to.equal(true);
  });

  it('strictly increases while the clock stands still', () =>
    expectStrictlyIncreasing(
      generator(() => 1_700_000_000_000),
      20_000,
    ));

  it('strictly increases while the clock jumps back and forth', () => {
    let reading = 0;
    const jumps = [0, 5, -3, 40, -1_000, 0, 2];
    const clock = () => 1_700_000_000_000 + (jumps[reading++ % jumps.length] ?? 0);
    expectStrictlyIncreasing(generator(clock), 20_000);
  });

  it('follows the clock once the clock has passed the time of the last id', () => {
    let nowMs = 1_700_000_000_000;
    const ids = generator(() => nowMs);
    ids.next();
    nowMs -= 60_000;
    expect(timestampOf(ids.next())).to.equal(1_700_000_000_000);
    nowMs += 120_000;
    expect(timestampOf(ids.next())).to.equal(1_700_000_060_000);
  });

  it('starts its counter in the lower half, to leave room for all ids of one millisecond', () => {
    const ids = createUuidV7({ now: () => 1, randomBytes: (length) => new Uint8Array(length).fill(0xff) });
    expect(ids.next()).to.equal('00000000-0001-77ff-bfff-ffffffffffff');
    expect(ids.next()).to.equal('00000000-0001-7800-8000-0000ffffffff');
  });

  it('uses all ten random bytes (41 bits for the start and 32 bits for the tail)', () => {
    const first = createUuidV7({
      now: () => 1,
      randomBytes: (length) => Uint8Array.from({ length }, (_, index) => (index % 10) + 1),
    });
    // 0x1_0203_0405_06 as counter: 11 bits 0x408, then 30 bits 0x03040506 after the variant bits
    expect(first.next()).to.equal('00000000-0001-7408-8304-05060708090a');
  });

  it('is the same for the same clock and random source', () => {
    const take = (ids: UuidV7Generator) => Array.from({ length: 5 }, () => ids.next());
    expect(take(generator(() => 5))).to.eql(take(generator(() => 5)));
    expect(take(generator(() => 5))).to.not.deep.equal(take(generator(() => 5, 0x11)));
  });

  it('cannot be generated from an invalid clock or random source', () => {
    const zeros = (length: number) => new Uint8Array(length);
    for (const reading of [-1, Number.NaN, 2 ** 48]) {
      expect(() => createUuidV7({ now: () => reading, randomBytes: zeros }).next()).to.throw(
        InvariantError,
        'Clock',
      );
    }
    const short = createUuidV7({ now: () => 1, randomBytes: () => new Uint8Array(4) });
    expect(() => short.next()).to.throw(InvariantError, 'random');
  });
});

function expectStrictlyIncreasing(ids: UuidV7Generator, count: number): void {
  let last = '';
  for (let index = 0; index < count; index += 1) {
    const id = ids.next();
    if (id <= last) expect.fail(`${id} follows ${last}`);
    last = id;
  }
}

function timestampOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
