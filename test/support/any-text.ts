import fc from 'fast-check';

/**
 * Text of any characters. The `binary` unit of fast-check does the same but spends a second per process on listing
 * them.
 */
export function anyText(maxLength: number): fc.Arbitrary<string> {
  return fc
    .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength })
    .map((points) => String.fromCodePoint(...points).toWellFormed());
}
