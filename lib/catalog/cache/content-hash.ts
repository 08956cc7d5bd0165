import { eachStep, inOneTurn, type TimeSlices } from '../../runtime/index.ts';

/** Characters that are encoded in one step, and the bytes that one of them takes at most. */
const CHARACTERS_PER_STEP = 65_536;
const BYTES_PER_CHARACTER = 3;

/** SHA-256 of a text, in hexadecimal. @param slices for a long one. */
export async function sha256Hex(text: string, slices: TimeSlices = inOneTurn): Promise<string> {
  const bytes = new Uint8Array(text.length * BYTES_PER_CHARACTER);
  const encoder = new TextEncoder();
  let written = 0;
  await slices(
    eachStep(piecesOf(text), (piece) => {
      written += encoder.encodeInto(piece, bytes.subarray(written)).written;
    }),
  );
  const digest = await crypto.subtle.digest('SHA-256', bytes.subarray(0, written));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Pieces of the text, none of which ends within a pair of surrogates. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + CHARACTERS_PER_STEP, text.length);
    if (isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length) end += 1;
    yield text.slice(start, end);
    start = end;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
