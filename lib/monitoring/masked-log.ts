import type { LogFile, SystemClock } from '../ports/index.ts';
import { maskSecretShapes } from '../values/text/index.ts';

/** Some milliseconds of work. */
const PIECE_BYTES = 65_536;
const NEWLINE = 0x0a;

/** Returns a log file with the secrets masked that their shape gives away. Gives way to other work between pieces. */
export async function maskedLog(
  { name, text }: LogFile,
  nextTurn: SystemClock['nextTurn'],
): Promise<LogFile> {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from);
    pieces.push(maskedPiece(text.subarray(from, to)));
    from = to;
    await nextTurn();
  }
  return { name, text: joined(pieces) };
}

/** Pieces end with a line, so that no secret is cut in two, unless the line is longer than a piece. */
function endOfPiece(text: Uint8Array, from: number): number {
  const newline = text.indexOf(NEWLINE, from + PIECE_BYTES);
  return Math.min(newline < 0 ? text.length : newline + 1, from + 2 * PIECE_BYTES);
}

/** The same bytes if nothing is masked: a file may hold what is not UTF-8. */
function maskedPiece(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes);
  const masked = maskSecretShapes(text);
  return masked === text ? bytes : new TextEncoder().encode(masked);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
