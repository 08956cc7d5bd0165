import { getDocumentProxy } from 'unpdf';

export interface ReadPdf {
  /** The lines of each page from the top, split into pieces from left to right. */
  readonly pages: readonly (readonly string[])[];
  /** In points. */
  readonly size: readonly [width: number, height: number];
  readonly info: Readonly<Record<string, unknown>>;
  readonly language: string | null;
}

interface Piece {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** The text of a PDF, extracted by another library than the one that created it. */
export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  const pages: (readonly string[])[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    pages.push(
      linesOf(items.flatMap((item) => ('str' in item && item.str.trim() !== '' ? [pieceOf(item)] : []))),
    );
  }
  const { view } = await document.getPage(1);
  const { info } = await document.getMetadata();
  const [, , width = 0, height = 0] = view;
  const read = { pages, size: [width, height] as const, info: { ...info } };
  await document.loadingTask.destroy();
  return { ...read, language: 'Language' in info ? String(info.Language) : null };
}

function pieceOf({ str, transform }: { readonly str: string; readonly transform: readonly number[] }): Piece {
  return { text: str, x: transform[4] ?? 0, y: Math.round(transform[5] ?? 0) };
}

function linesOf(pieces: readonly Piece[]): readonly string[] {
  const byLine = Map.groupBy(pieces, ({ y }) => y);
  return [...byLine]
    .sort(([one], [other]) => other - one)
    .map(([, line]) =>
      line
        .toSorted((one, other) => one.x - other.x)
        .map(({ text }) => text)
        .join(' '),
    );
}

interface TaggedNode {
  /** Type of content: `content`. */
  readonly type?: string;
  readonly role?: string;
  readonly alt?: string;
  readonly children?: readonly TaggedNode[];
}

/** Returns the tags of a page in order, each indented by its depth, with the words of images. */
export async function pageTags(bytes: Uint8Array, page = 1): Promise<readonly string[]> {
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  const tree: TaggedNode | null = await (await document.getPage(page)).getStructTree();
  await document.loadingTask.destroy();
  const tagsOf = ({ role, alt, children = [] }: TaggedNode, depth: number): readonly string[] => {
    if (role === undefined) return [];
    const tag = `${' '.repeat(depth)}${role}${alt === undefined ? '' : ` "${alt}"`}`;
    return [tag, ...children.flatMap((child) => tagsOf(child, depth + 1))];
  };
  return (tree?.children ?? []).flatMap((node) => tagsOf(node, 0));
}

/** A piece of text on a page, in points from the left and the bottom. */
export interface TextBox {
  readonly page: number;
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

/** Returns the places of all texts. */
export async function textBoxes(bytes: Uint8Array): Promise<readonly TextBox[]> {
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  const boxes: TextBox[] = [];
  for (let page = 1; page <= document.numPages; page += 1) {
    const { items } = await (await document.getPage(page)).getTextContent();
    for (const item of items) {
      if (!('str' in item) || item.str.trim() === '') continue;
      const { x: left, y: bottom, text } = pieceOf(item);
      boxes.push({ page, text, left, right: left + item.width, bottom });
    }
  }
  await document.loadingTask.destroy();
  return boxes;
}
