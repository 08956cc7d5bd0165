export type { FontFamily, FontSource } from './fonts.ts';
export { type PdfOptions, pdfRenderer } from './pdf-renderer.ts';
