export type { FontFamily, FontSource } from './font-family.ts';
export { type PdfOptions, pdfRenderer } from './pdf-renderer.ts';
