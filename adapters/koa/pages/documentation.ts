import { readFile } from 'node:fs/promises';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';

/** The pages by topic, in reading order. */
const topics = {
  'Getting started': ['README.md', 'examples/saas/README.md'],
  Guides: [
    'lib/catalog/README.md',
    'lib/usage/README.md',
    'lib/features/README.md',
    'lib/coupons/README.md',
    'lib/invoicing/README.md',
    'lib/overdue/README.md',
    'lib/push/README.md',
    'lib/push/EVENTS.md',
    'lib/ports/README.md',
    'lib/ports/TAXES.md',
    'adapters/client/README.md',
    'adapters/cli/README.md',
    'adapters/cli/PRODUCTION.md',
    'adapters/cli/CELLS.md',
    'adapters/console/README.md',
    'adapters/koa/KILL-BILL.md',
    'adapters/koa/README.md',
    'adapters/mikro-orm/README.md',
    'adapters/stripe/README.md',
    'adapters/e-invoice/README.md',
  ],
  Reference: [
    'lib/README.md',
    'lib/values/README.md',
    'adapters/koa/HTTP-API.md',
    'adapters/koa/JSON-MODELS.md',
    'lib/accounts/RULES.md',
    'lib/catalog/RULES.md',
    'lib/subscriptions/RULES.md',
    'lib/usage/RULES.md',
    'lib/invoicing/RULES.md',
    'lib/payments/RULES.md',
    'lib/coupons/RULES.md',
    'lib/features/RULES.md',
    'lib/overdue/RULES.md',
    'lib/reports/RULES.md',
    'lib/cells/RULES.md',
    'lib/runtime/RULES.md',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A page of the package. */
export interface DocumentationPage {
  readonly topic: string;
  /** Path from the root of the package, such as `lib/usage/README.md`. */
  readonly path: string;
  /** Name of the page in its URL: the path with `-` in place of `/`. */
  readonly name: string;
  readonly text: string;
}

/**
 * Reads the hand-written pages of the package.
 * @throws BillingError ROUTE_NOT_FOUND if the package was bundled without them.
 */
export async function documentationPages(): Promise<readonly DocumentationPage[]> {
  const listed = Object.entries(topics).flatMap(([topic, paths]) => paths.map((path) => ({ topic, path })));
  try {
    const root = import.meta.resolve('billwright/package.json');
    return await Promise.all(
      listed.map(async (page) =>
        namePage({ ...page, text: await readFile(new URL(page.path, root), 'utf8') }),
      ),
    );
  } catch (error) {
    throw new BillingError({
      code: ErrorCode.ROUTE_NOT_FOUND,
      message: 'The documentation pages of the billwright package are not installed on this server',
      cause: error,
    });
  }
}

/**
 * Returns `llms.txt`, a list of the pages with one sentence about each. Its format is defined at https://llmstxt.org.
 */
export function pageIndex(
  pages: readonly DocumentationPage[],
  linkOf: (page: DocumentationPage) => string,
): string {
  const line = (page: DocumentationPage) =>
    `- [${titleOf(page)}](${linkOf(page)}): ${firstSentenceOf(page.text)}`;
  const sections = [...Map.groupBy(pages, ({ topic }) => topic)].map(
    ([topic, listed]) => `## ${topic}\n\n${listed.map(line).join('\n')}\n`,
  );
  return `# Billwright\n\n> ${firstSentenceOf(pages[0]?.text ?? '')}\n\n${sections.join('\n')}`;
}

/** Returns `llms-full.txt`, which contains the text of all pages. */
export function allPages(pages: readonly DocumentationPage[]): string {
  return pages.map(({ path, text }) => `<!-- ${path} -->\n\n${text.trimEnd()}\n`).join('\n');
}

/** Returns a page that lists the sections of the rules pages. */
export function rulesContents(pages: readonly DocumentationPage[]): DocumentationPage {
  const sectionsOf = ({ path, text }: DocumentationPage) => {
    const headings = text.match(/^##+ \d.*$/gm) ?? [];
    const lines = headings.map((heading) =>
      heading.replace(/^(#+) /, (_, { length }) => `${'  '.repeat(length - 2)}- §`),
    );
    return lines.length === 0 ? '' : `\n## ${path}\n\n${lines.join('\n')}\n`;
  };
  const reference = pages.filter(({ topic }) => topic === 'Reference');
  const text = `# Sections of the rules pages\n\nThis page lists the sections of all rules pages.\n${reference.map(sectionsOf).join('')}`;
  return generatedPage('SECTIONS', text);
}

/** Returns a page that is generated from the code or from other pages. */
export function generatedPage(name: string, text: string): DocumentationPage {
  return namePage({ topic: 'Reference', path: `reference/${name}.md`, text });
}

function namePage(page: Omit<DocumentationPage, 'name'>): DocumentationPage {
  return { ...page, name: page.path.replaceAll('/', '-') };
}

/** Returns the title of a page. The title of a RULES page is its area. */
function titleOf({ path, text }: DocumentationPage): string {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? path;
  return path.endsWith('/RULES.md') ? `Rules: ${title}` : title;
}

/** Returns the first sentence of the first paragraph, with links removed. */
function firstSentenceOf(text: string): string {
  const paragraph = text.split('\n\n').find((block) => /^[A-Z`]/.test(block)) ?? '';
  const plain = paragraph.replaceAll(/\s+/g, ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return (/^.*?[.:](?= |$)/.exec(plain)?.[0] ?? plain).replace(/:$/, '.');
}
