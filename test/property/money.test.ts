import {
  allocate,
  currencyCodes,
  Decimal,
  decimal,
  formatDecimal,
  minorUnits,
  parseExactJson,
  parseWireDecimal,
  quotient,
  roundToCurrency,
  roundToScale,
  stringifyExactJson,
  sum,
} from '../../lib/values/money/index.ts';
import { expect, fc, forAll } from '../support/property.ts';

const currencies = fc.constantFrom(...currencyCodes);
/** Scaled integers and their scale: 15 integer digits and up to 9 fractional digits. */
const scaled = fc.record({
  units: fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n }),
  scale: fc.integer({ min: 0, max: 9 }),
});
const weights = fc
  .array(
    fc.record({ units: fc.bigInt({ min: 0n, max: 10n ** 9n }), scale: fc.integer({ min: 0, max: 4 }) }),
    {
      minLength: 1,
      maxLength: 40,
    },
  )
  .filter((list) => list.some(({ units }) => units > 0n));

describe('exact amounts', () => {
  it('are split completely into whole minor units that match the weights to within one unit', () =>
    forAll(
      [fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }), weights, currencies],
      (units, list, currency) => {
        const unit = new Decimal(10).pow(-minorUnits(currency));
        const total = unit.times(units.toString());
        const shares = list.map((weight) => decimal(plainText(weight)));
        const parts = allocate(total, shares, currency);

        expect(formatDecimal(sum(parts))).to.equal(formatDecimal(total));
        const all = sum(shares);
        for (const [index, part] of parts.entries()) {
          const share = shares[index] ?? decimal(0);
          expect(part.dividedBy(unit).isInteger()).to.equal(true);
          if (share.isZero()) expect(formatDecimal(part)).to.equal('0');
          const exact = total.times(share).dividedBy(all);
          expect(part.minus(exact).abs().lt(unit)).to.equal(true);
        }
      },
    ));

  it('are split like their positive counterparts but with the opposite sign if they are negative', () =>
    forAll([fc.bigInt({ min: 0n, max: 10n ** 12n }), weights], (units, list) => {
      const total = decimal(units).dividedBy(100);
      const shares = list.map((weight) => decimal(plainText(weight)));
      const mirrored = allocate(total.negated(), shares, 'EUR').map((part) => formatDecimal(part.negated()));
      expect(mirrored).to.eql(allocate(total, shares, 'EUR').map(formatDecimal));
    }));
});

describe('exact amounts in rounding', () => {
  it('are rounded half away from zero to the currency’s minor unit, like integer arithmetic', () =>
    forAll([scaled, currencies], (value, currency) => {
      const scale = minorUnits(currency);
      const rounded = roundToCurrency(decimal(plainText(value)), currency);
      expect(formatDecimal(rounded)).to.equal(
        formatDecimal(decimal(plainText({ units: roundHalfUp(value, scale), scale }))),
      );
    }));

  it('are rounded half up to 9 decimals in a quotient of days, matching integer arithmetic', () =>
    forAll([fc.integer({ min: -4_000, max: 4_000 }), fc.integer({ min: 1, max: 4_000 })], (n, t) => {
      const numerator = BigInt(Math.abs(n)) * 10n ** 9n * 2n + BigInt(t);
      const magnitude = numerator / (2n * BigInt(t));
      const units = n < 0 ? -magnitude : magnitude;
      expect(formatDecimal(quotient(n, t))).to.equal(formatDecimal(decimal(plainText({ units, scale: 9 }))));
    }));

  it('change by at most half a unit when rounded, and not at all when rounded again', () =>
    forAll([scaled, fc.integer({ min: 0, max: 9 })], (value, scale) => {
      const exact = decimal(plainText(value));
      const rounded = roundToScale(exact, scale);
      expect(roundToScale(rounded, scale).eq(rounded)).to.equal(true);
      expect(
        rounded
          .minus(exact)
          .abs()
          .lte(new Decimal('0.5').times(new Decimal(10).pow(-scale))),
      ).to.equal(true);
    }));
});

describe('exact amounts in JSON', () => {
  const changed = (text: string, at: number, put: string): string => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + put + text.slice(place + 1);
  };
  const numbersAsDoubles = (value: unknown): unknown => {
    if (value instanceof Decimal) return Number(value.toString());
    if (Array.isArray(value)) return value.map(numbersAsDoubles);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, numbersAsDoubles(each)]));
  };
  const outcomeOf = (read: () => unknown): unknown => {
    try {
      return JSON.stringify(read());
    } catch (error) {
      return error instanceof SyntaxError ? 'not JSON' : error;
    }
  };

  it('are read from the same strings that JSON.parse accepts, even with one corrupted character', () => {
    const spoiler = fc.constantFrom('', ...'"\\[]{},:0-.e \n\u0000');
    forAll([fc.json({ maxDepth: 4 }), fc.nat(), spoiler], (json, at, put) => {
      for (const text of [json, changed(json, at, put)]) {
        const expected = outcomeOf(() => numbersAsDoubles(JSON.parse(text)));
        expect(
          outcomeOf(() => numbersAsDoubles(parseExactJson(text))),
          text,
        ).to.equal(expected);
      }
    });
  });
});

describe('exact amounts over HTTP', () => {
  it('keep every digit in JSON, without an exponent or trailing zeros', () =>
    forAll([fc.array(scaled)], (values) => {
      const literals = values.map(plainText);
      const text = stringifyExactJson({ values: literals.map((literal) => decimal(literal)) });
      expect(text).to.equal(`{"values":[${literals.map(withoutTrailingZeros).join(',')}]}`);
      expect(stringifyExactJson(parseExactJson(text))).to.equal(text);
    }));

  it('are equal in plain, padded and exponent form', () =>
    forAll([scaled], (value) => {
      const expected = withoutTrailingZeros(plainText(value));
      const forms = [plainText(value), `${plainText({ units: value.units * 10n, scale: value.scale + 1 })}`];
      forms.push(`${value.units}e-${value.scale}`, `${value.units}E-0${value.scale}`);
      for (const form of forms) {
        const parsed = parseWireDecimal(form);
        expect(parsed === undefined ? form : formatDecimal(parsed)).to.equal(expected);
      }
    }));
});

interface Scaled {
  readonly units: bigint;
  readonly scale: number;
}

function plainText({ units, scale }: Scaled): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${units < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(digits.length - scale)}`}`;
}

function withoutTrailingZeros(literal: string): string {
  const trimmed = literal.includes('.') ? literal.replace(/\.?0+$/, '') : literal;
  return trimmed === '-0' ? '0' : trimmed;
}

function roundHalfUp({ units, scale }: Scaled, target: number): bigint {
  if (target >= scale) return units * 10n ** BigInt(target - scale);
  const divisor = 10n ** BigInt(scale - target);
  const magnitude = units < 0n ? -units : units;
  const rounded = (magnitude + divisor / 2n) / divisor;
  return units < 0n ? -rounded : rounded;
}
