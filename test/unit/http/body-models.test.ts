import {
  defaultRequestLimits,
  jsonBody,
  optionalJsonBody,
  xmlBody,
} from '../../../adapters/koa/routing/body.ts';
import { field, model, partial } from '../../../adapters/koa/wire/model.ts';
import {
  bool,
  currency,
  date,
  decimalNumber,
  enumeration,
  externalKey,
  int,
  text,
  timestamp,
  uuid,
} from '../../../adapters/koa/wire/scalars.ts';
import { byDialect, listOf } from '../../../adapters/koa/wire/wire-type.ts';
import { errorOf, expect, formatDecimal, formatInstant, formatLocalDate } from '../../support/unit.ts';

const Leaf = model('TestLeaf', { size: field(int(), 'C', { required: true }) });
const Sample = model('TestSample', {
  id: field(uuid, 'R'),
  key: field(externalKey, 'C', { required: true }),
  name: field(text(5), 'W', { nullable: true }),
  flag: field(bool, 'W'),
  count: field(int(), 'W'),
  amount: field(decimalNumber, 'W'),
  owner: field(uuid, 'W', { nullable: true }),
  day: field(date, 'W'),
  at: field(timestamp, 'W'),
  kind: field(enumeration({ ONE: 'ONE', TWO: 'TWO' } as const), 'W'),
  currency: field(currency, 'W'),
  leaves: field(listOf(Leaf), 'W'),
  start: field(byDialect<unknown>({ D: date, K: timestamp }), 'R'),
  extra: field(text(), 'R', { onlyD: true }),
  override: field(text(), 'I'),
});

const inD = { dialect: 'D', limits: { ...defaultRequestLimits, list: 1_000 } } as const;
const bytes = (json: string) => new TextEncoder().encode(json);
const read = (json: string) => jsonBody(Sample).read(bytes(json), inD);
const readPartial = (json: string) => jsonBody(partial(Sample)).read(bytes(json), inD);

describe('body conversion', () => {
  it('coerces scalars to the type of their field', () =>
    expect(
      read('{"key":94105,"name":true,"flag":"FALSE","count":"31","owner":"","day":"2013-8-1"}'),
    ).to.include({ key: '94105', name: 'true', flag: false, count: 31, owner: null }));

  it('distinguishes absent from null, and ignores unknown fields', () =>
    expect(readPartial('{"name":null,"unknown":1,"id":"x","extra":"y"}')).to.eql({ name: null }));

  it('preserves decimals given as numbers or strings', () => {
    for (const [literal, value] of [
      ['10.50', '10.5'],
      ['"10.50"', '10.5'],
      ['1.05e1', '10.5'],
      ['0.123456789', '0.123456789'],
      ['999999999999999.99', '999999999999999.99'],
      ['-0.1', '-0.1'],
    ] as const) {
      const { amount } = readPartial(`{"amount":${literal}}`);
      expect(amount && formatDecimal(amount)).to.equal(value);
    }
  });

  for (const literal of ['0.1234567891', '1000000000000000', '"x"', 'true', '1e400', '[]'])
    it(`rejects ${literal} as a decimal`, () => {
      const error = errorOf(() => readPartial(`{"amount":${literal}}`));
      expect(error.code).to.equal(60001);
      expect(error.message).to.match(/^TestSampleJson amount is not a decimal/);
    });

  it('accepts dates and instants', () => {
    const value = readPartial('{"day":"2024-3-4","at":"2024-03-04T19:30:00-08:00"}');
    expect(value.day && formatLocalDate(value.day)).to.equal('2024-03-04');
    expect(value.at && formatInstant(value.at)).to.equal('2024-03-05T03:30:00.000Z');
    const others = ['"2024-03-05"', '1709596800000'].map((literal) => readPartial(`{"at":${literal}}`).at);
    expect(others.map((at) => at && formatInstant(at))).to.eql(
      Array.from({ length: 2 }, () => '2024-03-05T00:00:00.000Z'),
    );
  });

  it('accepts numeric dates and instants in dialect K', () => {
    const json = '{"day":[2012,9,25],"at":[2012,9,25,7,30,15,250]}';
    const { day, at } = jsonBody(partial(Sample)).read(bytes(json), { ...inD, dialect: 'K' });
    expect(day && formatLocalDate(day)).to.equal('2012-09-25');
    expect(at && formatInstant(at)).to.equal('2012-09-25T07:30:15.250Z');
    for (const [field, literal] of [
      ['day', '[2012,9,31]'],
      ['day', '["2012",9,30]'],
      ['day', '1348531200000'],
      ['at', '[2012,9,25,7]'],
      ['at', '[[2012],9,25]'],
    ] as const) {
      const read = () =>
        jsonBody(partial(Sample)).read(bytes(`{"${field}":${literal}}`), { ...inD, dialect: 'K' });
      expect(errorOf(read).message, literal).to.match(new RegExp(`^TestSampleJson ${field} is not a date`));
    }
    expect(errorOf(() => readPartial('{"day":[2012,9,25]}')).code).to.equal(60001);
  });

  const refusals: readonly (readonly [json: string, code: number, message: RegExp])[] = [
    ['{"key":"a","count":1.5}', 60001, /^TestSampleJson count is not an integer: 1\.5$/],
    ['{"key":"a","count":"x"}', 60001, /count is not an integer: "x"/],
    ['{"key":"a","flag":1}', 60001, /flag is not a boolean: 1/],
    ['{"key":"a","owner":"12"}', 60001, /owner is not a UUID: "12"/],
    ['{"key":"a","day":"2024-02-30"}', 60001, /day is not a date/],
    ['{"key":"a","at":"04\\/03\\/2024"}', 60001, /at is not a date-time/],
    ['{"key":"a","kind":"one"}', 60001, /kind is not one of ONE, TWO: "one"/],
    ['{"key":"a","name":{}}', 60001, /name is not text/],
    ['{"key":"a","name":"123456"}', 60003, /name is 6 characters long; at most 5 are allowed/],
    [`{"key":"${'k'.repeat(256)}"}`, 5, /key is 256 characters long/],
    ['{"key":"a","leaves":{}}', 60001, /leaves is not a list/],
    ['{"key":"a","leaves":[{"size":1},{}]}', 60003, /^TestLeafJson size needs to be set$/],
    ['{"key":"a","leaves":[{"size":"x"}]}', 60001, /^TestSampleJson leaves\.0\.size is not an integer/],
    ['{"key":"a","leaves":[null]}', 60003, /^TestLeafJson body should be specified$/],
    [
      `{"key":"a","leaves":[${Array.from({ length: 1_001 }, () => '{"size":1}').join()}]}`,
      60003,
      /at most 1000/,
    ],
    ['{}', 60003, /^TestSampleJson key needs to be set$/],
    ['{"key":""}', 60003, /^TestSampleJson key needs to be set$/],
    ['{"key":null}', 60003, /^TestSampleJson key needs to be set$/],
    ['[]', 60001, /^TestSampleJson is not of type object$/],
    ['"text"', 60001, /^TestSampleJson is not of type object$/],
    ['{"key":', 60001, /^The body is not JSON/],
    ['null', 60003, /^TestSampleJson body should be specified$/],
    [' ', 60003, /^TestSampleJson body should be specified$/],
    ['['.repeat(400_000), 60001, /more than 64 levels deep$/],
    [`${'['.repeat(200_000)}${']'.repeat(200_000)}`, 60001, /more than 64 levels deep$/],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 60001, /more than 64 levels deep$/],
    [`${'['.repeat(64)}${']'.repeat(64)}`, 60001, /^TestSampleJson is not of type object$/],
    ['1', 60001, /^TestSampleJson is not of type object$/],
    ['1.5', 60001, /^TestSampleJson is not of type object$/],
    ['true', 60001, /^TestSampleJson is not of type object$/],
    ['{"key":"a","leaves":[1]}', 60001, /^TestSampleJson leaves\.0 is not of type object$/],
    ['{"key":"a\\u0000"}', 60001, /^TestSampleJson key contains a NUL/],
    ['{"key":"a","count":2147483648}', 60003, /^TestSampleJson count is not between -2147483648 and/],
  ];
  for (const [json, code, message] of refusals)
    it(`rejects ${json.slice(0, 60)} with error ${code}`, () => {
      const error = errorOf(() => read(json));
      expect(error.code).to.equal(code);
      expect(error.message).to.match(message);
    });

  it('does not count brackets in strings or adjacent objects as nesting', () => {
    const text = `\\"${'['.repeat(100)}`;
    const leaves = Array.from({ length: 100 }, () => '{"size":1}').join();
    expect(read(`{"key":"${text}","leaves":[${leaves}]}`)).to.include({ key: `"${'['.repeat(100)}` });
  });

  it('limits the length of lists at every level', () => {
    const lists = (count: number) => Array.from({ length: count }, () => '{"size":1}').join();
    const few = (json: string) =>
      jsonBody(Sample).read(bytes(json), { ...inD, limits: { ...inD.limits, list: 3 } });
    expect(few(`{"key":"k","leaves":[${lists(3)}]}`).leaves).to.have.length(3);
    for (const body of [`{"key":"k","leaves":[${lists(4)}]}`, '{"key":"k","other":[{"deep":[1,2,3,4]}]}']) {
      const error = errorOf(() => few(body));
      expect(error.code).to.equal(60003);
      expect(error.message).to.match(/has 4 elements; at most 3 are allowed/);
    }
    expect(few('{"key":"k","amount":12345678.123456789}').key).to.equal('k');
  });

  it('rejects invalid UTF-8', () => {
    const error = errorOf(() => jsonBody(Sample).read(Uint8Array.from([0x7b, 0xff, 0x7d]), inD));
    expect(error).to.include({ code: 60001, message: 'The body is not UTF-8' });
  });

  it('accepts a missing body if the body is optional', () => {
    expect(optionalJsonBody(Sample).read(undefined, inD)).to.equal(null);
    expect(optionalJsonBody(Sample).read(bytes('null'), inD)).to.equal(null);
  });

  it('never lets a body change an object prototype', () =>
    expect(readPartial('{"__proto__":{"flag":true},"constructor":1}')).to.eql({}));
});

describe('XML body conversion', () => {
  it('passes XML on unchanged, and rejects an empty body', () => {
    expect(xmlBody.read(bytes('<a/>'), inD)).to.eql(bytes('<a/>'));
    expect(errorOf(() => xmlBody.read(undefined, inD)).code).to.equal(60003);
    expect(errorOf(() => xmlBody.read(bytes(''), inD)).code).to.equal(60003);
  });
});

describe('JSON response conversion', () => {
  const answer = {
    id: '01a1fcfe-e8ec-717e-8cdb-6282f0f9f546',
    key: 'k',
    name: null,
    flag: true,
    count: 1,
    amount: 1.5,
    owner: null,
    day: '2024-01-01',
    at: '2024-01-01T00:00:00.000Z',
    kind: 'ONE',
    currency: 'USD',
    leaves: [{ size: 1 }],
    start: '2024-01-01',
    extra: 'x',
    override: null,
  };
  const { extra: _extra, ...inK } = { ...answer, start: '2024-01-01T00:00:00.000Z' };

  it('writes every field in the form of the dialect', () => {
    expect(Sample.answer.D.safeParse(answer).success).to.equal(true);
    expect(Sample.answer.K.safeParse(inK).success).to.equal(true);
    expect(Sample.answer.D.safeParse(inK).success).to.equal(false);
    expect(Sample.answer.K.safeParse(answer).success).to.equal(false);
  });

  it('omits null values and extra fields that the model excludes', () => {
    expect(Sample.answer.D.safeParse({ ...answer, count: null }).success).to.equal(false);
    expect(Sample.answer.D.safeParse({ ...answer, more: 1 }).success).to.equal(false);
    expect(Sample.answer.D.safeParse({ ...answer, at: '2024-01-01T00:00:00Z' }).success).to.equal(false);
  });

  it('describes the model with its flags in the OpenAPI document', () => {
    const { properties, required } = Sample.component;
    // `key` is not required, because updates can omit it.
    expect(required).to.eql(['id', 'start']);
    expect(properties).to.deep.include({
      id: { type: 'string', format: 'uuid', readOnly: true },
      key: { type: 'string', maxLength: 255 },
      name: { type: ['string', 'null'], maxLength: 5 },
      kind: { type: 'string', enum: ['ONE', 'TWO'] },
      leaves: { type: 'array', items: { $ref: '#/components/schemas/TestLeaf' } },
      override: { type: ['string', 'null'] },
    });
  });
});
