import mustache from 'mustache';
import { invalidField } from '../../values/errors/index.ts';

/** Nesting of sections of a template. */
const MAX_TEMPLATE_DEPTH = 16;

/** Parts of a name in a template, such as `invoice.amount`; keys of translations have some five. */
const MAX_TEMPLATE_PATH_PARTS = 16;

/** A template as it is rendered: text, values, and what is repeated or left out. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: TemplatePath }
  | {
      readonly kind: 'section';
      readonly path: TemplatePath;
      /** True: shown if there is nothing of that name. */
      readonly isInverted: boolean;
      readonly nodes: readonly TemplateNode[];
    };

/** A name such as `invoice.amount`. Everything that a look-up needs is made once, when the template is read. */
export interface TemplatePath {
  /** `invoice`, `amount`; none for `.`, the element that a section repeats. */
  readonly parts: readonly string[];
  /** The name after each part, dots included: the key that texts are looked up by. */
  readonly rests: readonly string[];
}

/** Token of mustache.js: type, value, begin, end, and of sections their tokens. */
type Token = readonly [type: string, value: string, begin: number, end: number, tokens?: readonly Token[]];

/** Keeps nothing: the writer that the package shares keeps every template that it has seen. */
const parser = new mustache.Writer();
Object.assign(parser, { templateCache: undefined });

/**
 * Reads a Mustache template (§14 rule 5). mustache.js spares reading sections, comments and tags on lines of their own as
 * the specification has them; filling in is ours, since it has to be bounded and to see nothing but data. Values are escaped however they are asked for, `{{{name}}}` included.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for one that cannot be read, that names partials or other
 * delimiters, or that is past a bound (platform §16).
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
    throw invalidField(`Sections of a template may be nested ${MAX_TEMPLATE_DEPTH} deep, and not deeper`);
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
  if (parts.includes('')) throw invalidField(`The template asks for a value without a name at ${begin}`);
  return { parts, rests: parts.map((_, index) => parts.slice(index + 1).join('.')) };
}

/**
 * An uploaded template: characters (a logo of 180 kB as a data URL fits) and tags. The others bound the time of mustache.js:
 * characters without any markup, and blanks, in a row.
 */
export const MAX_TEMPLATE_CHARACTERS = 256 * 1_024;
const MAX_TEMPLATE_TAGS = 5_000;
const MAX_TEMPLATE_PLAIN_CHARACTERS = 10_000;
const MAX_TEMPLATE_BLANKS = 200;

const marks = new Set(['#', '^', '/', '>', '{', '&', '=', '!']);

/**
 * Refuses what mustache.js would read slowly. For each tag it looks for the next of `marks`, however far away, and at
 * each blank for the end of the blanks: so both are bounded, and delimiters, which would make anything a tag, are those
 * of Mustache.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003).
 */
export function checkTemplateBounds(source: string): void {
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
    throw invalidField(`The template has some ${tags} tags; at most ${MAX_TEMPLATE_TAGS} are rendered`);
  if (/\{\{\s{0,9}=/.test(source))
    throw invalidField('The template changes its delimiters; tags are written {{name}} here');
}
