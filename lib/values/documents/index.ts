/** Documents that people write, as trees that know where each part stands. */
export { type DecodedXml, decodeXml, faultOfEncoding } from './decode-xml.ts';
export { DocumentFault } from './fault.ts';
export { type JsonMember, type JsonNode, readJsonTree } from './json-tree.ts';
export { Lines, type Place } from './lines.ts';
export { writeXml, type XmlNode } from './write-xml.ts';
export { escapeAttribute, escapeText, trimXml, XML_CHARACTERS } from './xml-characters.ts';
export { faultOfEndTag, faultOfParser, faultOfText, NO_DOCTYPE } from './xml-faults.ts';
export { readXmlTree, type XmlElement } from './xml-tree.ts';
