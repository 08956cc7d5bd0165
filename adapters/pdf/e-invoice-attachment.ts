import type { EInvoiceAttachment } from '../../lib/ports/index.ts';

/** The functions of pdfkit that its type declarations omit. */
interface Attaching {
  file(source: Buffer, options: Readonly<Record<string, unknown>>): void;
  appendXML(xml: string): void;
}

/**
 * Attaches the XML of an e-invoice to a PDF/A-3 file, and describes the attachment in the metadata as Factur-X 1.0
 * requires.
 */
export function attachEInvoice(
  pdf: PDFKit.PDFDocument,
  { fileName, conformanceLevel, version, bytes }: EInvoiceAttachment,
  createdDate: Date,
): void {
  const attaching = pdf as object as Attaching;
  attaching.file(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    name: fileName,
    type: 'text/xml',
    description: 'Factur-X',
    relationship: 'Alternative',
    creationDate: createdDate,
    modifiedDate: createdDate,
  });
  attaching.appendXML(extensionSchema);
  attaching.appendXML(`
    <rdf:Description xmlns:fx="${NAMESPACE}" rdf:about="">
      <fx:DocumentType>INVOICE</fx:DocumentType>
      <fx:DocumentFileName>${fileName}</fx:DocumentFileName>
      <fx:Version>${version}</fx:Version>
      <fx:ConformanceLevel>${conformanceLevel}</fx:ConformanceLevel>
    </rdf:Description>`);
}

const NAMESPACE = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#';

const properties = {
  DocumentFileName: 'The name of the embedded XML document',
  DocumentType: 'The type of the hybrid document in capital letters, e.g. INVOICE or ORDER',
  Version: 'The actual version of the standard applying to the embedded XML document',
  ConformanceLevel: 'The conformance level of the embedded XML document',
} as const;

/**
 * Describes the metadata of Factur-X. PDF/A requires such a description for all metadata that it does not define
 * itself.
 */
const extensionSchema = `
  <rdf:Description xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
    xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#"
    rdf:about="">
    <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
      <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
      <pdfaSchema:namespaceURI>${NAMESPACE}</pdfaSchema:namespaceURI>
      <pdfaSchema:prefix>fx</pdfaSchema:prefix>
      <pdfaSchema:property><rdf:Seq>${Object.entries(properties).map(propertyText).join('')}</rdf:Seq></pdfaSchema:property>
    </rdf:li></rdf:Bag></pdfaExtension:schemas>
  </rdf:Description>`;

function propertyText([name, description]: readonly [string, string]): string {
  return `
        <rdf:li rdf:parseType="Resource">
          <pdfaProperty:name>${name}</pdfaProperty:name>
          <pdfaProperty:valueType>Text</pdfaProperty:valueType>
          <pdfaProperty:category>external</pdfaProperty:category>
          <pdfaProperty:description>${description}</pdfaProperty:description>
        </rdf:li>`;
}
