import { setImmediate } from 'node:timers/promises';
import type { PrintableDocument } from '../../lib/ports/index.ts';
import type { Fonts, LoadedFont, Packages, Weight } from './fonts.ts';
import { type BaseDirection, linesOf, TextRuns } from './text-runs.ts';

/** In points; a page's bottom margin holds its number. */
export const margin = { top: 51, side: 48, bottom: 62 } as const;

export const LINE_HEIGHT = 1.4;

/** How long drawing goes on without giving others their turn. */
const SLICE_MS = 10;

export interface TextStyle {
  readonly size: number;
  readonly weight?: Weight;
  readonly color?: string;
  /** Default: that of the document. */
  readonly direction?: BaseDirection;
  readonly maxLines?: number;
}

/** Where a column stands; `start` and `end` are distances from the edge where lines begin. */
export interface Column {
  readonly start: number;
  readonly width: number;
  readonly align: 'start' | 'end';
}

/** Where lines are drawn. */
export interface Place extends Column {
  readonly top: number;
}

/** The pages of a document, written from the top. Columns and alignment turn round where text runs from the right. */
export class Sheet {
  readonly #pdf: PDFKit.PDFDocument;
  readonly #runs: TextRuns;
  readonly #direction: 'ltr' | 'rtl';
  readonly #registered = new Set<string>();
  readonly #chunks: Uint8Array[] = [];
  readonly #signal: AbortSignal | undefined;
  #sliceBegan = performance.now();
  y: number = margin.top;

  /** @param of.signal aborted once nobody waits for the file: drawing then ends at its next turn. */
  constructor(
    { PDFDocument, bidi }: Packages,
    fonts: Fonts,
    { document, signal }: { readonly document: PrintableDocument; readonly signal?: AbortSignal | undefined },
  ) {
    this.#signal = signal;
    const { title, author, language, direction, paper, createdDate } = document;
    this.#direction = direction;
    this.#runs = new TextRuns(bidi, fonts);
    this.#pdf = new PDFDocument({
      size: paper,
      margin: 0,
      autoFirstPage: false,
      bufferPages: true,
      pdfVersion: '1.7',
      lang: language,
      displayTitle: true,
      info: {
        Title: title,
        CreationDate: new Date(createdDate),
        Creator: 'Billwright',
        ...(author === null ? {} : { Author: author }),
      },
      // The standard fonts have no other letters than those of Western Europe.
      font: '',
    });
    this.#pdf.on('data', (chunk: Uint8Array) => this.#chunks.push(chunk));
  }

  get missingCharacters(): string {
    return this.#runs.missingCharacters;
  }

  /** Between the margins. */
  get width(): number {
    return this.#pdf.page.width - 2 * margin.side;
  }

  get bottom(): number {
    return this.#pdf.page.height - margin.bottom;
  }

  newPage(): void {
    this.#pdf.addPage();
    this.y = margin.top;
  }

  async turn(): Promise<void> {
    if (performance.now() - this.#sliceBegan < SLICE_MS) return;
    await setImmediate();
    this.#signal?.throwIfAborted();
    this.#sliceBegan = performance.now();
  }

  widthOf(text: string, { size, weight = 'regular', direction = this.#direction }: TextStyle): number {
    return (this.#runs.width(text, weight, direction) * size) / 1000;
  }

  /** The lines of a text in a column; without one none. */
  lines(text: string | null, width: number, style: TextStyle): readonly string[] {
    if (text === null || text === '') return [];
    const { size, weight = 'regular', direction = this.#direction, maxLines = 12 } = style;
    return linesOf(this.#runs, text, { size, weight, direction, width, maxLines });
  }

  /** Draws lines below each other. @returns their height. */
  draw(lines: readonly string[], { top, ...column }: Place, style: TextStyle): number {
    const { size, weight = 'regular', color = '#1a1d21', direction = this.#direction } = style;
    const height = size * LINE_HEIGHT;
    this.#pdf.fillColor(color).fontSize(size);
    for (const [index, line] of lines.entries()) {
      const runs = this.#runs.of(line, weight, direction);
      const width = runs.reduce((sum, run) => sum + (run.width * size) / 1000, 0);
      let x = this.#left(column, width);
      for (const run of runs) {
        this.#use(run.font);
        this.#pdf.text(run.text, x, top + index * height + size * 1.08, {
          lineBreak: false,
          baseline: 'alphabetic',
          features: [],
        });
        x += (run.width * size) / 1000;
      }
    }
    return lines.length * height;
  }

  rule(
    y: number,
    column: Pick<Column, 'start' | 'width'>,
    { thickness, color }: { thickness: number; color: string },
  ): void {
    const left = this.#left({ ...column, align: 'start' }, column.width);
    this.#pdf
      .moveTo(left, y)
      .lineTo(left + column.width, y)
      .lineWidth(thickness)
      .strokeColor(color)
      .stroke();
  }

  /** A frame with round corners. */
  frame(
    y: number,
    column: Pick<Column, 'start' | 'width'>,
    { height, color }: { readonly height: number; readonly color: string },
  ): void {
    const left = this.#left({ ...column, align: 'start' }, column.width);
    this.#pdf
      .roundedRect(left, y, column.width, height, height / 2)
      .lineWidth(1)
      .strokeColor(color)
      .stroke();
  }

  /** Writes the number of each page, and ends the file. */
  async end(style: TextStyle): Promise<Uint8Array> {
    const { start, count } = this.#pdf.bufferedPageRange();
    const column: Column = { start: 0, width: this.width, align: 'end' };
    for (let page = start; page < start + count; page += 1) {
      this.#pdf.switchToPage(page);
      this.draw(
        [`${page - start + 1} / ${count}`],
        { ...column, top: this.#pdf.page.height - 42 },
        {
          ...style,
          direction: 'ltr',
        },
      );
      await this.turn();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#pdf.on('end', resolve).on('error', reject);
    this.#pdf.end();
    await promise;
    return Buffer.concat(this.#chunks);
  }

  /** A font is embedded once, and only the letters of it that are written. */
  #use({ name, font }: LoadedFont): void {
    if (!this.#registered.has(name)) {
      // pdfkit takes open fonts, of which its types do not know.
      const source: object = font;
      this.#pdf.registerFont(name, source as Uint8Array);
      this.#registered.add(name);
    }
    this.#pdf.font(name);
  }

  #left({ start, width, align }: Column, contentWidth: number): number {
    const fromLeft = margin.side + (this.#direction === 'ltr' ? start : this.width - start - width);
    const isLeft = (align === 'start') === (this.#direction === 'ltr');
    return isLeft ? fromLeft : fromLeft + width - contentWidth;
  }
}
