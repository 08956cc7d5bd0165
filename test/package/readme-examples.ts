import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Source files that the imports in the documents refer to. */
export const SOURCES: Readonly<Record<string, string>> = {
  billwright: 'adapters/node/billwright.ts',
  'billwright/koa': 'adapters/koa/index.ts',
  'billwright/sqlite': 'adapters/mikro-orm/sqlite.ts',
  'billwright/testing': 'adapters/testing/index.ts',
};

/** User documents, with the topics of their TypeScript blocks, in order. */
export const DOCUMENTS: Readonly<Record<string, readonly string[]>> = {
  'README.md': ['a tenant, a customer, a month, an invoice'],
  'lib/catalog/README.md': ['a catalog as code'],
  'lib/ports/README.md': ['a payment gateway', 'an invoice plugin', 'a usage source'],
  'lib/overdue/README.md': ['the states of those who do not pay'],
  'lib/usage/README.md': ['the usage of a subscription'],
  'lib/features/README.md': ['a switch, seats and a quota'],
  'lib/coupons/README.md': ['coupons at sign-up and later'],
  'lib/invoicing/README.md': ['the seller of invoices'],
  'lib/push/README.md': ['event subscriptions of a host'],
};

export async function blocksOf(document: string, language: string): Promise<readonly string[]> {
  const text = await readFile(fileURLToPath(new URL(`../../${document}`, import.meta.url)), 'utf8');
  const blocks = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g');
  return [...text.matchAll(blocks)].map((match) => match[1] ?? '');
}

/**
 * Returns a TypeScript block that imports the sources below `root` instead of the package, with another extension if
 * given.
 */
export function importingFrom(root: string, block: string, ending = '.ts'): string {
  return block.replaceAll(/from '(billwright[^']*)'/g, (_, name: string) => {
    return `from '${join(root, (SOURCES[name] ?? 'missing').replace(/\.ts$/, ending))}'`;
  });
}
