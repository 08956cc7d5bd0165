export * from './json-tree.ts';
export * from './lines.ts';
export * from './xml-tree.ts';
