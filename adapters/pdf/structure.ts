export interface TagOptions {
  /** Scope of a table heading. */
  readonly scope?: 'Column' | 'Row';
}

/** The structure tags of a PDF. They mark headings, tables and decoration for assistive technology. */
export class Structure {
  readonly #pdf: PDFKit.PDFDocument;
  /** The elements that are currently open. The innermost element is the last. */
  readonly #open: PDFKit.PDFStructureElement[];

  constructor(pdf: PDFKit.PDFDocument) {
    this.#pdf = pdf;
    const root = pdf.struct('Document');
    pdf.addStructure(root);
    this.#open = [root];
  }

  /** Opens an element that contains other elements until `close` is called. */
  open(tag: string): void {
    this.#add(this.#pdf.struct(tag));
  }

  close(): void {
    this.#open.pop()?.end();
  }

  /** Tags the content that `draw` draws. The content must be on one page. */
  content<T>(tag: string, draw: () => T, options: TagOptions = {}): T {
    const known: object = options;
    this.#add(this.#pdf.struct(tag, known));
    try {
      return this.#drawInElement(draw);
    } finally {
      this.close();
    }
  }

  figure(options: { readonly alt: string; readonly bbox: readonly number[] }, draw: () => unknown): void {
    this.#add(this.#pdf.struct('Figure', options));
    this.#drawInElement(draw);
    this.close();
  }

  /**
   * Hides decoration, page numbers and repeated headings from assistive technology. Must not be called inside
   * `content`.
   */
  artifact<T>(type: 'Layout' | 'Pagination', draw: () => T): T {
    this.#pdf.markContent('Artifact', { type });
    const drawn = draw();
    this.#pdf.endMarkedContent();
    return drawn;
  }

  end(): void {
    while (this.#open.length > 0) this.close();
  }

  #add(element: PDFKit.PDFStructureElement): void {
    this.#open.at(-1)?.add(element);
    this.#open.push(element);
  }

  #drawInElement<T>(draw: () => T): T {
    const drawn: T[] = [];
    this.#open.at(-1)?.add(() => drawn.push(draw()));
    return drawn[0] as T;
  }
}
