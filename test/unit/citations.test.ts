import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '../..');

/** The cited texts, by the name used in a citation. */
const texts: Readonly<Record<string, string>> = {
  accounts: 'lib/accounts/RULES.md',
  catalog: 'lib/catalog/RULES.md',
  subscriptions: 'lib/subscriptions/RULES.md',
  usage: 'lib/usage/RULES.md',
  invoicing: 'lib/invoicing/RULES.md',
  payments: 'lib/payments/RULES.md',
  overdue: 'lib/overdue/RULES.md',
  coupons: 'lib/coupons/RULES.md',
  features: 'lib/features/RULES.md',
  cells: 'lib/cells/RULES.md',
  reports: 'lib/reports/RULES.md',
  platform: 'lib/runtime/RULES.md',
  'http-api': 'adapters/koa/HTTP-API.md',
  'json-models': 'adapters/koa/JSON-MODELS.md',
};
const names = Object.keys(texts).join('|');
const readText = (path: string) => readFileSync(join(root, path), 'utf8');
const written = globSync(
  ['{lib,adapters,examples,test}/**/*.{ts,md}', '*.{md,mjs}', '.*.mjs', '.biome/*', '.ci/*'],
  { cwd: root },
);
const self = relative(root, import.meta.filename);
const citing = written.filter((path) => path !== 'CHANGELOG.md' && path !== self);
const documents = written.filter((path) => path.endsWith('.md'));

/** A gap between two words, which may continue on the next line of a comment or text. */
const gap = String.raw`(?:[ \t]|\n[ \t]*(?:\*|\/\/)?[ \t]?)+`;
const citation = new RegExp(
  String.raw`(?:(?<![\w/§-])(?<area>${names})${gap}|\[?(?<foreign>RFC \d+|doc[12]|Document [12])\]?${gap})?§§?(?<section>\d+(?:\.\d+)*)(?<rest>(?:,? (?:rules?|steps?|lines?|notes?|items?)${gap}\d+(?:(?:, | and | to |–|, and )\d+(?![.\d]*\)? *§))*)?)`,
  'g',
);
/** The words between two citations of one text when only the first citation names it. */
const link = /^(?: [A-Z]\d+| \d+)?(?:[,;]? |, and | and | to |–|[^().§]{0,60}? )$/;

interface Citation {
  readonly at: string;
  readonly area: string | undefined;
  readonly section: string;
  readonly numbers: readonly number[];
}

/** Returns the text that a bare `§` in the file refers to. */
function ownText(path: string): string | undefined {
  const found = Object.entries(texts).find(([, text]) => text === path);
  if (found !== undefined) return found[0];
  return Object.entries(texts).find(
    ([, text]) => text.endsWith('/RULES.md') && path.startsWith(text.replace('RULES.md', '')),
  )?.[0];
}

function citationsIn(path: string): readonly Citation[] {
  const text = readText(path);
  const found: Citation[] = [];
  let before: { readonly area: string | undefined; readonly end: number } | undefined;
  for (const match of text.matchAll(citation)) {
    const { area, foreign, section = '', rest = '' } = match.groups ?? {};
    const between = before === undefined ? '' : text.slice(before.end, match.index);
    const isLinked =
      before !== undefined &&
      between.length < 90 &&
      !/\n\s*\n/.test(between) &&
      link.test(between.replace(/\n[ \t]*(\*|\/\/)?[ \t]*/g, ' '));
    const named = foreign ?? area ?? (isLinked ? before?.area : ownText(path));
    before = { area: named, end: match.index + match[0].length };
    const at = `${path}:${text.slice(0, match.index).split('\n').length} ${match[0].replace(/\s+/g, ' ')}`;
    found.push({ at, area: named, section, numbers: numbersOf(rest) });
  }
  return found.filter(({ area }) => area === undefined || area in texts);
}

/** Returns the numbers of a list with ranges: "3 to 5" and "3–5" are 3, 4, 5. */
function numbersOf(words: string): readonly number[] {
  const ranges = [...words.matchAll(/(\d+)(?: to |–)(\d+)/g)].flatMap(([, from, to]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index),
  );
  return [...new Set([...ranges, ...(words.match(/\d+/g) ?? []).map(Number)])];
}

/** Returns the numbers of the rules, steps and table lines below each heading, by heading number. */
function sectionsOf(path: string): ReadonlyMap<string, ReadonlySet<number>> {
  const sections = new Map<string, Set<number>>();
  let numbers = new Set<number>();
  for (const line of readText(path).split('\n')) {
    const heading = /^#+ (\d+(?:\.\d+)*)\.? /.exec(line);
    if (heading?.[1] !== undefined) {
      numbers = new Set();
      sections.set(heading[1], numbers);
    }
    const numbered = /^\s*(?:\| )?(\d+)(?:\.| \|) /.exec(line);
    if (numbered !== null) numbers.add(Number(numbered[1]));
  }
  return sections;
}

describe('citations', () => {
  const sections = new Map(Object.entries(texts).map(([name, path]) => [name, sectionsOf(path)]));

  it('point to an existing section and rule of the cited text', () => {
    const lost = citing.flatMap(citationsIn).filter(({ area = '', section, numbers }) => {
      const rules = sections.get(area)?.get(section);
      return rules === undefined || numbers.some((number) => !rules.has(number));
    });
    expect(lost.map(({ at }) => at)).to.eql([]);
  });

  it('use the name of a text, not its file name', () => {
    const wrong = /\S+\.md`? *§\S+|\b[Dd]ocument [12] §\S+/g;
    const lost = citing
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => (readText(path).match(wrong) ?? []).map((words) => `${path} ${words}`));
    expect(lost).to.eql([]);
  });

  it('point to existing worked examples and numbered cases', () => {
    const marked = new RegExp(`(?<![\\w/-])(${names}) ([A-Z]\\d+)\\b`, 'g');
    const lost = citing.flatMap((path) =>
      [...readText(path).matchAll(marked)]
        .filter(([, area = '', mark = '']) => !new RegExp(`\\b${mark}\\b`).test(readText(texts[area] ?? '')))
        .map(([words]) => `${path} ${words}`),
    );
    expect(lost).to.eql([]);
  });

  it('point to existing rulings', () => {
    const rulings = new Set(
      readText('lib/README.md')
        .match(/^\| R\d+ (?=\|)/gm)
        ?.map((cell) => cell.slice(2).trim()),
    );
    const lost = citing.flatMap((path) =>
      (readText(path).match(/\bR[1-9]\d?\b/g) ?? [])
        .filter((ruling) => !rulings.has(ruling))
        .map((ruling) => `${path} ${ruling}`),
    );
    expect(lost).to.eql([]);
  });
});

describe('documents', () => {
  const slugOf = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/ /g, '-');
  const anchorsOf = (path: string) =>
    new Set([...readText(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugOf(heading)));

  it('link only to existing files and headings', () => {
    const lost = documents.flatMap((path) =>
      [...readText(path).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)]
        .filter(([, target = '']) => {
          const [file = '', anchor] = target.split('#');
          const linked = file === '' ? path : join(dirname(path), file);
          if (!existsSync(join(root, linked))) return true;
          return anchor !== undefined && !anchorsOf(linked).has(anchor);
        })
        .map(([, target]) => `${path} ${target}`),
    );
    expect(lost).to.eql([]);
  });

  it('mention only existing folders and files', () => {
    const paths = /`((?:lib|adapters|test|examples|\.ci)\/[\w./-]*)`/g;
    const lost = documents
      .filter((path) => path !== 'CHANGELOG.md')
      .flatMap((path) =>
        [...readText(path).matchAll(paths)]
          .filter(([, named = '']) => !existsSync(join(root, named)))
          .map(([, named]) => `${path} ${named}`),
      );
    expect(lost).to.eql([]);
  });
});
