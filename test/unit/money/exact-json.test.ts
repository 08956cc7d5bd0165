import { expect } from 'chai';
import {
  Decimal,
  decimal,
  decimalOf,
  formatDecimal,
  JsonBoundError,
  JsonNumber,
  parseExactJson,
  parseSubmittedJson,
  stringifyExactJson,
} from '../../../lib/values/money/index.ts';

describe('exact JSON', () => {
  it('keeps all digits of an amount in both directions (http-api 15.10 "Decimals")', () => {
    for (const literal of [
      '99999999999999.99',
      '0.123456789',
      '123456789012345.123456789',
      '9007199254740993',
    ]) {
      expect(stringifyExactJson(parseExactJson(`{"amount":${literal}}`))).to.equal(`{"amount":${literal}}`);
    }
  });

  it('writes plain numbers without an exponent or trailing zeros', () => {
    const value = { list: ['10.50', '1.05e1', '1e21', '0.0000001', '-0'].map((text) => decimal(text)) };
    expect(stringifyExactJson(value)).to.equal('{"list":[10.5,10.5,1000000000000000000000,0.0000001,0]}');
    expect(stringifyExactJson(decimal('5.0'))).to.equal('5');
    const given = {
      left: undefined,
      at: new Date(0),
      own: { toJSON: () => [decimal('1.10')] },
      list: [undefined],
    };
    expect(stringifyExactJson(given)).to.equal('{"at":"1970-01-01T00:00:00.000Z","own":[1.1],"list":[null]}');
  });

  it('parses every number as a decimal at any depth, and keeps other values unchanged', () => {
    const read = parseExactJson('{"a":[1,{"b":-2.5e-3}],"text":"1.0","yes":true,"none":null}');
    expect(read).to.have.property('a').that.is.an('array');
    expect(stringifyExactJson(read)).to.equal('{"a":[1,{"b":-0.0025}],"text":"1.0","yes":true,"none":null}');
    const number = parseExactJson('7');
    expect(number).to.be.instanceOf(Decimal);
    expect(number instanceof Decimal ? formatDecimal(number) : '').to.equal('7');
  });

  it('writes values other than numbers in the standard JSON form', () => {
    const value = {
      text: 'ä"\n',
      n: 3,
      at: new Date(0),
      skipped: undefined,
      list: [undefined, null],
      nested: { a: [] },
    };
    expect(stringifyExactJson(value)).to.equal(JSON.stringify(value));
  });

  it('writes numeric strings as strings', () =>
    expect(stringifyExactJson({ amount: '10.5', total: decimal('10.5') })).to.equal(
      '{"amount":"10.5","total":10.5}',
    ));

  it('does not let a document change the prototype', () => {
    const read = parseExactJson('{"__proto__":{"polluted":1}}');
    expect(Object.getPrototypeOf(read)).to.equal(Object.prototype);
    expect(read).to.not.have.property('polluted');
  });

  it('rejects invalid JSON', () => {
    for (const text of ['', '{', '{"a":01}', '{"a":1.}', '[NaN]', "{'a':1}"])
      expect(() => parseExactJson(text), text).to.throw(SyntaxError);
  });
});

describe('JSON from a caller', () => {
  const bounds = { depth: 3, elements: 4 };

  it('keeps the spelling of its numbers, and converts only numbers that are read', () => {
    const read = parseSubmittedJson('{"a":[1.50,-2e3],"huge":1e999999999}', bounds);
    const [first, second] = (read as { readonly a: readonly unknown[] }).a;
    expect(first).to.eql(new JsonNumber('1.50'));
    expect([first, second].map((each) => decimalOf(each)?.toString())).to.eql(['1.5', '-2000']);
    expect(decimalOf('1')).to.equal(undefined);
  });

  it('is written back without expanding a huge exponent', () => {
    const read = parseSubmittedJson('[1e200000000,-1E-200000000,1.50,1e2]', bounds);
    expect(stringifyExactJson(read)).to.equal('[1e200000000,-1E-200000000,1.5,100]');
  });

  it('has limits on list length and nesting depth', () => {
    expect(parseSubmittedJson('[[[1]],2,3,"a"]', bounds)).to.have.length(4);
    for (const [text, bound, found] of [
      ['{"a":[1,2,3,4,5,6]}', 'elements', 6],
      ['[[[[1]]]]', 'depth', 4],
    ] as const) {
      expect(() => parseSubmittedJson(text, bounds), text)
        .to.throw(JsonBoundError)
        .that.includes({ bound, found });
    }
  });
});
