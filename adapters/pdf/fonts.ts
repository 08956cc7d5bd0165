import { readFile } from 'node:fs/promises';
import type { Font } from 'fontkit';
import { BillingError, ErrorCode, invalidParameter } from '../../lib/values/errors/index.ts';
import type { FontFamily, FontSource } from './font-family.ts';

export type Weight = 'regular' | 'bold';

export interface LoadedFont {
  readonly name: string;
  readonly font: Font;
}

type LoadedFamily = Readonly<Record<Weight, LoadedFont>>;

/** The sign that replaces characters missing from all fonts. */
const REPLACEMENT = '\uFFFD';

/**
 * Noto Sans (SIL Open Font License 1.1) for Latin, Greek and Cyrillic. Its packages for other scripts are used if they
 * are installed.
 */
const builtIn = ['noto-sans', 'NotoSans'] as const;
const others: readonly (readonly [name: string, file: string])[] = [
  ['noto-sans-arabic', 'NotoSansArabic'],
  ['noto-sans-hebrew', 'NotoSansHebrew'],
  ['noto-sans-jp', 'NotoSansJP'],
  ['noto-sans-kr', 'NotoSansKR'],
  ['noto-sans-sc', 'NotoSansSC'],
  ['noto-sans-tc', 'NotoSansTC'],
  ['noto-sans-thai', 'NotoSansThai'],
  ['noto-sans-devanagari', 'NotoSansDevanagari'],
];

/** The fonts of a document. For each character, the first font that contains it is used. */
export class Fonts {
  readonly #families: readonly LoadedFamily[];
  readonly #found = {
    regular: new Map<string, LoadedFont | null>(),
    bold: new Map<string, LoadedFont | null>(),
  };

  private constructor(families: readonly LoadedFamily[]) {
    this.#families = families;
  }

  /** @throws BillingError NOT_IMPLEMENTED (1) if the built-in font is not installed. */
  static async load(fontkit: Packages['fontkit'], given: readonly FontFamily[]): Promise<Fonts> {
    const first = findPackagedFamily(builtIn);
    if (first === null) throw notInstalled(undefined);
    const installed = others.flatMap((each) => findPackagedFamily(each) ?? []);
    const families = [first, ...given, ...installed];
    return new Fonts(await Promise.all(families.map((family, index) => loadFamily(fontkit, family, index))));
  }

  /** Returns the font for a character, or null if no font contains it. */
  fontOf(character: string, weight: Weight): LoadedFont | null {
    const known = this.#found[weight].get(character);
    if (known !== undefined) return known;
    const codePoint = character.codePointAt(0) ?? 0;
    const family = this.#families.find((each) => each[weight].font.hasGlyphForCodePoint(codePoint));
    const found = family?.[weight] ?? null;
    this.#found[weight].set(character, found);
    return found;
  }

  has(character: string): boolean {
    return this.fontOf(character, 'regular') !== null;
  }

  /** Returns the replacement sign and its font. */
  replacement(weight: Weight): { readonly text: string; readonly font: LoadedFont } {
    const font = this.fontOf(REPLACEMENT, weight);
    const first = this.#families[0];
    if (font !== null) return { text: REPLACEMENT, font };
    if (first === undefined) throw notInstalled(undefined);
    return { text: '?', font: first[weight] };
  }
}

function findPackagedFamily([name, file]: readonly [name: string, file: string]): FontFamily | null {
  const directory = `@expo-google-fonts/${name}`;
  try {
    return {
      regular: new URL(import.meta.resolve(`${directory}/400Regular/${file}_400Regular.ttf`)),
      bold: new URL(import.meta.resolve(`${directory}/700Bold/${file}_700Bold.ttf`)),
    };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}

async function loadFamily(
  fontkit: Packages['fontkit'],
  { regular, bold }: FontFamily,
  index: number,
): Promise<LoadedFamily> {
  const one = await loadFont(fontkit, regular, `regular-${index}`);
  return { regular: one, bold: bold === undefined ? one : await loadFont(fontkit, bold, `bold-${index}`) };
}

async function loadFont(fontkit: Packages['fontkit'], source: FontSource, name: string): Promise<LoadedFont> {
  const bytes = source instanceof Uint8Array ? source : await readFile(source);
  const font = fontkit.create(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (!('fonts' in font)) return { name, font: withQuickLayout(font) };
  throw invalidParameter(
    `The PDF font ${String(source).slice(0, 200)} is a font collection; provide a single font`,
  );
}

const install = 'npm install pdfkit fontkit bidi-js @expo-google-fonts/noto-sans';

/** The packages that create PDFs. They are loaded on first use. */
export interface Packages {
  readonly PDFDocument: typeof import('pdfkit');
  readonly fontkit: typeof import('fontkit');
  readonly bidi: import('bidi-js').Bidi;
}

/** @throws BillingError NOT_IMPLEMENTED (1) with the install command if a package is missing. */
export async function loadPackages(): Promise<Packages> {
  const [pdfkit, fontkit, bidi] = await Promise.all([
    import('pdfkit'),
    import('fontkit'),
    import('bidi-js') as Promise<unknown>,
  ]).catch((error: unknown) => {
    throw notInstalled(error);
  });
  // This is a CommonJS module that exports the function itself.
  const { default: bidiFactory } = bidi as { readonly default: () => Packages['bidi'] };
  return { PDFDocument: pdfkit.default, fontkit, bidi: bidiFactory() };
}

function notInstalled(cause: unknown): BillingError {
  return new BillingError({
    code: ErrorCode.NOT_IMPLEMENTED,
    message: `PDFs need packages that are not installed. Install them with: ${install}`,
    cause,
  });
}

/** Scripts without ligatures and marks. */
const plain =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Common}]*$/u;

const rightToLeftLetter =
  /(?=\p{L})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

export function hasRightToLeftLetter(text: string): boolean {
  return rightToLeftLetter.test(text);
}

/**
 * Returns the font with a faster layout. Ligatures, kerning and marks are enabled only for scripts that need them,
 * because these features take nine tenths of the time to draw a document.
 */
function withQuickLayout(font: Font): Font {
  const layout = (text: string) => {
    if (plain.test(text)) return quickLayout(font, text);
    // By default, fontkit reverses numbers in Arabic digits.
    const direction = hasRightToLeftLetter(text) ? 'rtl' : 'ltr';
    return font.layout(text, [], undefined, undefined, direction);
  };
  return Object.create(font, { layout: { value: layout } });
}

function quickLayout(font: Font, text: string): ReturnType<Font['layout']> {
  const glyphs = Array.from(text, (character) => font.glyphForCodePoint(character.codePointAt(0) ?? 0));
  const zero = { yAdvance: 0, xOffset: 0, yOffset: 0 };
  const positions = glyphs.map(({ advanceWidth }) => ({ xAdvance: advanceWidth, ...zero }));
  const advanceWidth = glyphs.reduce((sum, glyph) => sum + glyph.advanceWidth, 0);
  const none = { script: 'DFLT', language: '', direction: 'ltr', features: {} } as const;
  return { ...none, glyphs, positions, advanceWidth, advanceHeight: 0, bbox: font.bbox };
}
