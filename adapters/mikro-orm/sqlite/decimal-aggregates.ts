import { type Decimal, decimal, formatDecimal } from '../../../lib/values/money/index.ts';

/** Number of digits per part. Decimals are split into integers of this length, because SQLite sums integers exactly. */
const PART_DIGITS = 10;
const WHOLE_PARTS = 3;
const WHOLE_DIGITS = PART_DIGITS * WHOLE_PARTS;
const FRACTION_DIGITS = 9;

/** First character of a negative decimal in sortable texts. Such texts sort in the order of their decimals. */
const NEGATIVE = '0';
const POSITIVE = '1';

/**
 * Returns SQL for an exact aggregate of a text column. The column contains decimals with up to 30 digits before and 9
 * after the decimal point.
 */
export function aggregateOfTexts(of: 'sum' | 'max' | 'min', column: string): string {
  const parts = partsOf(column);
  if (of === 'sum') {
    const sums = parts.map(({ value }) => `sum(iif(${column} like '-%', -1, 1) * ${value})`);
    // If there are no rows, all sums are null, so the text is also null.
    return sums.join(` || ' ' || `);
  }
  const digits = (below: boolean): string =>
    parts
      .map(
        ({ value, length }) => `printf('%0${length}d', ${below ? `${'9'.repeat(length)} - ` : ''}${value})`,
      )
      .join(' || ');
  // Of two negative numbers, the number with the greater absolute value is smaller.
  const ordered = `iif(${column} like '-%', '${NEGATIVE}' || ${digits(true)}, '${POSITIVE}' || ${digits(false)})`;
  return `${of}(iif(${column} is null, null, ${ordered}))`;
}

export function decimalOfAggregate(aggregated: string): Decimal {
  return aggregated.includes(' ') ? sumOf(aggregated.split(' ')) : orderedDecimal(aggregated);
}

function partsOf(column: string): readonly { readonly value: string; readonly length: number }[] {
  const size = `ltrim(${column}, '-')`;
  const point = `instr(${size} || '.', '.')`;
  const whole = `('${'0'.repeat(WHOLE_DIGITS)}' || substr(${size}, 1, ${point} - 1))`;
  const fraction = `(substr(${size}, ${point} + 1) || '${'0'.repeat(FRACTION_DIGITS)}')`;
  const wholes = Array.from({ length: WHOLE_PARTS }, (_, index) => ({
    value: `cast(substr(${whole}, ${-PART_DIGITS * (WHOLE_PARTS - index)}, ${PART_DIGITS}) as integer)`,
    length: PART_DIGITS,
  }));
  return [
    ...wholes,
    { value: `cast(substr(${fraction}, 1, ${FRACTION_DIGITS}) as integer)`, length: FRACTION_DIGITS },
  ];
}

function sumOf(parts: readonly string[]): Decimal {
  const scaled = parts.reduce(
    (total, part, index) =>
      total * 10n ** BigInt(index < WHOLE_PARTS ? PART_DIGITS : FRACTION_DIGITS) + BigInt(part),
    0n,
  );
  return decimal(insertDecimalPoint(scaled));
}

function orderedDecimal(text: string): Decimal {
  const digits = BigInt(text.slice(1));
  const most = 10n ** BigInt(WHOLE_DIGITS + FRACTION_DIGITS) - 1n;
  return decimal(insertDecimalPoint(text.startsWith(NEGATIVE) ? digits - most : digits));
}

function insertDecimalPoint(scaled: bigint) {
  const isNegative = scaled < 0n;
  const digits = String(isNegative ? -scaled : scaled).padStart(FRACTION_DIGITS + 1, '0');
  return `${isNegative ? '-' : ''}${digits.slice(0, -FRACTION_DIGITS)}.${digits.slice(-FRACTION_DIGITS)}`;
}

/** Returns true if the decimal has no more digits than aggregates support. */
export function isAggregable(amount: Decimal): boolean {
  const [whole = '', fraction = ''] = formatDecimal(amount.abs()).split('.');
  return whole.length <= WHOLE_DIGITS && fraction.length <= FRACTION_DIGITS;
}
