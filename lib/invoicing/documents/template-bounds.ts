import { invalidField } from '../../values/errors/index.ts';

/**
 * An uploaded template: characters (a logo of 180 kB as a data URL fits) and tags. The others bound the time of mustache.js:
 * characters without any markup, and blanks, in a row.
 */
export const MAX_TEMPLATE_CHARACTERS = 256 * 1_024;
const MAX_TEMPLATE_TAGS = 5_000;
const MAX_TEMPLATE_PLAIN_CHARACTERS = 10_000;
const MAX_TEMPLATE_BLANKS = 200;

const marks = new Set(['#', '^', '/', '>', '{', '&', '=', '!']);

/**
 * Refuses what mustache.js would read slowly. For each tag it looks for the next of `marks`, however far away, and at
 * each blank for the end of the blanks: so both are bounded, and delimiters, which would make anything a tag, are those
 * of Mustache.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003).
 */
export function checkTemplateBounds(source: string): void {
  if (source.length > MAX_TEMPLATE_CHARACTERS)
    throw invalidField(
      `The template has ${source.length} characters; at most ${MAX_TEMPLATE_CHARACTERS} are rendered`,
    );
  let tags = 0;
  let plain = 0;
  let blanks = 0;
  for (let index = 0; index < source.length; index += 1) {
    const character = source.charAt(index);
    plain = marks.has(character) ? 0 : plain + 1;
    blanks = character.trim() === '' ? blanks + 1 : 0;
    if (plain > MAX_TEMPLATE_PLAIN_CHARACTERS)
      throw invalidField(
        `The template has more than ${MAX_TEMPLATE_PLAIN_CHARACTERS} characters without any markup before ${index}`,
      );
    if (blanks > MAX_TEMPLATE_BLANKS)
      throw invalidField(`The template has more than ${MAX_TEMPLATE_BLANKS} blanks in a row before ${index}`);
    if (source.startsWith('{{', index)) tags += 1;
  }
  if (tags > MAX_TEMPLATE_TAGS)
    throw invalidField(`The template has some ${tags} tags; at most ${MAX_TEMPLATE_TAGS} are rendered`);
  if (/\{\{\s{0,9}=/.test(source))
    throw invalidField('The template changes its delimiters; tags are written {{name}} here');
}
