import mustache from 'mustache';
import type { Steps } from '../../runtime/index.ts';
import { type BillingError, billingError, ErrorCode, invalidField } from '../../values/errors/index.ts';

/** Maximum nesting of sections. */
const MAX_TEMPLATE_DEPTH = 16;

/** Maximum number of parts in a name such as `invoice.amount`. Translation keys have about five parts. */
const MAX_TEMPLATE_PATH_PARTS = 16;

/** A parsed template: text, values and sections. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: TemplatePath }
  | {
      readonly kind: 'section';
      readonly path: TemplatePath;
      /** True: shown if the name has no value. */
      readonly isInverted: boolean;
      readonly nodes: readonly TemplateNode[];
    };

/** A name such as `invoice.amount`, prepared for lookups. */
interface TemplatePath {
  /** The parts, such as `invoice` and `amount`. The list is empty for `.`, the current element of a section. */
  readonly parts: readonly string[];
  /** For each part, the rest of the name after that part, including its dots. Used as the key of a translation. */
  readonly rests: readonly string[];
}

/** Token of mustache.js: type, value, start, end and, for sections, their tokens. */
type Token = readonly [type: string, value: string, begin: number, end: number, tokens?: readonly Token[]];

/** A writer without a cache, because the package's shared writer keeps every template it has parsed. */
const parser = new mustache.Writer();
Object.assign(parser, { templateCache: undefined });

/**
 * Reads a Mustache template (§14 rule 5). mustache.js only parses the template, because rendering must be bounded and
 * must see only data. All values are escaped, `{{{name}}}` included.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an unreadable template, one with partials or other
 * delimiters, or one that exceeds a bound (platform §16).
 */
export function parseTemplate(source: string): readonly TemplateNode[] {
  checkTemplateBounds(source);
  return nodesOf(tokensOf(source), 0);
}

function tokensOf(source: string): readonly Token[] {
  try {
    return parser.parse(source) as readonly Token[];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidField(`The template is not Mustache: ${reason.slice(0, 200)}`);
  }
}

function nodesOf(tokens: readonly Token[], depth: number): readonly TemplateNode[] {
  if (depth > MAX_TEMPLATE_DEPTH)
    throw invalidField(`Sections of a template may be nested at most ${MAX_TEMPLATE_DEPTH} deep`);
  return tokens.flatMap((token): readonly TemplateNode[] => {
    const [type, value, begin, , inner] = token;
    switch (type) {
      case 'text':
        return [{ kind: 'text', text: value }];
      case 'name':
      case '&':
        return [{ kind: 'value', path: pathOf(value, begin) }];
      case '#':
      case '^': {
        const nodes = nodesOf(inner ?? [], depth + 1);
        return [{ kind: 'section', path: pathOf(value, begin), isInverted: type === '^', nodes }];
      }
      case '!':
        return [];
      default:
        throw invalidField(`The template has "{{${type}" at ${begin}: templates cannot name other files`);
    }
  });
}

function pathOf(name: string, begin: number): TemplatePath {
  if (name === '.') return { parts: [], rests: [] };
  const parts = name.split('.', MAX_TEMPLATE_PATH_PARTS + 1);
  if (parts.length > MAX_TEMPLATE_PATH_PARTS)
    throw invalidField(
      `The template has a name of more than ${MAX_TEMPLATE_PATH_PARTS} parts at ${begin}; invoice.amount has two`,
    );
  if (parts.includes('')) throw invalidField(`The template has a tag without a name at ${begin}`);
  return { parts, rests: parts.map((_, index) => parts.slice(index + 1).join('.')) };
}

/**
 * Returns true if a name in the template contains this part. For example, `account.customFields.color` contains
 * `customFields`.
 */
export function usesName(nodes: readonly TemplateNode[], part: string): boolean {
  return nodes.some((node) => {
    if (node.kind === 'text') return false;
    return node.path.parts.includes(part) || (node.kind === 'section' && usesName(node.nodes, part));
  });
}

/**
 * Limits of an uploaded template. The character limit leaves room for a 180 kB logo as a data URL. The limits on
 * consecutive characters without markup and on consecutive blanks keep the parsing time of mustache.js short.
 */
export const MAX_TEMPLATE_CHARACTERS = 256 * 1_024;
const MAX_TEMPLATE_TAGS = 5_000;
const MAX_TEMPLATE_PLAIN_CHARACTERS = 10_000;
const MAX_TEMPLATE_BLANKS = 200;

const marks = new Set(['#', '^', '/', '>', '{', '&', '=', '!']);

/**
 * Rejects a template that mustache.js would read slowly. For each tag, mustache.js searches for the next of `marks`,
 * however far away. At each blank, it searches for the end of the blanks. Both searches are therefore bounded. Other
 * delimiters are rejected, because they could turn any text into a tag.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003).
 */
function checkTemplateBounds(source: string): void {
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
    throw invalidField(`The template has about ${tags} tags; at most ${MAX_TEMPLATE_TAGS} are rendered`);
  if (/\{\{\s{0,9}=/.test(source))
    throw invalidField('The template changes its delimiters; write tags as {{name}}');
}

/**
 * Limits of a document. The limit on name parts and repetitions bounds the work to about 700 ms. The number of
 * characters is also limited.
 */
const MAX_TEMPLATE_STEPS = 1_000_000;
const MAX_DOCUMENT_CHARACTERS = 32 * 1_048_576;

/** Template data: values without code. Lists are iterated again for each section. */
type TemplateData = string | boolean | null | TemplateList | TemplateLookup | TemplateObject;

export interface TemplateObject {
  readonly [name: string]: TemplateData;
}

/** A list whose elements are created on demand. */
export class TemplateList {
  readonly size: number;
  readonly elements: () => Iterable<TemplateData>;

  constructor(size: number, elements: () => Iterable<TemplateData>) {
    this.size = size;
    this.elements = elements;
  }
}

/** A lookup that returns text for every name, including names with dots. */
export class TemplateLookup {
  readonly textOf: (name: string) => string;

  constructor(textOf: (name: string) => string) {
    this.textOf = textOf;
  }
}

/**
 * Fills a template with data, in steps of about a millisecond.
 * @throws BillingError ANSWER_TOO_LARGE (60020) if the document exceeds the bounds (platform §16).
 */
export function* renderingTemplate(nodes: readonly TemplateNode[], data: TemplateObject): Steps<string> {
  const output = new Output();
  yield* renderNodes(nodes, { value: data, outer: null }, output);
  return output.text();
}

/** Cost after which rendering pauses so that other work can run. */
const COST_OF_TURN = 1_000;
/** Number of characters that cost as much as one lookup. */
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
      throw tooLarge(`its template expands to more than ${MAX_TEMPLATE_STEPS} values and repetitions`);
  }

  /** Returns true when rendering should pause so that other work can run. */
  endsTurn(): boolean {
    if (this.#costOfTurn < COST_OF_TURN) return false;
    this.#costOfTurn = 0;
    return true;
  }

  text(): string {
    return this.#pieces.join('');
  }
}

/** Cost of a list element. It is higher than the cost of a value, because the element is created on demand. */
const STEPS_OF_ELEMENT = 10;

/** The value of a section, and the enclosing scopes. */
interface Scope {
  readonly value: TemplateData;
  readonly outer: Scope | null;
}

function* renderNodes(nodes: readonly TemplateNode[], scope: Scope, output: Output): Steps<void> {
  for (const node of nodes) {
    output.step(node.kind === 'text' ? 1 : Math.max(1, node.path.parts.length));
    if (output.endsTurn()) yield;
    switch (node.kind) {
      case 'text':
        output.add(node.text);
        break;
      case 'value':
        output.add(formatValue(findValue(node.path, scope)));
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
  const value = findValue(path, scope);
  const isNothing =
    value === null || value === false || value === '' || (value instanceof TemplateList && value.size === 0);
  if (isInverted !== isNothing) return;
  if (isInverted || !(value instanceof TemplateList)) {
    yield* renderNodes(nodes, { value, outer: scope }, output);
    return;
  }
  for (const element of value.elements()) {
    output.step(STEPS_OF_ELEMENT);
    if (output.endsTurn()) yield;
    yield* renderNodes(nodes, { value: element, outer: scope }, output);
  }
}

/**
 * Returns the value of a name from the innermost scope that contains the first part of the name. Returns null if no
 * scope contains it.
 */
function findValue({ parts, rests }: TemplatePath, scope: Scope): TemplateData {
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

/** Returns the member of a value, or undefined if the member is missing. */
function memberOf(value: TemplateData, name: string) {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isObject(value: TemplateData): value is TemplateObject {
  if (typeof value !== 'object' || value === null) return false;
  return !(value instanceof TemplateList) && !(value instanceof TemplateLookup);
}

/** Returns the text of a value. Objects and lists have no text. */
function formatValue(value: TemplateData): string {
  if (typeof value === 'string') return mustache.escape(value);
  return typeof value === 'boolean' ? String(value) : '';
}

function tooLarge(why: string): BillingError {
  return billingError(ErrorCode.ANSWER_TOO_LARGE, `The document cannot be rendered: ${why}`);
}
