import mustache from 'mustache';
import type { Steps } from '../../runtime/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { TemplateNode, TemplatePath } from './template.ts';

/** Parts of names and repeats that one document is filled with (at most some 700 ms), and characters that it may have. */
const MAX_TEMPLATE_STEPS = 1_000_000;
const MAX_DOCUMENT_CHARACTERS = 32 * 1_048_576;

/** What a template can show: values, and nothing that computes. Lists are gone through again for each section. */
export type TemplateData = string | boolean | null | TemplateList | TemplateLookup | TemplateObject;

export interface TemplateObject {
  readonly [name: string]: TemplateData;
}

/** A list whose elements are made while it is gone through. */
export class TemplateList {
  readonly size: number;
  readonly elements: () => Iterable<TemplateData>;

  constructor(size: number, elements: () => Iterable<TemplateData>) {
    this.size = size;
    this.elements = elements;
  }
}

/** Has a text for every name, dots included. */
export class TemplateLookup {
  readonly textOf: (name: string) => string;

  constructor(textOf: (name: string) => string) {
    this.textOf = textOf;
  }
}

/**
 * Fills a template with data, in steps of about a millisecond.
 * @throws BillingError ANSWER_TOO_LARGE (60020) past the bounds of a document (platform §16).
 */
export function* renderingTemplate(nodes: readonly TemplateNode[], data: TemplateObject): Steps<string> {
  const output = new Output();
  yield* rendering(nodes, { value: data, outer: null }, output);
  return output.text();
}

/** Costs after which others get their turn. */
const COST_OF_TURN = 1_000;
/** Characters that cost as much as a value to be looked up. */
const CHARACTERS_PER_COST = 64;

class Output {
  readonly #pieces: string[] = [];
  #characters = 0;
  #steps = 0;
  #costOfTurn = 0;

  add(text: string): void {
    if (text === '') return;
    this.#characters += text.length;
    this.#costOfTurn += text.length / CHARACTERS_PER_COST;
    if (this.#characters > MAX_DOCUMENT_CHARACTERS)
      throw tooLarge(`it would have more than ${MAX_DOCUMENT_CHARACTERS} characters`);
    this.#pieces.push(text);
  }

  step(count: number): void {
    this.#steps += count;
    this.#costOfTurn += count;
    if (this.#steps > MAX_TEMPLATE_STEPS)
      throw tooLarge(`its template has more than ${MAX_TEMPLATE_STEPS} values and repeats to fill in`);
  }

  /** Returns whether others should get their turn now. */
  endsTurn(): boolean {
    if (this.#costOfTurn < COST_OF_TURN) return false;
    this.#costOfTurn = 0;
    return true;
  }

  text(): string {
    return this.#pieces.join('');
  }
}

/** An element of a list costs as much as some values, since it is made. */
const STEPS_OF_ELEMENT = 10;

/** The value that a section shows, in the scopes around it. */
interface Scope {
  readonly value: TemplateData;
  readonly outer: Scope | null;
}

function* rendering(nodes: readonly TemplateNode[], scope: Scope, output: Output): Steps<void> {
  for (const node of nodes) {
    output.step(node.kind === 'text' ? 1 : Math.max(1, node.path.parts.length));
    if (output.endsTurn()) yield;
    switch (node.kind) {
      case 'text':
        output.add(node.text);
        break;
      case 'value':
        output.add(written(found(node.path, scope)));
        break;
      case 'section':
        yield* renderingSection(node, scope, output);
        break;
    }
  }
}

function* renderingSection(
  { path, isInverted, nodes }: Extract<TemplateNode, { kind: 'section' }>,
  scope: Scope,
  output: Output,
): Steps<void> {
  const value = found(path, scope);
  const isShown = isInverted === isNothing(value);
  if (!isShown) return;
  if (isInverted || !(value instanceof TemplateList)) {
    yield* rendering(nodes, { value, outer: scope }, output);
    return;
  }
  for (const element of value.elements()) {
    output.step(STEPS_OF_ELEMENT);
    if (output.endsTurn()) yield;
    yield* rendering(nodes, { value: element, outer: scope }, output);
  }
}

/** The value of the name in the nearest scope that has its first part; null if there is none. */
function found({ parts, rests }: TemplatePath, scope: Scope): TemplateData {
  const [first] = parts;
  if (first === undefined) return scope.value;
  let value: TemplateData = nearest(first, scope);
  for (let index = 1; index < parts.length; index += 1) {
    if (value instanceof TemplateLookup) return value.textOf(rests[index - 1] ?? '');
    value = memberOf(value, parts[index] ?? '') ?? null;
  }
  return value;
}

function nearest(name: string, scope: Scope): TemplateData {
  for (let at: Scope | null = scope; at !== null; at = at.outer) {
    const value = memberOf(at.value, name);
    if (value !== undefined) return value;
  }
  return null;
}

/** undefined: it has no member of that name. */
function memberOf(value: TemplateData, name: string): TemplateData | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isObject(value: TemplateData): value is TemplateObject {
  if (typeof value !== 'object' || value === null) return false;
  return !(value instanceof TemplateList) && !(value instanceof TemplateLookup);
}

function isNothing(value: TemplateData): boolean {
  return (
    value === null || value === false || value === '' || (value instanceof TemplateList && value.size === 0)
  );
}

/** Objects and lists have no text of their own. */
function written(value: TemplateData): string {
  if (typeof value === 'string') return mustache.escape(value);
  return typeof value === 'boolean' ? String(value) : '';
}

function tooLarge(why: string): BillingError {
  return new BillingError({
    code: ErrorCode.ANSWER_TOO_LARGE,
    message: `The document cannot be made: ${why}`,
  });
}
