/** Characters of a bad value that a message repeats. */
const SHOWN_CHARACTERS = 100;

/** A caller's text as a message may repeat it: its beginning, well-formed, with an ellipsis for the rest. */
export function shortened(text: string): string {
  if (text.length <= SHOWN_CHARACTERS) return text.toWellFormed();
  return `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`;
}
