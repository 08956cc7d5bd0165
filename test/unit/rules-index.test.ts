import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const lib = join(import.meta.dirname, '../../lib');
const readText = (path: string) => readFileSync(join(lib, path), 'utf8');

/** The pages of rules, by the name under which the map of the library lists them. */
const pages = new Map(
  [...readText('README.md').matchAll(/^\| ([a-z-]+) \| \[[^\]]+\]\(([^)]+\.md)\): /gm)].map(
    ([, name = '', path = '']) => [name, path] as const,
  ),
);

const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/ /g, '-');

/** `<page> §<number> <path>#<anchor>` of each heading below the title of a page. */
function headingsOf([name, path]: readonly [name: string, path: string]): readonly string[] {
  const text = readText(path).replace(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/^##+ ((\d+(?:\.\d+)*)?.+)$/gm)].map(
    ([, heading = '', number]) =>
      `${name}${number === undefined ? '' : ` §${number}`} ${path}#${slugOf(heading)}`,
  );
}

describe('rules index', () => {
  const [, ...topics] = readText('RULES-INDEX.md').split(/^## /m);
  const entry = /^- \[[^\]]+\]\(([^)]+)\), ([a-z-]+(?: §[\d.]+)?)$/;
  const lines = topics.flatMap((topic) => topic.trim().split('\n').slice(2));
  const indexed = lines.map((line) => {
    const [, link, section] = entry.exec(line) ?? [];
    return `${section} ${link}`;
  });

  it('lists every heading of every rules page once, under a topic', () => {
    const headings = [...pages].flatMap(headingsOf);
    expect(headings.length).to.be.above(350);
    expect(headings.filter((heading) => !indexed.includes(heading))).to.eql([]);
    expect(indexed.filter((one, index) => indexed.indexOf(one) !== index)).to.eql([]);
  });

  it('links to existing headings', () => {
    const headings = new Set([...pages].flatMap(headingsOf));
    expect(indexed.filter((one) => !headings.has(one))).to.eql([]);
  });

  it('covers the fourteen pages, and names each section with its own noun phrase', () => {
    expect([...pages.keys()]).to.include.members(['accounts', 'platform', 'http-api', 'json-models']);
    expect(pages.size).to.equal(14);
    expect(lines.filter((line) => /\[(?:what|when|how|who|why|which|from which)\b/i.test(line))).to.eql([]);
  });
});
