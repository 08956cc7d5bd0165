const LONGEST_QUOTE = 60;

/** A piece of a document for use in a message, shortened. */
export function quote(text: string): string {
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE - 3)}...` : text);
}
