import mustache from 'mustache';
import type { Steps } from '../../runtime/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { MAX_DOCUMENT_CHARACTERS, MAX_TEMPLATE_STEPS } from '../../values/limits.ts';
import type { TemplateNode, TemplatePath } from './template.ts';

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
 * Fills a template with data, a step for each piece.
 * @throws BillingError ANSWER_TOO_LARGE (60020) past the bounds of a document (platform §16).
 */
export function* renderingTemplate(nodes: readonly TemplateNode[], data: TemplateObject): Steps<string> {
  const output = new Output();
  yield* rendering(nodes, [data], output);
  return output.text();
}

class Output {
  readonly #pieces: string[] = [];
  #characters = 0;
  #steps = 0;

  add(text: string): void {
    this.#characters += text.length;
    if (this.#characters > MAX_DOCUMENT_CHARACTERS)
      throw tooLarge(`it would have more than ${MAX_DOCUMENT_CHARACTERS} characters`);
    this.#pieces.push(text);
  }

  step(count: number): void {
    this.#steps += count;
    if (this.#steps > MAX_TEMPLATE_STEPS)
      throw tooLarge(`its template has more than ${MAX_TEMPLATE_STEPS} values and repeats to fill in`);
  }

  text(): string {
    return this.#pieces.join('');
  }
}

/** An element of a list costs what some values cost, since it is made. */
const STEPS_OF_ELEMENT = 10;

type Scopes = readonly TemplateData[];

function* rendering(nodes: readonly TemplateNode[], scopes: Scopes, output: Output): Steps<void> {
  output.step(nodes.length);
  for (const node of nodes) {
    switch (node.kind) {
      case 'text':
        output.add(node.text);
        break;
      case 'value':
        output.add(written(found(node.path, scopes)));
        break;
      case 'section':
        yield* renderingSection(node, scopes, output);
        break;
    }
  }
}

function* renderingSection(
  { path, isInverted, nodes }: Extract<TemplateNode, { kind: 'section' }>,
  scopes: Scopes,
  output: Output,
): Steps<void> {
  const value = found(path, scopes);
  const isShown = isInverted === isNothing(value);
  if (!isShown) return;
  if (isInverted || !(value instanceof TemplateList)) {
    yield* rendering(nodes, [value, ...scopes], output);
    return;
  }
  for (const element of value.elements()) {
    output.step(STEPS_OF_ELEMENT);
    yield* rendering(nodes, [element, ...scopes], output);
    yield;
  }
}

/** The value of the name in the nearest scope that has its first part; null if there is none. */
function found([first, ...rest]: TemplatePath, scopes: Scopes): TemplateData {
  if (first === undefined) return scopes[0] ?? null;
  const scope = scopes.find((each) => isObject(each) && Object.hasOwn(each, first));
  if (!isObject(scope)) return null;
  let value = scope[first] ?? null;
  for (const [index, part] of rest.entries()) {
    if (value instanceof TemplateLookup) return value.textOf(rest.slice(index).join('.'));
    if (!isObject(value) || !Object.hasOwn(value, part)) return null;
    value = value[part] ?? null;
  }
  return value;
}

function isObject(value: TemplateData | undefined): value is TemplateObject {
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
