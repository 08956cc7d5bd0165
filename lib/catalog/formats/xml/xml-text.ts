import type { Steps } from '../../../runtime/index.ts';
import { escapeAttribute, escapeText } from '../../../values/documents/index.ts';

const LINES_AT_ONCE = 1_000;

/**
 * Text of the document as it is written: children indented by two spaces, everything escaped so that reading it back
 * gives the same.
 */
export class XmlText {
  /** Lines, and earlier lines joined: one long text that grew line by line would be slow to read. */
  readonly #joined: string[] = [];
  #lines: string[] = ['<?xml version="1.0" encoding="UTF-8"?>\n'];
  #depth = 0;

  get text(): string {
    return this.#joined.join('') + this.#lines.join('');
  }

  /** An element that holds text. */
  leaf(name: string, value: string): void {
    this.#line(`<${name}>${escapeText(value)}</${name}>`);
  }

  /** An element written as a whole: `<rules/>`, `<value xsi:nil="true"/>`. */
  empty(name: string, attributes: Attributes = {}): void {
    this.#line(`<${name}${attributesOf(attributes)}/>`);
  }

  /** An element with children, which `writeChildren` writes. */
  element(name: string, attributes: Attributes, writeChildren: () => void): void {
    this.#open(name, attributes);
    writeChildren();
    this.#close(name);
  }

  /** As `element`, whose children are written step by step. */
  *elementSteps(name: string, attributes: Attributes, writeChildren: () => Steps<void>): Steps<void> {
    this.#open(name, attributes);
    yield* writeChildren();
    this.#close(name);
  }

  /** A wrapper of repeated elements; empty if there are none. */
  list<T>(name: string, items: readonly T[], writeItem: (item: T) => void): void {
    if (items.length === 0) this.empty(name);
    else this.element(name, {}, () => items.forEach(writeItem));
  }

  /** As `list`, whose items are written step by step. */
  *listSteps<T>(name: string, items: readonly T[], writeItem: (item: T) => Steps<void>): Steps<void> {
    if (items.length === 0) this.empty(name);
    else
      yield* this.elementSteps(name, {}, function* () {
        for (const item of items) yield* writeItem(item);
      });
  }

  #open(name: string, attributes: Attributes): void {
    this.#line(`<${name}${attributesOf(attributes)}>`);
    this.#depth += 1;
  }

  #close(name: string): void {
    this.#depth -= 1;
    this.#line(`</${name}>`);
  }

  #line(markup: string): void {
    this.#lines.push(`${'  '.repeat(this.#depth)}${markup}\n`);
    if (this.#lines.length < LINES_AT_ONCE) return;
    this.#joined.push(this.#lines.join(''));
    this.#lines = [];
  }
}

export type Attributes = Readonly<Record<string, string>>;

function attributesOf(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`)
    .join('');
}
