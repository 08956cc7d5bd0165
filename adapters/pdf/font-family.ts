/** A TrueType, OpenType or WOFF font: a path, a file URL or its bytes. */
export type FontSource = string | URL | Uint8Array;

export interface FontFamily {
  readonly regular: FontSource;
  /** Default: the regular font. */
  readonly bold?: FontSource;
}
