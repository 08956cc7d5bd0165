import fc from 'fast-check';

/**
 * Text of any characters that there are. The `binary` unit of fast-check gives the same, and lists all of them first,
 * which takes each process a second.
 */
export function anyText(maxLength: number): fc.Arbitrary<string> {
  return fc
    .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength })
    .map((points) => String.fromCodePoint(...points).toWellFormed());
}
