import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { MAX_JSON_DEPTH } from '../../../lib/values/limits.ts';

/**
 * Checks the brackets of a JSON text before it is parsed, since reading values is recursive.
 * @throws BillingError MALFORMED_BODY for lists and objects nested deeper than MAX_JSON_DEPTH.
 */
export function checkJsonDepth(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '"') at = endOfText(text, at);
    else depth += steps.get(character) ?? 0;
    if (depth > MAX_JSON_DEPTH) throw tooDeep();
  }
}

const steps: ReadonlyMap<string, number> = new Map([
  ['{', 1],
  ['[', 1],
  ['}', -1],
  [']', -1],
]);

/** Index of the quote that ends the text beginning at `start`; the end of the input if none does. */
function endOfText(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === '\\') at++;
    else if (json[at] === '"') return at;
  }
  return json.length;
}

function tooDeep(): BillingError {
  return new BillingError({
    code: ErrorCode.MALFORMED_BODY,
    message: `The body has lists and objects more than ${MAX_JSON_DEPTH} levels deep`,
  });
}
