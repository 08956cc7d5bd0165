import { setImmediate } from 'node:timers/promises';
import type { EInvoiceAttachment, PrintableDocument, PrintableImage } from '../../lib/ports/index.ts';
import { attachEInvoice } from './e-invoice-attachment.ts';
import type { Fonts, LoadedFont, Packages, Weight } from './fonts.ts';
import { Structure } from './structure.ts';
import { type BaseDirection, linesOf, type TextRun, TextRuns } from './text-runs.ts';
import { escapeMetadata } from './xmp.ts';

/** Margins in points. The page number is within the bottom margin. */
export const margin = { top: 51, side: 48, bottom: 48 } as const;

export const LINE_HEIGHT = 1.4;

/** Milliseconds of drawing after which other work can run. */
const SLICE_MS = 10;

export interface TextStyle {
  readonly size: number;
  readonly weight?: Weight;
  readonly color?: string;
  /** Default the document's. */
  readonly direction?: BaseDirection;
  readonly maxLines?: number;
}

/** A column. `start` is its distance from the edge at which lines start. */
export interface Column {
  readonly start: number;
  readonly width: number;
  readonly align: 'start' | 'end';
}

export interface Place extends Column {
  readonly top: number;
}

type Image = Buffer & { readonly width: number; readonly height: number };

/** The functions of pdfkit that its type declarations omit. */
interface ImageOpener {
  openImage(source: Buffer): Image;
}

export interface OpenedImage {
  readonly image: Image;
  readonly alt: string;
}

export interface Drawn {
  readonly document: PrintableDocument;
  readonly signal?: AbortSignal | undefined;
  /** Makes the file a PDF/A-3. */
  readonly attachment?: EInvoiceAttachment | undefined;
}

/** The pages of a document. If text runs from right to left, columns and alignment are mirrored. */
export class Sheet {
  readonly #pdf: PDFKit.PDFDocument;
  readonly #runs: TextRuns;
  readonly #direction: 'ltr' | 'rtl';
  readonly #registered = new Set<string>();
  readonly #chunks: Uint8Array[] = [];
  readonly #signal: AbortSignal | undefined;
  /** The tags for assistive technology. */
  readonly structure: Structure;
  #sliceBegan = performance.now();
  y: number = margin.top;

  /** @param of.signal When it is aborted, drawing stops at the next pause. */
  constructor({ PDFDocument, bidi }: Packages, fonts: Fonts, { document, signal, attachment }: Drawn) {
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
      tagged: true,
      info: {
        Title: title,
        CreationDate: createdDate,
        Creator: 'Billwright',
        ...(author === null ? {} : { Author: author }),
      },
      ...(attachment === undefined ? {} : { subset: 'PDF/A-3b' as const }),
      // The standard fonts contain only Western European letters.
      font: '',
    });
    escapeMetadata(this.#pdf);
    if (attachment !== undefined) attachEInvoice(this.#pdf, attachment, createdDate);
    this.structure = new Structure(this.#pdf);
    this.#pdf.on('data', (chunk: Uint8Array) => this.#chunks.push(chunk));
  }

  get missingCharacters(): string {
    return this.#runs.missingCharacters;
  }

  /** Width between the margins. */
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

  /** Splits text into the lines of a column. */
  lines(text: string | null, width: number, style: TextStyle): readonly string[] {
    if (text === null || text === '') return [];
    const { size, weight = 'regular', direction = this.#direction, maxLines = 12 } = style;
    return linesOf(this.#runs, text, { size, weight, direction, width, maxLines });
  }

  /** Draws the lines one below the other. @returns their total height. */
  draw(lines: readonly string[], { top, ...column }: Place, style: TextStyle): number {
    const { size, weight = 'regular', color = '#1a1d21', direction = this.#direction } = style;
    const height = size * LINE_HEIGHT;
    this.#pdf.fillColor(color).fontSize(size);
    for (const [index, line] of lines.entries()) {
      const runs = this.#runs.of(line, weight, direction);
      const width = runs.reduce((sum, run) => sum + (run.width * size) / 1000, 0);
      const place = { x: this.#computeLeftEdge(column, width), y: top + index * height + size * 1.08, size };
      this.#drawRuns(runs, place);
      // The space separates the words of two lines when the text is read aloud or copied.
      if (index < lines.length - 1)
        this.#drawSpace({ ...place, x: place.x + (direction === 'rtl' ? 0 : width) });
    }
    return lines.length * height;
  }

  #drawSpace(place: { x: number; y: number; size: number }): void {
    this.#drawRuns(this.#runs.of(' ', 'regular', 'ltr'), place);
  }

  #drawRuns(runs: readonly TextRun[], { x, y, size }: { x: number; y: number; size: number }): void {
    let left = x;
    for (const run of runs) {
      this.#use(run.font);
      this.#pdf.text(run.text, left, y, { lineBreak: false, baseline: 'alphabetic', features: [] });
      left += (run.width * size) / 1000;
    }
  }

  /** Reads an image. @throws if pdfkit cannot read it. */
  openImage({ bytes, alt }: PrintableImage): OpenedImage {
    const opener: object = this.#pdf;
    const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { image: (opener as ImageOpener).openImage(source), alt };
  }

  /** Draws an image, scaled to fit a box. @returns the height of the image. */
  image({ image, alt }: OpenedImage, { top, ...column }: Place, maxHeight: number): number {
    const scale = Math.min(column.width / image.width, maxHeight / image.height);
    const [width, height] = [image.width * scale, image.height * scale];
    const left = this.#computeLeftEdge(column, width);
    const bbox = [left, top, left + width, top + height];
    this.structure.figure({ alt, bbox }, () => this.#pdf.image(image, left, top, { width, height }));
    return height;
  }

  rule(
    y: number,
    column: Pick<Column, 'start' | 'width'>,
    { thickness, color }: { thickness: number; color: string },
  ): void {
    const left = this.#computeLeftEdge({ ...column, align: 'start' }, column.width);
    this.structure.artifact('Layout', () => {
      const line = this.#pdf.moveTo(left, y).lineTo(left + column.width, y);
      line.lineWidth(thickness).strokeColor(color).stroke();
    });
  }

  /** Draws a frame with round corners. */
  frame(
    y: number,
    column: Pick<Column, 'start' | 'width'>,
    { height, color }: { readonly height: number; readonly color: string },
  ): void {
    const left = this.#computeLeftEdge({ ...column, align: 'start' }, column.width);
    this.structure.artifact('Layout', () => {
      const frame = this.#pdf.roundedRect(left, y, column.width, height, height / 2);
      frame.lineWidth(1).strokeColor(color).stroke();
    });
  }

  /** Adds page numbers and returns the file. */
  async end(style: TextStyle): Promise<Uint8Array> {
    this.structure.end();
    const { start, count } = this.#pdf.bufferedPageRange();
    const column: Column = { start: 0, width: this.width, align: 'end' };
    for (let page = start; page < start + count; page += 1) {
      this.#pdf.switchToPage(page);
      const place = { ...column, top: this.#pdf.page.height - 40 };
      const number = `${page - start + 1} / ${count}`;
      this.structure.artifact('Pagination', () => this.draw([number], place, { ...style, direction: 'ltr' }));
      await this.turn();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#pdf.on('end', resolve).on('error', reject);
    this.#pdf.end();
    await promise;
    return Buffer.concat(this.#chunks);
  }

  /** Selects a font. Each font is embedded once, with only the characters that are used. */
  #use({ name, font }: LoadedFont): void {
    if (!this.#registered.has(name)) {
      // pdfkit accepts fonts that fontkit has opened, but its type declarations do not include them.
      const source: object = font;
      this.#pdf.registerFont(name, source as Uint8Array);
      this.#registered.add(name);
    }
    this.#pdf.font(name);
  }

  #computeLeftEdge({ start, width, align }: Column, contentWidth: number): number {
    const fromLeft = margin.side + (this.#direction === 'ltr' ? start : this.width - start - width);
    const isLeft = (align === 'start') === (this.#direction === 'ltr');
    return isLeft ? fromLeft : fromLeft + width - contentWidth;
  }
}
