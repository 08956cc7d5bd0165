/** A TrueType, OpenType or WOFF font, given as a path, a file URL or bytes. */
export type FontSource = string | URL | Uint8Array;

export interface FontFamily {
  readonly regular: FontSource;
  /** Default: the regular font. */
  readonly bold?: FontSource;
}
