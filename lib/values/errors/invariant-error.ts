/**
 * An illegal state or a mistake of the calling code: never a condition that a user can cause by bad input. The present
 * change must not be written. HTTP answers 500; an invoice run parks the account (invoicing §8.4).
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.facts = Object.freeze({ ...facts });
  }
}

/**
 * Throws an `InvariantError` with `message` and `facts` unless `condition` is truthy; stays on in production. The message
 * is put together at each call: what runs for every value of every row throws by itself instead.
 */
export function assertInvariant(
  condition: unknown,
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
): asserts condition {
  if (!condition) throw new InvariantError(message, facts);
}
