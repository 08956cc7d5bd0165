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
