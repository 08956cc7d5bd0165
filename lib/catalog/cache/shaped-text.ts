import { eachStep, inOneTurn, type TimeSlices } from '../../runtime/index.ts';

/** Stands for a blank. JSON never contains this character: it escapes the ones in texts. */
const BLANK = '\u001a';
/** Separates the fillings of two blanks; no value on one line of JSON contains it. */
const SEPARATOR = '\n';

/**
 * The variable parts of a plan's text: the date for existing subscriptions, which comes first, and the digits of each
 * decimal.
 */
const variable = /(?<=^\{"effectiveDateForExistingSubscriptions":)[^,]*|(?<=\{"d":")[^"]*/g;

export interface ShapedText {
  /** The text with blanks. */
  readonly shape: string;
  /** What fills them. */
  readonly filling: string;
}

/**
 * Divides the text of a plan into what it shares with its other versions and what a change of prices changes, so that a
 * thousand versions of a plan do not hold the names of its phases a thousand times. `Shape.fill` restores any text
 * unchanged.
 */
export function shapedText(text: string): ShapedText {
  const filling: string[] = [];
  const shape = text.replace(variable, (value) => {
    filling.push(value);
    return BLANK;
  });
  return { shape, filling: filling.join(SEPARATOR) };
}

/** A shape, cached for all parts that have it. */
export class Shape {
  /** Name of the plans that have it. */
  readonly name: string;
  readonly characters: number;
  readonly #pieces: readonly string[];

  constructor({ name, text }: { readonly name: string; readonly text: string }) {
    this.name = name;
    this.characters = text.length;
    this.#pieces = text.split(BLANK);
  }

  /** Restores the text that `shapedText` has divided. */
  fill(filling: string): string {
    const values = filling.split(SEPARATOR);
    return this.#pieces
      .map((piece, index) => (index === 0 ? piece : `${values[index - 1]}${piece}`))
      .join('');
  }
}

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
