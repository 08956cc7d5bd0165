import { MAX_JSON_DEPTH } from '../limits.ts';
import { DocumentFault } from './xml-tree.ts';

/** A JSON value with its position in the document. Repeated fields are kept, and numbers are kept as literals. */
export type JsonNode =
  | { readonly kind: 'object'; readonly offset: number; readonly members: readonly JsonMember[] }
  | { readonly kind: 'array'; readonly offset: number; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string'; readonly offset: number; readonly value: string }
  | { readonly kind: 'number'; readonly offset: number; readonly literal: string }
  | { readonly kind: 'boolean'; readonly offset: number; readonly value: boolean }
  | { readonly kind: 'null'; readonly offset: number };

export interface JsonMember {
  readonly name: string;
  readonly offset: number;
  readonly value: JsonNode;
}

/**
 * Returns the tree of a JSON document. The caller must limit the size of the document.
 * @throws DocumentFault at the first position that is not JSON or is nested too deeply.
 */
export function readJsonTree(text: string): JsonNode {
  return new TreeReader(text).read();
}

const BLANKS = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
const END_OF_STRING = /["\\]/g;

class TreeReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonNode {
    const node = this.#value();
    this.#skipBlanks();
    if (this.#at < this.#text.length) this.#fail('Nothing may follow the value');
    return node;
  }

  #fail(message: string, offset = this.#at): never {
    throw new DocumentFault(`Not JSON: ${message}`, offset);
  }

  #value(): JsonNode {
    this.#skipBlanks();
    const offset = this.#at;
    switch (this.#text[offset]) {
      case '{':
        return { kind: 'object', offset, members: this.#list('}', () => this.#member()) };
      case '[':
        return { kind: 'array', offset, items: this.#list(']', () => this.#value()) };
      case '"':
        return { kind: 'string', offset, value: this.#string() };
      case undefined:
        return this.#fail('the text ends where a value is expected');
      default:
        return this.#scalar(offset);
    }
  }

  #scalar(offset: number): JsonNode {
    const literal = this.#match(NUMBER);
    if (literal !== '') return { kind: 'number', offset, literal };
    const word = this.#match(WORD);
    if (word === '') return this.#fail('a value is expected here');
    return word === 'null' ? { kind: 'null', offset } : { kind: 'boolean', offset, value: word === 'true' };
  }

  #list<T>(end: string, readItem: () => T): readonly T[] {
    this.#depth += 1;
    if (this.#depth > MAX_JSON_DEPTH) this.#fail(`values are nested deeper than ${MAX_JSON_DEPTH}`);
    this.#at += 1;
    const items: T[] = [];
    for (let isFirst = true; !this.#takes(end); isFirst = false) {
      if (!isFirst && !this.#takes(',')) this.#fail(`"," or "${end}" is expected here`);
      items.push(readItem());
    }
    this.#depth -= 1;
    return items;
  }

  #member(): JsonMember {
    this.#skipBlanks();
    const offset = this.#at;
    if (this.#text[offset] !== '"') this.#fail('a name in double quotes is expected here');
    const name = this.#string();
    if (!this.#takes(':')) this.#fail('":" is expected here');
    return { name, offset, value: this.#value() };
  }

  #string(): string {
    const start = this.#at;
    let end = start + 1;
    for (;;) {
      END_OF_STRING.lastIndex = end;
      const found = END_OF_STRING.exec(this.#text);
      if (found === null) return this.#fail('the string is not terminated', start);
      end = found.index + (found[0] === '"' ? 1 : 2);
      if (found[0] === '"') break;
    }
    this.#at = end;
    try {
      return JSON.parse(this.#text.slice(start, end));
    } catch {
      return this.#fail('the string contains a control character or an invalid escape', start);
    }
  }

  #takes(mark: string): boolean {
    this.#skipBlanks();
    if (this.#text[this.#at] !== mark) return false;
    this.#at += 1;
    return true;
  }

  #skipBlanks(): void {
    this.#match(BLANKS);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }
}
