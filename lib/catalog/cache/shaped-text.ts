/** Stands for a blank. JSON has no such character, and writes those of texts as escapes. */
const BLANK = '\u001a';
/** Between what fills two blanks; no value of one line of JSON holds it. */
const SEPARATOR = '\n';

/** In the text of a plan: the date for existing subscriptions, which stands first, and the digits of each decimal. */
const variable = /(?<=^\{"effectiveDateForExistingSubscriptions":)[^,]*|(?<=\{"d":")[^"]*/g;

export interface ShapedText {
  /** The text with blanks. */
  readonly shape: string;
  /** What stands in them. */
  readonly filling: string;
}

/**
 * Divides the text of a plan into what it has in common with its other versions and what a change of prices changes, so
 * that a thousand versions of a plan do not hold a thousand times the names of its phases. Any text comes back as it was.
 */
export function shapedText(text: string): ShapedText {
  const filling: string[] = [];
  const shape = text.replace(variable, (value) => {
    filling.push(value);
    return BLANK;
  });
  return { shape, filling: filling.join(SEPARATOR) };
}

/** A shape as it is kept for all parts that have it. */
export class Shape {
  /** Of the plans that have it. */
  readonly name: string;
  readonly characters: number;
  readonly #pieces: readonly string[];

  constructor({ name, text }: { readonly name: string; readonly text: string }) {
    this.name = name;
    this.characters = text.length;
    this.#pieces = text.split(BLANK);
  }

  /** The text that `shapedText` has divided. */
  fill(filling: string): string {
    const values = filling.split(SEPARATOR);
    return this.#pieces
      .map((piece, index) => (index === 0 ? piece : `${values[index - 1]}${piece}`))
      .join('');
  }
}
