/** Documents that people write, as trees that know where each part stands. */

export * from './json-tree.ts';
export * from './lines.ts';
export * from './xml-tree.ts';
