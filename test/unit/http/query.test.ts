import type { Dialect } from '../../../adapters/koa/dialect.ts';
import type { QueryOf, QueryParameters } from '../../../adapters/koa/wire/query.ts';
import {
  choice,
  cutPage,
  filledQuery,
  flag,
  instantParameter,
  integer,
  moment,
  pageParameters,
  plainText,
  pluginProperties,
  querySchema,
  rawQuery,
  requiredParameter,
  uuidList,
  uuidParameter,
  waitBound,
  waitSeconds,
  zoneParameter,
} from '../../../adapters/koa/wire/query.ts';
import { validationError } from '../../../adapters/koa/wire/wire-type.ts';
import { codeThrownBy, ErrorCode, expect, formatInstant, formatLocalDate, UTC } from '../../support/unit.ts';

function read<P extends QueryParameters>(parameters: P, query: string): QueryOf<P> {
  const result = querySchema(parameters).safeParse(rawQuery(parameters, query));
  if (result.success) return result.data;
  throw validationError(result.error, 'Query parameter', ErrorCode.INVALID_PARAMETER);
}

const id = '01a1fcfe-e8ec-717e-8cdb-6282f0f9f546';
const other = '01a1fcfe-e8ec-717e-8cdb-6282f0f9f547';

describe('query parameters', () => {
  it('use the first of repeated values, are ignored if unknown, and count as absent if empty', () =>
    expect(read({ a: plainText, b: flag(true) }, 'a=x&a=y&c=1&b=')).to.eql({ a: 'x', b: true }));

  describe('for the waiting time of a call (R62)', () => {
    const parameters = { wait: waitSeconds(5), other: integer(undefined) };
    const bounded = (dialect: Dialect, query: string) =>
      waitBound(parameters)(read(parameters, query), { mostSec: 60, dialect });

    for (const dialect of ['D', 'K'] as const)
      it(`accept values up to the maximum in dialect ${dialect}, and reject negative values`, () => {
        expect(bounded(dialect, '').wait).to.equal(5);
        expect(bounded(dialect, 'wait=0').wait).to.equal(0);
        expect(bounded(dialect, 'wait=60&other=360')).to.eql({ wait: 60, other: 360 });
        for (const value of ['-1', '1.5', 'soon'])
          expect(codeThrownBy(() => bounded(dialect, `wait=${value}`))).to.equal(60002);
      });

    for (const above of ['61', '360', '9223372036854775807'])
      it(`reduce ${above} s to the maximum in dialect K, and reject ${above} s in dialect D`, () => {
        expect(bounded('K', `wait=${above}`).wait).to.equal(60);
        expect(() => bounded('D', `wait=${above}`)).to.throw('Query parameter wait is not between 0 and 60');
      });
  });

  it('accept booleans in any letter case', () => {
    expect(read({ a: flag(), b: flag() }, 'a=TRUE&b=False')).to.eql({ a: true, b: false });
    expect(() => read({ a: flag() }, 'a=yes')).to.throw('Query parameter a is neither true nor false');
  });

  it('accept integers within their bounds', () => {
    expect(read({ a: integer(5), b: integer(7), c: integer(undefined) }, 'a=-3')).to.include({ a: -3, b: 7 });
    expect(read({ c: integer(undefined) }, '').c).to.equal(undefined);
    for (const text of ['1.5', 'x', '1e3', ' 1'])
      expect(() => read({ a: integer(0) }, `a=${text}`)).to.throw('Query parameter a is not an integer');
    expect(() => read({ a: integer(0, { minimum: 0 }) }, 'a=-1')).to.throw('is not between 0');
    for (const text of ['9999999999999999', `-${'9'.repeat(400)}`])
      expect(() => read({ a: integer(0) }, `a=${text}`)).to.throw('Query parameter a is not between');
  });

  it('accept UUIDs in any letter case', () => {
    expect(read({ a: uuidParameter }, `a=${id.toUpperCase()}`)).to.eql({ a: id });
    expect(() => read({ a: uuidParameter }, 'a=12')).to.throw('Query parameter a is not a UUID');
  });

  it('accept enumeration values in any letter case', () => {
    const audit = choice({ NONE: 'NONE', FULL: 'FULL' } as const, 'NONE');
    expect(read({ audit }, 'audit=full')).to.eql({ audit: 'FULL' });
    expect(read({ audit }, '')).to.eql({ audit: 'NONE' });
    expect(() => read({ audit }, 'audit=SOME')).to.throw('is not one of NONE, FULL');
  });

  it('accept only the documented spellings of a date (http-api 15.9 "Date input")', () => {
    const instants = ['2024-03-04T19:30:00-08:00', '2024-03-04T19:30:00-0800', '2024-03-05T03:30'].map(
      (text) => {
        const { at } = read({ at: moment }, `at=${text}`);
        return at?.kind === 'DATE_TIME' ? formatInstant(at.at) : null;
      },
    );
    expect(instants).to.eql(Array.from({ length: 3 }, () => '2024-03-05T03:30:00.000Z'));
    const { at } = read({ at: moment }, 'at=2024-3-4');
    expect(at?.kind === 'DATE' && formatLocalDate(at.date)).to.equal('2024-03-04');
    for (const text of ['2024-02-30', '04/03/2024']) {
      expect(() => read({ at: moment }, `at=${text}`))
        .to.throw('Query parameter at is neither a date nor a date-time')
        .with.property('code', 60002);
    }
    const plus = read({ at: instantParameter }, 'at=2024-03-04T19:30:00+02:00').at;
    expect(plus && formatInstant(plus)).to.equal('2024-03-04T17:30:00.000Z');
  });

  it('may be plugin properties, split at the first equals sign and omitted if empty (http-api 15.11 "Plugin properties")', () => {
    const query =
      'pluginProperty=token%3Da%3Db&pluginProperty=flag&pluginProperty=x%3D&pluginProperty=k%3D1&pluginProperty=k%3D2';
    expect(read({ pluginProperty: pluginProperties }, query).pluginProperty).to.eql([
      { key: 'token', value: 'a=b' },
      { key: 'k', value: '1' },
      { key: 'k', value: '2' },
    ]);
  });

  it('accept lists as repeated parameters or comma-separated values', () => {
    const ids = [id, other];
    expect(read({ ids: uuidList }, `ids=${id}&ids=${other}`).ids).to.eql(ids);
    expect(read({ ids: uuidList }, `ids=${id},%20${other.toUpperCase()},`).ids).to.eql(ids);
    expect(read({ ids: uuidList }, '').ids).to.eql([]);
    expect(() => read({ ids: uuidList }, `ids=${id},x`)).to.throw('contains an invalid UUID: "x"');
  });

  it('accept time zones as names and offsets', () => {
    expect(read({ zone: zoneParameter(UTC) }, 'zone=Pacific/Samoa')).to.eql({ zone: 'Pacific/Samoa' });
    expect(read({ zone: zoneParameter(UTC) }, 'zone=%2B05:30')).to.eql({ zone: '+05:30' });
    expect(() => read({ zone: zoneParameter(UTC) }, 'zone=Mars/Base')).to.throw(
      'is neither an IANA time zone',
    );
  });

  it('accept the offset and limit of a page, and reject a negative offset', () => {
    expect(read(pageParameters, '')).to.eql({ offset: 0, limit: 100 });
    expect(read(pageParameters, 'limit=-20000')).to.eql({ offset: 0, limit: -20_000 });
    for (const [limit, cut] of [
      [20_000, 10_000],
      [-20_000, -10_000],
      [0, 0],
      [-1, -1],
    ] as const)
      expect(cutPage(pageParameters, { offset: 7, limit }, 10_000)).to.eql({ offset: 7, limit: cut });
    expect(cutPage({ limit: integer(5) }, { limit: 20_000 }, 10_000)).to.eql({ limit: 20_000 });
    expect(() => read(pageParameters, 'offset=-1'))
      .to.throw()
      .with.property('code', 60002);
  });

  it('are reported as missing with the route’s own error code, if any', () => {
    expect(() => read({ a: requiredParameter(plainText) }, 'a='))
      .to.throw('Query parameter a needs to be set')
      .with.property('code', 60003);
    const ofAccount = requiredParameter(plainText, ErrorCode.ACCOUNT_CANNOT_MAP_NULL_KEY);
    expect(() => read({ a: ofAccount }, ''))
      .to.throw()
      .with.property('code', 3004);
  });

  it('appear in a link with their defaults', () => {
    const parameters = { ...pageParameters, flag: flag(), ids: uuidList, key: plainText };
    expect(filledQuery(parameters, `limit=2&ids=${id}&unknown=1`).toString()).to.equal(
      `offset=0&limit=2&flag=false&ids=${id}`,
    );
  });
});
