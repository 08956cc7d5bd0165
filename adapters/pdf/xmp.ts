/** Characters that XML cannot contain. */
const invalid = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes the title and the author in the XML metadata, because pdfkit does not. */
export function escapeMetadata(pdf: PDFKit.PDFDocument): void {
  const withMetadata: PDFKit.PDFDocument & { endMetadata?: () => void } = pdf;
  const endMetadata = withMetadata.endMetadata?.bind(pdf);
  // pdfkit calls this function after it has written the file's Info dictionary.
  withMetadata.endMetadata = () => {
    const { Title, Author } = pdf.info;
    if (Title !== undefined) pdf.info.Title = escapeXmlText(Title);
    if (Author !== undefined) pdf.info.Author = escapeXmlText(Author);
    endMetadata?.();
  };
}

function escapeXmlText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(invalid, '')
    .replaceAll(/[&<>]/g, (sign) => escapes[sign] ?? sign);
}
