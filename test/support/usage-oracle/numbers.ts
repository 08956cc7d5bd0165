// Amounts as whole billionths, with an arithmetic of their own.

export const ONE = 1_000_000_000n;
const CENT = 10_000_000n;

/** `12.5`, with up to nine decimals. */
export function billionths(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole) * ONE + BigInt(fraction.padEnd(9, '0'));
  return text.startsWith('-') ? -value : value;
}

/** Plain, without trailing zeros. */
export function shown(value: bigint): string {
  const absolute = value < 0n ? -value : value;
  const fraction = String(absolute % ONE)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${absolute / ONE}${fraction === '' ? '' : `.${fraction}`}`;
}

/** To whole cents, halves away from zero. */
export function toCents(value: bigint): bigint {
  const doubled = 2n * (value < 0n ? -value : value) + CENT;
  const rounded = (doubled / (2n * CENT)) * CENT;
  return value < 0n ? -rounded : rounded;
}

export function total(values: Iterable<bigint>): bigint {
  let all = 0n;
  for (const value of values) all += value;
  return all;
}

/** By code points. */
export function byText(one: string, other: string): number {
  const [a, b] = [[...one], [...other]];
  for (const [place, letter] of a.entries()) {
    const against = b[place];
    if (against === undefined) return 1;
    if (letter !== against) return (letter.codePointAt(0) ?? 0) - (against.codePointAt(0) ?? 0);
  }
  return a.length - b.length;
}
