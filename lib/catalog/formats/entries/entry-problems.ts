import { BillingError, ErrorCode, type Problem } from '../../../values/errors/index.ts';
import { MAX_LISTED_PROBLEMS, MAX_XML_NAME_CHARACTERS } from '../../../values/limits.ts';
import { isStorable, NOT_STORABLE, shortened } from '../../../values/text/index.ts';

/** Collects what is wrong with the input of one call. */
export class EntryProblems {
  readonly #messages: string[] = [];

  add(message: string): void {
    this.#messages.push(message);
  }

  /** The value; undefined, with a problem noted, if it is not given. */
  need<T>(owner: string, field: string, value: T | null | undefined): T | undefined {
    if (value !== null && value !== undefined && value !== '') return value;
    this.add(`${owner}: ${field} needs to be set`);
    return undefined;
  }

  /** A name that the database and a document can hold; V1 checks whether it is an NCName. */
  needName(owner: string, field: string, value: string | null | undefined): string | undefined {
    const name = this.need(owner, field, value);
    if (name === undefined) return undefined;
    if (name.length <= MAX_XML_NAME_CHARACTERS) return name;
    this.add(`${owner}: ${field} is longer than ${MAX_XML_NAME_CHARACTERS} characters`);
    return undefined;
  }

  /** Text for people; "" if none is given. */
  textOf(owner: string, field: string, value: string | null | undefined): string {
    const text = value ?? '';
    if (!isStorable(text)) this.add(`${owner}: ${field} ${NOT_STORABLE}`);
    return text;
  }

  /** @throws BillingError CATALOG_ENTRY_INVALID_ENTRY (61004) with everything found, if there is anything. */
  throwIfAny(): void {
    if (this.#messages.length > 0) throw invalidEntry(this.#messages);
  }
}

/** 61004 with every problem of the list. */
export function invalidEntry(messages: readonly string[]): BillingError {
  const listed = messages.slice(0, MAX_LISTED_PROBLEMS);
  return new BillingError({
    code: ErrorCode.CATALOG_ENTRY_INVALID_ENTRY,
    message: `Invalid catalog entry: ${listed.join('; ')}`,
    problems: listed.map((message): Problem => ({ message })),
  });
}

/** `Plan "gold-monthly"`, for messages. */
export function titleOf(kind: string, name: string | null | undefined): string {
  return name ? `${kind} "${shortened(name)}"` : `A ${kind.toLowerCase()}`;
}
