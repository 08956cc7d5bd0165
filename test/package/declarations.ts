import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export interface Declaration {
  readonly file: string;
  readonly name: string;
  /** From the first word to the end, including comments. */
  readonly text: string;
}

export interface Member {
  readonly name: string;
  readonly doc: string | null;
  readonly text: string;
}

interface Parsed {
  readonly declared: ReadonlyMap<string, Declaration>;
  /** Names in this file that refer to declarations of another file. */
  readonly imported: ReadonlyMap<string, Alias>;
  readonly exported: ReadonlyMap<string, Alias>;
  /** Files whose exports are all re-exported. */
  readonly wholes: readonly string[];
}

interface Alias {
  readonly file: string;
  readonly name: string;
}

/**
 * The declarations that `tsc` generated for this product's files, read from their text. Declarations of packages are
 * excluded.
 */
export class Declarations {
  readonly #parsed = new Map<string, Parsed>();

  exportsOf(file: string): ReadonlyMap<string, Declaration> {
    const { declared, exported, wholes } = this.#of(file);
    const found = new Map<string, Declaration>();
    for (const whole of wholes) for (const [name, each] of this.exportsOf(whole)) found.set(name, each);
    for (const [name, { file: from, name: own }] of exported) {
      const each = from === file ? (declared.get(own) ?? this.resolve(file, own)) : this.#exportOf(from, own);
      if (each) found.set(name, each);
    }
    return found;
  }

  #exportOf(file: string, name: string): Declaration | undefined {
    return this.exportsOf(file).get(name);
  }

  /**
   * Returns the declaration of a name in a file; undefined for type parameters, built-in types and names from packages.
   */
  resolve(file: string, name: string): Declaration | undefined {
    const { declared, imported } = this.#of(file);
    const own = declared.get(name);
    if (own !== undefined) return own;
    const from = imported.get(name);
    return from === undefined ? undefined : this.#exportOf(from.file, from.name);
  }

  namedBy({ file, name, text }: Declaration): readonly Declaration[] {
    const words = new Set(withoutComments(text).match(/\b[A-Z]\w*\b/g));
    words.delete(name);
    return [...words].map((word) => this.resolve(file, word)).filter((each) => each !== undefined);
  }

  #of(file: string): Parsed {
    const known = this.#parsed.get(file);
    if (known !== undefined) return known;
    const parsed = parse(file);
    this.#parsed.set(file, parsed);
    return parsed;
  }
}

const statement = /^(import|export)(?: type)? (\{[^}]*\}|\*(?: as \w+)?) from '([^']+)';$/gm;
const declaration = /^(export )?(?:declare )?(?:abstract )?(?:interface|type|class|const|function) (\w+)/gm;

function parse(file: string): Parsed {
  const text = readFileSync(file, 'utf8');
  const imported = new Map<string, Alias>();
  const exported = new Map<string, Alias>();
  const wholes: string[] = [];
  for (const [, kind, names = '', from = ''] of text.matchAll(statement)) {
    if (!from.startsWith('.')) continue;
    const target = resolve(dirname(file), from.replace(/[.](ts|js)$/, '.d.ts'));
    if (names === '*') wholes.push(target);
    for (const [outer, inner] of aliases(names)) {
      if (kind === 'import') imported.set(outer, { file: target, name: inner });
      else exported.set(outer, { file: target, name: inner });
    }
  }
  const declared = new Map<string, Declaration>();
  for (const match of text.matchAll(declaration)) {
    const [, isExported, name = ''] = match;
    const known = declared.get(name);
    const own = text.slice(match.index, endOf(text, match.index));
    declared.set(name, { file, name, text: known === undefined ? own : `${known.text}\n${own}` });
    if (isExported) exported.set(name, { file, name });
  }
  return { declared, imported, exported, wholes };
}

/** Parses `{ A, type B as C }` into pairs: C and B, A and A. */
function aliases(names: string): readonly (readonly [outer: string, inner: string])[] {
  if (!names.startsWith('{')) return [];
  return names
    .slice(1, -1)
    .split(',')
    .map((each) => each.trim().replace(/^type /, ''))
    .filter((each) => each !== '')
    .map((each) => {
      const [inner = '', outer = inner] = each.split(' as ');
      return [outer, inner];
    });
}

/** Returns the start of the next statement: a line that begins with a keyword or a comment. */
function endOf(text: string, start: number): number {
  const next = /\n(?=export |declare |interface |type |import |\/\*\*)/g;
  next.lastIndex = start;
  return next.exec(text)?.index ?? text.length;
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '');
}

/** Returns the members of an interface in the layout of `tsc`: each is indented by four spaces. */
export function membersOf({ text }: Declaration): readonly Member[] {
  const member =
    /^ {4}(?:(\/\*\*[\s\S]*?\*\/)\n {4})?(?:readonly )?(\w+)[?]?([(<:][\s\S]*?);$(?=\n {4}\S|\n\})/gm;
  return [...text.matchAll(member)].map(([, doc = null, name = '', rest = '']) => ({
    name,
    doc,
    text: rest,
  }));
}

export function basesOf({ text }: Declaration): readonly string[] {
  const [, bases = ''] = /^[^{]*? extends ([^{]*)\{/.exec(withoutComments(text)) ?? [];
  return bases.match(/\b[A-Z]\w*\b/g) ?? [];
}
